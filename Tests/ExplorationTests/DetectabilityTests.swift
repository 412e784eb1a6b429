import FaultModel
import SystemIO
import Testing

@testable import Exploration

@Suite("What an engine can know of a fault")
struct DetectabilityTests {
  private static let bytes = ByteRange(offset: 0, count: 100)

  private func seen(
    _ fault: String, at operation: RecordedOperation, in base: ExplorationBase
  ) -> Detectability? {
    LegalFaults(traits: base.traits, recording: base.recording(base.operations))
      .faults(of: operation).first { $0.name == fault }?.detectability
  }

  private static func isUndetectable(_ seen: Detectability?) -> Bool {
    if case .undetectable = seen { true } else { false }
  }

  @Test(
    "short transfers, delays and EINTR where it is retried are transparent",
    arguments: ["short", "delay", "fail EINTR"])
  func transparent(_ fault: String) throws {
    let write = recorded(.write, range: Self.bytes, answered: 100)
    #expect(seen(fault, at: write, in: try base([write])) == .transparent)
  }

  @Test("EINTR of a close or a rename is an error like any other")
  func interruptedClose() throws {
    for operation in [recorded(.close), recorded(.rename)] {
      #expect(seen("fail EINTR", at: operation, in: try base([operation])) == .detectable)
    }
  }

  @Test("what is lost is undetectable, and so is a barrier that is dropped")
  func losses() throws {
    let write = recorded(.write, range: Self.bytes, answered: 100)
    let fsync = recorded(.fsync, traits: [.hasUnsynced, .isNamed])
    let folder = recorded(.fsyncdir, kind: .folder, entry: .directory, traits: .hasUnsynced)
    #expect(Self.isUndetectable(seen("lose", at: write, in: try base([write]))))
    #expect(Self.isUndetectable(seen("drop", at: fsync, in: try base([fsync]))))
    #expect(Self.isUndetectable(seen("drop", at: folder, in: try base([folder]))))
    #expect(seen("drop", at: write, in: try base([write])) == .detectable)
  }

  @Test("a barrier with nothing to make durable is not dropped, since nothing would change")
  func idleBarrier() throws {
    let fsync = recorded(.fsync)
    #expect(seen("drop", at: fsync, in: try base([fsync])) == nil)
  }

  @Test("a lie in a read is seen by a second read, and by none where there is none")
  func sourceLies() throws {
    let read = recorded(.read, "src", range: Self.bytes, answered: 100, pass: 1)
    #expect(seen("corrupt flip", at: read, in: try base([read])) == .detectable)
    let once = try base([read], run: "run \"--single-source-read\"")
    #expect(Self.isUndetectable(seen("corrupt flip", at: read, in: once)))
    let quick = try base([read], mode: .quick, expectation: "copied")
    #expect(Self.isUndetectable(seen("corrupt flip", at: read, in: quick)))
    let back = recorded(.read, range: Self.bytes, answered: 100, pass: 1)
    #expect(seen("corrupt flip", at: back, in: once) == .detectable)
  }

  @Test("bytes spoilt on a destination are unseen only where nothing is read back")
  func spoiltWrites() throws {
    let write = recorded(.write, range: Self.bytes, answered: 100)
    for fault in ["torn", "corrupt flip", "drop", "misdirect"] {
      let checked = try base([write])
      let quick = try base([write], mode: .quick, expectation: "copied")
      #expect(seen(fault, at: write, in: checked) == .detectable, "\(fault)")
      #expect(Self.isUndetectable(seen(fault, at: write, in: quick)), "\(fault)")
    }
  }

  @Test("an entry that its only listing hides is unseen; a second listing shows it")
  func hidden() throws {
    func listing(_ pass: Int) -> RecordedOperation {
      recorded(
        .readdir, "src", "", nth: pass, kind: .root, entry: .directory, answered: 1,
        listed: ["a.mov"], pass: pass)
    }
    #expect(Self.isUndetectable(seen("hide", at: listing(1), in: try base([listing(1)]))))
    #expect(seen("hide", at: listing(1), in: try base([listing(1), listing(2)])) == .detectable)
  }

  @Test("a source that changes after the last look at it is unseen, and before it is not")
  func lateChanges() throws {
    let close = recorded(.close, "src")
    let stat = recorded(.stat, "src")
    let lookup = recorded(.lookup, "src")
    let early = try base([close, lookup, stat])
    let late = try base([lookup, stat, close])
    #expect(seen("change write", at: close, in: early) == .detectable)
    #expect(Self.isUndetectable(seen("change write", at: close, in: late)))
    #expect(seen("swap", at: close, in: early) == .detectable)
    #expect(Self.isUndetectable(seen("swap", at: close, in: late)))
  }

  @Test("a copy that changes after the last look at it is unseen, and before it is not")
  func changedCopies() throws {
    let fsync = recorded(.fsync)
    let early = try base([fsync, recorded(.stat)])
    let late = try base([recorded(.stat), fsync])
    #expect(seen("change append", at: fsync, in: early) == .detectable)
    #expect(Self.isUndetectable(seen("change append", at: fsync, in: late)))
    let unnamed = recorded(.write, kind: .temporary, range: Self.bytes, answered: 100)
    #expect(seen("change write", at: unnamed, in: try base([unnamed])) == .detectable)
  }

  @Test(
    "clocks, stops and hangs are transparent",
    arguments: ["clock ahead", "clock back", "stop", "hang"])
  func patience(_ fault: String) throws {
    let fsync = recorded(.fsync)
    #expect(seen(fault, at: fsync, in: try base([fsync])) == .transparent)
  }

  @Test("a write lands in another file only while nothing is known of that one")
  func bystanders() throws {
    let first = recorded(.write, "dst", "a.mov", range: Self.bytes, answered: 100)
    let write = recorded(.write, "dst", "b.mov", range: Self.bytes, answered: 100)
    let checked = recorded(.close, "dst", "a.mov", phases: ["readback"])
    #expect(seen("misdirect elsewhere", at: write, in: try base([write])) == nil)
    #expect(seen("misdirect elsewhere", at: write, in: try base([first, write])) == .detectable)
    let late = try base([first, checked, write])
    #expect(seen("misdirect elsewhere", at: write, in: late) == nil)
  }

  @Test("two faults are transparent only together, and unseen when one is")
  func together() {
    let unseen = Detectability.undetectable("why")
    #expect(Detectability.transparent.with(.transparent) == .transparent)
    #expect(Detectability.transparent.with(.detectable) == .detectable)
    #expect(unseen.with(.detectable) == unseen)
    #expect(Detectability.transparent.with(unseen) == unseen)
  }
}
