import FaultModel
public import HarnessKit
import SystemIO

/// What the script does not expect to fail is verified, at the best level that the facts allow.
public struct NoFalseAlarmOracle: Oracle {
  public let name = "no false alarm"
  public let summary = "what no fault struck is verified on every destination"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { check(run: $0, in: view) }
  }

  private func check(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    let wanted = Wanted(run.asked, run: index, in: view)
    if run.claimedByExit != nil { return exit(run, index, wanted, in: view) }
    guard wanted.judgesTheRest, run.report.isPresent, !run.wasKilledByRig else { return [] }
    let problems = run.report.problems.joined(separator: "; ")
    if run.report.verdict == "refused" || run.report.verdict == "interrupted" {
      // Where failures are expected, the expectation says so already.
      if !wanted.mustFail.isEmpty || wanted.needsOneFailure { return [] }
      return [finding("run \(index + 1) was \(run.report.verdict): \(problems)")]
    }
    let rows = view.rows(run: index)
    let alarms = alarms(rows, wanted, in: view)
    let isFree = wanted.mustFail.isEmpty && wanted.mayFail.isEmpty
    if alarms.isEmpty && isFree && run.exitCode == 1
      && !rows.values.contains(where: { $0.outcome == .failed })
    {
      return [finding("run \(index + 1) ended with exit 1 though every file is safe: \(problems)")]
    }
    if alarms.isEmpty && run.asked == .verified && run.exitCode == 6 {
      return [finding("run \(index + 1) has no report though nothing struck it: \(problems)")]
    }
    return alarms
  }

  /// A tool that does not end with 0 names no file: it is an alarm only where nothing may fail.
  private func exit(
    _ run: RunRecord, _ index: Int, _ wanted: Wanted, in view: CaseView
  ) -> [Finding] {
    guard wanted.judgesTheRest, wanted.mustFail.isEmpty, wanted.mayFail.isEmpty,
      run.asked != .incomplete, !run.wasKilledByRig, !run.outputWasCut, run.ending != .deadline,
      run.exitCode != 0, !run.destinations.contains(where: { mustRefuse($0, index, in: view) })
    else { return [] }
    return [finding("run \(index + 1) \(run.endText) though nothing struck it")]
  }

  /// True when the source holds links or fifos that the volume cannot have: a tool that copies
  /// them says so with good reason, while our engine copies the bytes and warns.
  private func mustRefuse(_ volume: String, _ index: Int, in view: CaseView) -> Bool {
    guard let persona = view.artefacts.personas[volume],
      let source = view.artefacts.state(beforeRun: index)[CaseView.source]
    else { return false }
    if persona.linkError != nil {
      let inodes = source.files.map(\.entry.inode)
      if Set(inodes).count < inodes.count { return true }
    }
    return source.entries.values.contains { entry in
      entry.kind == .symlink && persona.symlinkError != nil
        || entry.kind == .fifo && persona.nodeError != nil
    }
  }

  private func alarms(
    _ rows: [CaseView.Place: SubjectReport.Row], _ wanted: Wanted, in view: CaseView
  ) -> [Finding] {
    rows.sorted { ($0.key.volume, $0.key.path) < ($1.key.volume, $1.key.path) }
      .compactMap { place, row in
        if wanted.mustFail.contains(place) || wanted.mayFail.contains(place) { return nil }
        switch row.outcome {
        case .verified: return nil
        case .copiedUnverified:
          if view.bestOutcome(on: place.volume) == .copiedUnverified { return nil }
          return finding(
            "\(place.text) is only copied (level '\(row.level)') though nothing struck it",
            [place.text])
        case .failed:
          return finding(
            "\(place.text) failed though nothing struck it: \(row.cause)", [place.text])
        }
      }
  }

  private func finding(_ summary: String, _ files: [String] = []) -> Finding {
    Finding(oracle: name, summary: summary, files: files)
  }
}
