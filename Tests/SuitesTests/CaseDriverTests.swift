import HarnessKit
import Testing

@testable import Suites

@Suite struct CaseDriverTests {
  private func conclusion(_ verdicts: [Verdict], fresh: Bool = false) throws -> CaseResult {
    let body = fresh ? "  kill subject at 50%\n  run\n  expect sound\n" : "  expect verified\n"
    let attempts = verdicts.map { CaseAttempt(verdict: $0, reason: "because of \($0)") }
    return CaseDriver.conclusion(of: attempts, try Scripts.planned(body))
  }

  static let agreeing: [(verdicts: [Verdict], verdict: Verdict)] = [
    ([.pass], .pass), ([.pass, .pass], .pass), ([.fail, .fail], .fail),
    ([.notExercised, .notExercised], .notExercised), ([.broken], .broken),
    ([.fail, .broken], .broken),
  ]

  @Test("runner: attempts that agree stand", arguments: agreeing)
  func agree(row: (verdicts: [Verdict], verdict: Verdict)) throws {
    #expect(try conclusion(row.verdicts).verdict == row.verdict)
  }

  @Test(
    "runner: a worker that all fresh processes contradict is broken",
    arguments: [
      [Verdict.fail, .pass, .pass], [.pass, .fail, .fail, .fail],
    ])
  func contradicted(verdicts: [Verdict]) throws {
    let result = try conclusion(verdicts)
    #expect(result.verdict == .broken)
    #expect(result.reason.hasPrefix("worker and fresh process disagree"))
  }

  @Test("runner: a failure that comes and goes in fresh processes stays a fail, with its count")
  func flaky() throws {
    let result = try conclusion([.fail, .pass, .fail, .pass])
    #expect(result.verdict == .fail)
    #expect(result.repeats == .init(agreeing: 2, of: 4))
    let killed = try conclusion([.fail, .pass, .pass, .pass], fresh: true)
    #expect(killed.verdict == .fail)
    #expect(killed.repeats == .init(agreeing: 1, of: 4))
  }

  @Test("negative: a broken engine passes only when its own oracle objects")
  func inverted() throws {
    let finding = Finding(oracle: "truth", summary: "wrong bytes")
    var caught = CaseAttempt(verdict: .fail, findings: [finding])
    caught.invert(caughtBy: "truth")
    #expect(caught.verdict == .pass)
    var other = CaseAttempt(verdict: .fail, findings: [finding])
    other.invert(caughtBy: "clean")
    #expect(other.verdict == .fail)
    var missed = CaseAttempt(verdict: .pass)
    missed.invert(caughtBy: "truth")
    #expect(missed.verdict == .fail)
    let rules = try Scripts.firstCase(
      "  fail write dst:~C0004.MP4 with EIO\n  expect sound\n"
    ).rules
    for (file, verdict) in [("dst:C0004.MP4", Verdict.pass), ("dst:C0001.MP4", .fail)] {
      var aimed = CaseAttempt(
        verdict: .fail,
        findings: [Finding(oracle: "truth", summary: "wrong bytes", files: [file])])
      aimed.invert(caughtBy: "truth", under: rules)
      #expect(aimed.verdict == verdict)
    }
    for verdict in [Verdict.notExercised, .broken, .blocked] {
      var same = CaseAttempt(verdict: verdict)
      same.invert(caughtBy: "truth")
      #expect(same.verdict == verdict)
    }
  }
}
