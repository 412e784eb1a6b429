import FaultModel
import HarnessKit
import Testing

@testable import Exploration

@Suite("Coverage of an exploration")
struct CoverageTests {
  private static let place = Coverage.Place(.write, "fail EIO")

  @Test("a plan that ran whole has no problems")
  func whole() {
    var coverage = Coverage()
    coverage.recorded = [.write: 1]
    coverage.plan(Self.place)
    coverage.add(.pass, at: Self.place, isUndetectable: false)
    #expect(coverage.problems.isEmpty)
  }

  @Test("a schedule that was planned and not run is a problem, and one too many as well")
  func counts() {
    var coverage = Coverage()
    coverage.recorded = [.write: 1]
    coverage.plan(Self.place, count: 2)
    coverage.add(.pass, at: Self.place, isUndetectable: false)
    #expect(
      coverage.problems == ["write, fail EIO: 2 schedules planned, 1 run"])
    coverage.add(.pass, at: Self.place, isUndetectable: false)
    #expect(coverage.problems.isEmpty)
    coverage.add(.fail, at: Self.place, isUndetectable: false)
    #expect(coverage.problems.count == 1)
  }

  @Test("an operation that was recorded and never struck is a problem of a whole exploration")
  func neverStruck() {
    var coverage = Coverage()
    coverage.recorded = [.write: 1, .fsync: 1]
    coverage.plan(Self.place)
    coverage.add(.pass, at: Self.place, isUndetectable: false)
    #expect(
      coverage.problems == ["the subject asked for fsync, and nothing struck it"])
    coverage.isWhole = false
    #expect(coverage.problems.isEmpty)
    coverage.isWhole = true
    #expect(coverage.neverReached.contains(.rename))
  }

  @Test("an empty plan is a problem")
  func empty() {
    #expect(Coverage().problems == ["nothing was planned"])
  }

  @Test("passes that no engine can see are counted apart, and nothing but a pass is one")
  func verdicts() {
    var coverage = Coverage()
    for verdict in Verdict.allCases {
      coverage.add(verdict, at: Self.place, isUndetectable: true)
    }
    let cell = coverage.total
    #expect(cell.run == Verdict.allCases.count)
    #expect((cell.passed, cell.undetectable, cell.failed) == (0, 1, 1))
    #expect((cell.notExercised, cell.other) == (1, 2))
  }

  @Test("what a limit of time left out is no longer planned, and counted")
  func cut() {
    var coverage = Coverage()
    coverage.recorded = [.write: 1]
    coverage.plan(Self.place, count: 5)
    coverage.add(.pass, at: Self.place, isUndetectable: false)
    coverage.cutRest()
    #expect(coverage.cutCount == 4)
    #expect(coverage.problems.isEmpty)
  }
}
