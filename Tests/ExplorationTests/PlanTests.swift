import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Exploration

@Suite("Plans of an exploration")
struct PlanTests {
  private static let write = recorded(
    .write, range: ByteRange(offset: 0, count: 100), answered: 100)

  @Test("each legal errno of an operation is planned once, but the one that it gave anyway")
  func errnos() throws {
    var plan = ExplorationPlan(prunes: false)
    plan.add(try base([recorded(.lookup, "dst", "new", entry: nil, errno: .noSuchFile)]), index: 0)
    let planned = Set(
      plan.schedules.map(\.place.fault).filter { $0.hasPrefix("fail E") && !$0.hasSuffix("always") }
    )
    let legal = Set(FaultModel.Operation.lookup.legalErrnos.compactMap(\.name).map { "fail \($0)" })
    #expect(planned == legal.subtracting(["fail ENOENT"]))
  }

  @Test("every schedule is a script that parses, with one case and one rule more")
  func schedulesParse() throws {
    let operations: [RecordedOperation] = [
      Self.write, recorded(.fsync, traits: [.hasUnsynced, .isNamed]), recorded(.close),
      recorded(.stat, "src"), recorded(.link), recorded(.unlink), recorded(.rename),
      recorded(.setattrTimes, traits: [.changes, .isNamed]),
      recorded(.read, "src", range: ByteRange(offset: 0, count: 100), answered: 100, pass: 1),
      recorded(
        .readdir, "src", "", kind: .root, entry: .directory, answered: 1, listed: ["a.mov"],
        pass: 1),
      recorded(.statfs, "dst", "", kind: .root, entry: .directory),
    ]
    var plan = ExplorationPlan(prunes: false)
    plan.add(try base(operations), index: 0)
    #expect(plan.schedules.count > 200)
    for schedule in plan.schedules {
      let script = try ScriptParser.parse(schedule.text, name: "t")
      #expect(script.cases.count == 1)
      #expect(script.cases[0].rules.count == (schedule.place.fault == "eject insert" ? 2 : 1))
    }
    #expect(Set(plan.schedules.map(\.id)).count == plan.schedules.count)
  }

  @Test("the matrix plans what the schedules are, cell by cell")
  func matrix() throws {
    var plan = ExplorationPlan()
    plan.add(try base([Self.write, recorded(.fsync)]), index: 0)
    var cells: [Coverage.Place: Int] = [:]
    for schedule in plan.schedules { cells[schedule.place, default: 0] += 1 }
    #expect(plan.coverage.cells.mapValues(\.planned) == cells)
  }

  @Test("one schedule stands for its class, and another phase, size, volume or position is another")
  func pruning() throws {
    func count(_ second: RecordedOperation, prunes: Bool = true) throws -> Int {
      var plan = ExplorationPlan(operations: [.fsync], prunes: prunes)
      plan.add(try base([recorded(.fsync, phases: ["first-data"]), second]), index: 0)
      return plan.schedules.filter { $0.place.fault == "fail EIO" }.count
    }
    let same = recorded(.fsync, "dst", "b.mov", phases: ["first-data"])
    #expect(try count(same) == 1)
    #expect(try count(same, prunes: false) == 2)
    #expect(try count(recorded(.fsync, "dst", "b.mov", phases: ["synced"])) == 2)
    #expect(try count(recorded(.fsync, "dst", "b.mov", phases: ["first-data"], byteCount: 0)) == 2)
    #expect(try count(recorded(.fsync, "dst", "a.mov", nth: 2, phases: ["first-data"])) == 2)
    #expect(try count(recorded(.fsync, "src", "b.mov", phases: ["first-data"])) == 2)
  }

  @Test("an error that engines do not tell apart is tried once for each kind of thing")
  func coarse() throws {
    func count(_ fault: String) throws -> Int {
      var plan = ExplorationPlan(operations: [.fsync])
      let phases = ["first-data", "synced", "readback"]
      let operations = phases.enumerated().map {
        recorded(.fsync, nth: $0.offset + 1, phases: [$0.element])
      }
      plan.add(try base(operations), index: 0)
      plan.add(try base([recorded(.fsync, phases: ["named"])], mode: .paranoid), index: 1)
      return plan.schedules.filter { $0.place.fault == fault }.count
    }
    #expect(try count("fail EIO") == 4)
    #expect(try count("fail ENOSPC") == 4)
    #expect(try count("fail ESTALE") == 1)
    #expect(try count("hang") == 1)
  }

  @Test("the last of many equal requests is a class of its own")
  func last() throws {
    var plan = ExplorationPlan(operations: [.stat])
    plan.add(try base((1...9).map { recorded(.stat, nth: $0, phases: ["scan"]) }), index: 0)
    let struck = plan.schedules.filter { $0.place.fault == "fail EIO" }.map(\.text)
    #expect(struck.count == 4)
    #expect(struck.contains { $0.contains("nth 9 once") })
  }

  @Test("behind a rule of the case only errors and losses are tried, where no clean case comes")
  func context() throws {
    let rule = "fail close dst:~a.mov with EIO\n  run"
    var plan = ExplorationPlan()
    plan.add(try base([recorded(.fsync, "dst", "b.mov")]), index: 0)
    let clean = plan.schedules.count
    plan.add(
      try base(
        [
          recorded(.fsync, "dst", "b.mov", struck: [0]),
          recorded(.unlink, "dst", "b.mov", struck: [0]),
        ], run: rule, expectation: "sound"), index: 1)
    let second = plan.schedules[clean...]
    #expect(Set(second.map(\.place.operation)) == [.unlink])
    #expect(Set(second.map(\.place.fault)) == ["fail EIO", "fail EINTR", "drop"])
    var whole = ExplorationPlan(prunes: false)
    whole.add(
      try base([recorded(.fsync, "dst", "b.mov", struck: [0])], run: rule, expectation: "sound"),
      index: 0)
    #expect(whole.schedules.count > 20)
  }

  @Test("a limit lets the cases take turns")
  func turns() throws {
    var plan = ExplorationPlan()
    for (index, mode) in [Mode.standard, .thorough, .paranoid].enumerated() {
      plan.add(try base([recorded(.fsync), recorded(.write)], mode: mode), index: index)
    }
    plan.arrange(limit: 40)
    #expect(Set(plan.schedules.map(\.base)) == [0, 1, 2])
    #expect(Set(plan.schedules.map(\.place)).count == 40)
  }

  @Test("a limit lets the operations take turns")
  func operationTurns() throws {
    var plan = ExplorationPlan()
    plan.add(try base([Self.write, recorded(.fsync), recorded(.close)]), index: 0)
    plan.arrange(limit: 6)
    let counts = plan.schedules.reduce(into: [:]) { $0[$1.place.operation, default: 0] += 1 }
    #expect(counts == [.write: 2, .fsync: 2, .close: 2])
  }

  @Test("a request whose words fit an earlier one is struck behind another moment")
  func anchors() throws {
    let operations = [
      recorded(.lookup, "dst", "A", kind: .free, entry: nil, errno: .noSuchFile),
      recorded(.mkdir, "dst", "A", kind: .free, entry: nil),
      recorded(.lookup, "dst", "A", kind: .folder, entry: .directory, isShadowed: true),
    ]
    #expect(operations.anchored[2].anchor == "after mkdir dst:\"A\" nth 1")
    var plan = ExplorationPlan(operations: [.lookup])
    plan.add(try base(operations), index: 0)
    #expect(plan.coverage.unaddressed.isEmpty)
    #expect(
      plan.schedules.contains {
        $0.text.contains("fail lookup dst:\"A\" with EIO nth 1 once after mkdir dst:\"A\" nth 1")
      })
  }

  @Test("where no moment stands between two requests of the same words, the second is named")
  func withoutAnchor() throws {
    let operations = [
      recorded(.lookup, "dst", "A", kind: .free, entry: nil, errno: .noSuchFile),
      recorded(.lookup, "dst", "A", kind: .folder, entry: .directory, isShadowed: true),
    ]
    var plan = ExplorationPlan()
    plan.add(try base(operations), index: 0)
    #expect(plan.coverage.unaddressed == ["lookup dst:\"A\" nth 1"])
  }

  @Test("a limit keeps some schedule of as many cells as it can")
  func limit() throws {
    var plan = ExplorationPlan(prunes: false)
    plan.add(try base([Self.write, recorded(.fsync), recorded(.close)]), index: 0)
    let whole = plan.schedules.count
    plan.arrange(limit: 20)
    #expect(plan.schedules.count == 20)
    #expect(Set(plan.schedules.map(\.place)).count == 20)
    #expect(plan.coverage.cutCount == whole - 20)
    #expect(plan.coverage.total.planned == 20)
  }

  @Test("second faults strike what the first one brought about, or the same file")
  func pairs() throws {
    var plan = ExplorationPlan()
    plan.add(try base([recorded(.fsync), recorded(.stat, "dst", "b.mov")]), index: 0)
    let first = try #require(plan.firsts.first { $0.place.operation == .fsync })
    var seconds = plan.continued
    let after = [
      recorded(.fsync, struck: [0]), recorded(.fsync, nth: 2, struck: [0]),
      recorded(.unlink, struck: [0]),
      recorded(.stat, "dst", "b.mov", struck: [0]),
      recorded(.rename, "dst", "c.mov", kind: .other),
    ]
    seconds.addSecond(try base(after), index: 0, after: first)
    let operations = Set(seconds.schedules.map(\.place.operation))
    #expect(operations == [.fsync, .unlink])
  }
}
