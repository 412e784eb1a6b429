import FaultModel
public import HarnessKit
import SystemIO

/// Each file is either safe or named with its cause in the subject's own report, and the exit code
/// says the same.
public struct NoSilenceOracle: Oracle {
  public let name = "no silence"
  public let summary = "each file is safe or named with its cause, and the exit code agrees"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { check(run: $0, in: view) }
  }

  private func check(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    // A tool has no words but its exit code: 0 is for *truth*, any other is word enough.
    if run.claimedByExit != nil { return [] }
    switch run.ending {
    case .deadline, .signalled(_, byRig: true): return []
    case .signalled(let signal, byRig: false):
      return [finding("run \(index + 1) died of signal \(signal)")]
    case .exited(let code):
      if run.outputWasCut { return cut(run, index, exit: code) }
      guard run.report.isPresent else {
        return [finding("run \(index + 1) ended with exit \(code) and no report")]
      }
      var findings: [Finding] = []
      if let text = contradiction(run.report, exit: code) {
        findings.append(finding("run \(index + 1) \(text)"))
      }
      switch run.report.verdict {
      case "interrupted": break
      case "refused":
        if run.report.problems.allSatisfy(\.isEmpty) {
          findings.append(finding("run \(index + 1) was refused without a reason"))
        }
      default: findings += silences(run: index, in: view)
      }
      return findings
    }
  }

  /// Nobody heard the end of the report: the exit code alone must tell that it did not get out.
  private func cut(_ run: RunRecord, _ index: Int, exit code: Int32) -> [Finding] {
    code == 0 || code == 5
      ? [finding("run \(index + 1) ended with exit \(code) though its output could not be written")]
      : []
  }

  /// Files without a row, and failures without a cause.
  private func silences(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    let rows = view.rows(run: index)
    return run.destinations.flatMap { volume in
      view.sourceFiles(run: index).keys.sorted().compactMap { path -> Finding? in
        let place = CaseView.Place(volume: volume, path: path)
        guard let row = rows[place] else {
          if view.isUndetectable(path, on: volume, run: index) { return nil }
          return finding("\(place.text) has no row in the report", [place.text])
        }
        if row.outcome == .failed && row.cause.isEmpty {
          return finding("\(place.text) failed without a cause", [place.text])
        }
        return nil
      }
    }
  }

  /// Where verdict, rows and exit code do not say the same (design section 5).
  private func contradiction(_ report: SubjectReport, exit code: Int32) -> String? {
    let allowed: Set<Int32>
    switch report.verdict {
    case "verified": allowed = [0, 6]
    case "copiedNotVerified": allowed = [5]
    case "failed": allowed = [1]
    case "refused": allowed = [3]
    case "interrupted": allowed = [130, 143]
    default: return "has the unknown verdict '\(report.verdict)'"
    }
    if !allowed.contains(code) {
      return "says '\(report.verdict)' but ended with exit \(code)"
    }
    let outcomes = Set(report.rows.map(\.outcome))
    if outcomes.contains(.failed) && (code == 0 || code == 5 || code == 6) {
      return "has failed rows but ended with exit \(code)"
    }
    if outcomes.contains(.copiedUnverified) && (code == 0 || code == 6) {
      return "has rows that are not verified but ended with exit \(code)"
    }
    if code == 1 && !outcomes.contains(.failed) && report.problems.allSatisfy(\.isEmpty) {
      return "ended with exit 1 and names nothing that failed"
    }
    return nil
  }

  private func finding(_ summary: String, _ files: [String] = []) -> Finding {
    Finding(oracle: name, summary: summary, files: files)
  }
}
