import SystemIO
import Testing

@testable import Offload

/// What dead runs leave, and what live ones hold (offload decision 21).
@Suite struct LitterTests {
  private static let id = "0123456789abcdef0123456789abcdef"
  private static let temporary = BytePath(".custody.tmp.\(id)")
  private static let marker = BytePath(".custody-status-\(id)")

  private func stage() throws -> Stage {
    let stage = try Stage()
    try stage.card.file("d/clip.mov", seed: 1, count: 9000)
    return stage
  }

  private func markerBytes(_ name: BytePath, _ byteCount: Int64) -> [UInt8] {
    StatusMarker(name: name, byteCount: byteCount, run: Self.id, created: "now").encoded
  }

  @Test("decision 21: a later run removes temporaries of a dead run")
  func temporaries() throws {
    let stage = try stage()
    try stage.destination.file(BytePath("d/").appending(Self.temporary), [1, 2])
    try stage.destination.file(Self.temporary.appending("probe"), [])
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.leftBehind.isEmpty)
    try expectWhole(stage, stage.destination)
  }

  @Test("decision 21: a file under a marker of a dead run is copied anew")
  func marked() throws {
    let stage = try stage()
    try stage.destination.file("d/clip.mov", seed: 2, count: 9000)
    try stage.destination.file(
      BytePath("d/").appending(Self.marker), markerBytes("clip.mov", 9000))
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(!outcome.rows[0].isReused)
    try expectWhole(stage, stage.destination)
  }

  @Test("decision 21: what a live run holds is left alone")
  func live() throws {
    let stage = try stage()
    let held = BytePath("d/").appending(Self.temporary)
    let heldMarker = BytePath("d/").appending(Self.marker)
    try stage.destination.file(held, [1, 2])
    try stage.destination.file("d/clip.mov", seed: 2, count: 100)
    try stage.destination.file(heldMarker, markerBytes("clip.mov", 9000))
    let first = try FileDescriptor.open(stage.destination.root.appending(held), .readOnly)
    let second = try FileDescriptor.open(stage.destination.root.appending(heldMarker), .readOnly)
    #expect(try first.tryLock(exclusive: false))
    #expect(try second.tryLock())
    let before = try stage.destination.entries()
    let outcome = try stage.run()
    #expect(outcome.rows[0].outcome == .failed)
    let after = try stage.destination.entries()
    for path in [held, heldMarker, "d/clip.mov"] { #expect(after[path] == before[path]) }
    try first.close()
    try second.close()
  }

  @Test("offload 66: a file that another run is still writing is no copy, even when it is whole")
  func beingWritten() throws {
    let stage = try stage()
    try stage.destination.file("d/clip.mov", seed: 1, count: 9000)
    let writer = try FileDescriptor.open(
      stage.destination.root.appending("d/clip.mov"), .readOnly)
    #expect(try writer.tryLock())
    let outcome = try stage.run()
    #expect(outcome.rows[0].outcome == .failed)
    #expect(outcome.rows[0].cause.contains("another run"))
    try writer.close()
    #expect(try stage.run().verdict == .verified)
  }

  @Test(
    "decision 21: nothing else is removed",
    arguments: [
      ".custody.tmp.short", ".custody.tmp.0123456789ABCDEF0123456789ABCDEF",
      "custody.tmp.0123456789abcdef0123456789abcdef", "clip.mov.custody-failed",
      ".custody-status-0123456789abcdef0123456789abcdef",
    ])
  func others(name: String) throws {
    let stage = try stage()
    let path = BytePath("d/\(name)")
    try stage.destination.file(path, Array("user data".utf8))
    let before = try stage.destination.entries()[path]
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(try stage.destination.entries()[path] == before)
  }

  @Test("decision 21: an unfinished report of a dead run goes, one that a live run writes stays")
  func unfinishedReport() throws {
    let stage = try stage()
    let report = BytePath("Reports/").appending(Self.temporary)
    try stage.destination.file(report, [1, 2])
    let writer = try FileDescriptor.open(stage.destination.root.appending(report), .readOnly)
    #expect(try writer.tryLock())
    #expect(try stage.run().verdict == .verified)
    #expect(stage.destination.contains(report))
    try writer.close()
    let outcome = try stage.run()
    #expect(!stage.destination.contains(report) && outcome.leftBehind.isEmpty)
  }

  @Test("decision 21: a copy that differed stays, and a later run names it")
  func failedCopy() throws {
    let stage = try stage()
    let kept: BytePath = "d/clip.mov.custody-failed"
    try stage.destination.file(kept, seed: 2, count: 9000)
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.leftBehind == [stage.destination.root.appending(kept)])
    #expect(stage.destination.contains(kept))
    try stage.card.file(kept, seed: 2, count: 9000)
    #expect(try stage.run().leftBehind.isEmpty, "a file of the source is none of ours")
  }

  @Test("A marker whose file is larger than it says is not believed")
  func foreign() throws {
    let stage = try stage()
    try stage.destination.file("d/other.mov", seed: 2, count: 9001)
    let marker = BytePath("d/").appending(Self.marker)
    try stage.destination.file(marker, markerBytes("other.mov", 9000))
    let outcome = try stage.run()
    #expect(outcome.leftBehind == [stage.destination.root.appending(marker)])
    #expect(try stage.destination.bytes("d/other.mov").count == 9001)
  }

  @Test("decision 15: markers survive their text, whatever the name")
  func markerText() throws {
    for bytes in [Array("a\n\"\\b".utf8), Array("\u{e9}".utf8), [0xff, 0xfe], Array("x".utf8)] {
      let name = try #require(BytePath(bytes))
      let marker = StatusMarker(name: name, byteCount: 7, run: "r", created: "c")
      #expect(StatusMarker(marker.encoded) == marker)
    }
    let whole = markerBytes("clip.mov", 9000)
    for count in 0..<(whole.count - 1) { #expect(StatusMarker(Array(whole[..<count])) == nil) }
    let evil = StatusMarker(name: "../x", byteCount: 7, run: "r", created: "c").encoded
    #expect(StatusMarker(evil) == nil)
  }

  @Test("C57: two engines at once on one destination: every claim is true, nothing is harmed")
  func twoAtOnce() throws {
    for mode in [CopyMode.standard, .thorough] {
      let stage = try Stage(workers: nil)
      for index in 0..<40 {
        try stage.card.file(BytePath("d\(index % 3)/f\(index)"), seed: UInt64(index), count: 3000)
      }
      let job = stage.job
      let outcomes = Monitor<[OffloadOutcome]>([])
      try inParallel(2) {
        var job = job
        job.mode = mode
        if let outcome = try? OffloadEngine(job: job).run() {
          outcomes.update { $0.append(outcome) }
        }
      }
      let all = outcomes.read { $0 }
      #expect(all.count == 2)
      for outcome in all {
        for row in outcome.rows where row.outcome == .verified {
          #expect(try stage.destination.bytes(row.path) == (try stage.card.bytes(row.path)))
        }
      }
      for path in try stage.card.entries().keys { #expect(stage.destination.contains(path)) }
    }
  }
}
