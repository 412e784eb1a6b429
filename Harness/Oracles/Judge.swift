import FaultModel
public import HarnessKit

/// Brings the oracles' findings to one verdict (design section 3).
///
/// Precedence: a mistake of the script is *broken*; a violation of a property is *fail*; a rule
/// that never struck, unless it says `maybe`, is *not exercised*; the rest is *pass*. Where a rule
/// never struck, the script's own expectation says nothing, and only the other oracles can fail.
/// *Blocked*, and *broken* for a harness that could not run the case, are the runner's to say.
public enum Judge {
  /// The verdict of one case, with what was found.
  public struct Judgement: Sendable {
    public let verdict: Verdict
    /// Why it is no pass: the oracles' findings, or the rules that never struck.
    public let findings: [Finding]
    /// Remarks that change nothing, such as a fault seen that the script calls undetectable.
    public let notes: [String]
  }

  /// Judges one case by the given oracles.
  public static func judgement(
    _ artefacts: CaseArtefacts, _ oracles: [any Oracle] = OracleCatalogue.all
  ) -> Judgement {
    let artefacts = artefacts.spelledAsSource()
    let found = oracles.flatMap { $0.check(artefacts) }
    let mistakes = found.filter { $0.oracle == ExpectationOracle.scriptMistake }
    if !mistakes.isEmpty { return Judgement(verdict: .broken, findings: mistakes, notes: []) }
    let idle = artefacts.scriptCase.rules.filter { rule in
      !rule.clauses.maybe && (artefacts.fired[rule.id] ?? 0) == 0
    }
    let expectation = ExpectationOracle().name
    let violations = idle.isEmpty ? found : found.filter { $0.oracle != expectation }
    if !violations.isEmpty {
      return Judgement(verdict: .fail, findings: violations, notes: notes(artefacts))
    }
    if !idle.isEmpty {
      let findings = idle.map { rule in
        Finding(oracle: "exercised", summary: "line \(rule.line) never struck: \(rule.text)")
      }
      return Judgement(verdict: .notExercised, findings: findings, notes: [])
    }
    return Judgement(verdict: .pass, findings: [], notes: notes(artefacts))
  }

  /// Verdict and findings alone.
  public static func verdict(
    _ artefacts: CaseArtefacts, _ oracles: [any Oracle] = OracleCatalogue.all
  ) -> (Verdict, [Finding]) {
    let judgement = judgement(artefacts, oracles)
    return (judgement.verdict, judgement.findings)
  }

  private static func notes(_ artefacts: CaseArtefacts) -> [String] {
    ToolNotes.of(artefacts)
      + artefacts.runs.filter(\.isUndetectable).flatMap { run in
        run.report.rows.filter { $0.outcome == .failed }.map { row in
          "\(row.destination):\(row.path.escaped) was found out though the script calls it "
            + "undetectable: \(row.cause)"
        }
      }
  }
}
