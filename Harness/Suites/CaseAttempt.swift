import FaultFS
import FaultModel
import HarnessKit
import Oracles

/// What one attempt at a case came to.
struct CaseAttempt {
  var verdict: Verdict
  /// One line; empty for a pass.
  var reason = ""
  var findings: [Finding] = []
  var notes: [String] = []
  /// How each run ended: `exit 0`.
  var endings: [String] = []
  var fired: [Int: Int] = [:]
  /// The rig's trace as JSON lines; kept for attempts that did not pass.
  var trace: [UInt8] = []
  var log = ""
  var before: [String: TreeSnapshot] = [:]
  var after: [(title: String, tree: TreeSnapshot)] = []
  /// What it tried of the states after a crash.
  var crashStates: CaseResult.CrashStates?
  /// The state that did not pass.
  var crashState: CrashState?
  /// Wall time of the attempt.
  var seconds = 0.0
  /// The run was told to end; the attempt says nothing.
  var isInterrupted = false

  static func broken(_ reason: String) -> CaseAttempt {
    CaseAttempt(verdict: .broken, reason: reason)
  }
}

extension CaseAttempt {
  /// The verdict over an engine that is broken on purpose: the oracle must object, and to a file
  /// that a rule is aimed at where rules are aimed at files.
  ///
  /// A fault that never fired, or a harness that failed, stays what it is.
  mutating func invert(caughtBy oracle: String, under rules: [Rule] = []) {
    switch verdict {
    case .fail where findings.contains { $0.oracle == oracle && $0.mayCome(of: rules) }:
      verdict = .pass
      notes += findings.map { "caught by \($0.oracle): \($0.summary)" }
      reason = ""
      findings = []
    case .fail where findings.contains { $0.oracle == oracle }:
      reason = "\(oracle) objects to files alone that no rule is aimed at"
    case .fail:
      reason = "\(oracle) did not object; others did"
    case .pass:
      verdict = .fail
      reason = "the broken engine was not caught: \(oracle) did not object"
    case .notExercised, .blocked, .broken: break
    }
  }
}
