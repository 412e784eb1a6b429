import FaultModel
import SystemIO
import Testing

@testable import Suites

@Suite struct CaseStepsTests {
  @Test("runner: without a run line there is one run after all rules, with every expectation")
  func implicitRun() throws {
    let steps = try Scripts.firstCase(
      """
        given dst "a" bytes 1KiB
        fail write dst:** with EIO
        full dst at 50%
        expect failed all
        expect warns "x"
      """
    ).steps
    #expect(
      steps == [
        .arm([0, 1]),
        .run(arguments: [], atOnce: 1, expectations: [.failedAll(on: nil), .warns("x")]),
      ])
  }

  @Test("runner: rules arm at their line, expect belongs to the run before it")
  func twoRuns() throws {
    let steps = try Scripts.firstCase(
      """
        eject dst at 50%
        run
        expect failed all on dst
        insert dst
        given dst "b" bytes 1KiB
        disarm
        run "--single-source-read"
        expect verified
      """
    ).steps
    #expect(
      steps == [
        .arm([0]),
        .run(arguments: [], atOnce: 1, expectations: [.failedAll(on: "dst")]),
        .arm([1]), .given(0), .disarm,
        .run(arguments: ["--single-source-read"], atOnce: 1, expectations: [.verified]),
      ])
  }

  @Test("runner: a given before the first run is in the tree, one after it is a step")
  func givens() throws {
    let steps = try Scripts.firstCase(
      """
        given dst "a" bytes 1KiB
        run
        given dst "b" bytes 1KiB
        run
        expect sound
      """
    ).steps
    #expect(steps.contains(.given(1)))
    #expect(!steps.contains(.given(0)))
  }

  @Test("runner: run two at once is one step with two subjects")
  func atOnce() throws {
    let steps = try Scripts.firstCase("  run two at once\n  expect sound\n").steps
    #expect(steps == [.run(arguments: [], atOnce: 2, expectations: [.sound])])
  }

  @Test("runner: what is to recover runs once more, and the words are for that run")
  func recovery() throws {
    let killed = try Scripts.firstCase("  kill subject at 50%\n  expect recovery\n").steps
    let again: [CaseStep] = [
      .run(arguments: [], atOnce: 1, expectations: []),
      .run(arguments: [], atOnce: 1, expectations: [.recovery]),
    ]
    #expect(killed == [.arm([0])] + again)
    let swept = try Scripts.firstCase("  crash dst at every op\n  expect verified\n").steps
    #expect(swept.last == .run(arguments: [], atOnce: 1, expectations: [.verified]))
    #expect(swept.count == 3)
  }

  @Test("runner: a recorded run is followed by the rest of the steps, for each state")
  func sweep() throws {
    let scriptCase = try Scripts.firstCase(
      """
        run
        expect verified
        fail read src:** with EINTR
        crash dst at every op keep subsets
        run
        disarm
        run
        expect recovery
      """)
    let sweep = try #require(scriptCase.crashSweep)
    #expect(sweep == CrashSweep(rule: 1, isAtEveryPoint: true))
    let (before, after) = scriptCase.steps.split(at: sweep)
    #expect(before.count == 3 && before.armed == [0, 1])
    #expect(after == [.disarm, .run(arguments: [], atOnce: 1, expectations: [.recovery])])
    let alone = try Scripts.firstCase("  crash dst keep subsets at 50%\n  run\n  expect sound\n")
    let point = try #require(alone.crashSweep)
    let run = CaseStep.run(arguments: [], atOnce: 1, expectations: [.sound])
    #expect(!point.isAtEveryPoint && alone.steps.split(at: point).after == [run])
  }

  @Test("runner: limits on output and memory hold for the runs that they are armed for")
  func limits() throws {
    let scriptCase = try Scripts.firstCase(
      "  limit subject stdout 500\n  limit subject stdout 20\n  limit subject memory 9\n  run\n"
        + "  expect sound\n")
    let all = SubjectLimits(of: scriptCase, under: [0, 1, 2])
    #expect(all.output == 20 && all.mayKill)
    let one = SubjectLimits(of: scriptCase, under: [0])
    #expect(one.output == 500 && !one.mayKill)
    #expect(SubjectLimits(of: scriptCase, under: []).output == nil)
  }

  static let fresh: [(body: String, isFresh: Bool)] = [
    ("  crash dst at 50%\n  run\n", true), ("  crash dst at every op\n  run\n", false),
    ("  kill subject at 50%\n  run\n", true), ("  terminate subject at 50%\n  run\n", true),
    ("  run two at once\n", true), ("  stop subject for 1s at 50%\n  run\n", true),
    ("  limit subject descriptors 16\n", true),
    ("  fail write dst:** with EIO\n", false), ("  full dst\n", false),
  ]

  @Test("runner: kills, stops and pairs get a process of their own", arguments: fresh)
  func freshProcess(row: (body: String, isFresh: Bool)) throws {
    #expect(try Scripts.firstCase(row.body + "  expect sound\n").needsFreshProcess == row.isFresh)
  }
}
