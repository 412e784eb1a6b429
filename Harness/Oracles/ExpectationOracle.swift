import FaultModel
public import HarnessKit
import SystemIO

/// The run came to what the script expects of it: what must fail failed, what must be refused was.
///
/// A run that comes to something worse than expected is for *no false alarm*; one that ends
/// without saying so is for *no silence* and *bounded*.
public struct ExpectationOracle: Oracle {
  public let name = "expectation"
  public let summary = "the outcome is what the script's expect line says"

  /// The name under which a mistake of the script itself is found: such a case is *broken*.
  static let scriptMistake = "script"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { index in
      if artefacts.runs[index].claimedByExit != nil { return tool(run: index, in: view) }
      return warnings(artefacts.runs[index]) + check(run: index, in: view)
    }
  }

  private func warnings(_ run: RunRecord) -> [Finding] {
    run.expectations.compactMap { expectation in
      guard case .warns(let text) = expectation,
        !run.report.warnings.contains(where: { $0.contains(text) })
      else { return nil }
      return finding("no warning says \"\(text)\"")
    }
  }

  private func check(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    if run.asked == .interrupted { return interrupted(run) }
    // Nothing asked: a killed run is interrupted by default, any other is only to be sound.
    guard let asked = run.asked else { return [] }
    if run.wasKilledByRig, asked == .sound || run.isUndetectable { return [] }
    if run.wasKilledByRig { return [finding("run \(index + 1) was killed, not \(asked.word)")] }
    if run.outputWasCut { return asked == .incomplete ? exit(run, is: 6, orNot: true, asked) : [] }
    guard run.exitCode != nil, run.report.isPresent else { return [] }
    switch asked {
    case .undetectable, .sound, .warns, .interrupted: return []
    case .verified: return unproven(run: index, in: view)
    case .recovery:
      return run.wasInterrupted ? [finding("run \(index + 1) reached no verdict")] : []
    case .copied: return exit(run, is: 5, asked)
    case .incomplete: return exit(run, is: 6, asked)
    case .refused: return refused(run: index, in: view)
    case .failedAll, .failedSome, .failed: return failed(asked, run: index, in: view)
    }
  }

  /// What a script can ask of a tool, whose exit code names no file: that an interrupted one does
  /// not say success. Whether exit 0 was true where files should have failed is for *truth*: a tool
  /// may have tried again. The script's own mistakes count for every subject.
  private func tool(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    let mistakes = Wanted(run.asked, run: index, in: view).mistakes
      .map { Finding(oracle: Self.scriptMistake, summary: $0) }
    guard run.asked == .interrupted, run.exitCode == 0 else { return mistakes }
    return mistakes + [finding("was not interrupted: it \(run.endText)")]
  }

  private func interrupted(_ run: RunRecord) -> [Finding] {
    if run.wasKilledByRig || run.wasInterrupted && run.report.verdict == "interrupted" { return [] }
    return [finding("was not interrupted: it \(run.text)")]
  }

  /// A script that asks for proof where mode or facts allow none contradicts itself.
  private func unproven(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    guard run.exitCode == 5,
      run.destinations.contains(where: { view.bestOutcome(on: $0) != .verified })
    else { return [] }
    return [finding("should be verified, but mode and facts allow no proof of the medium")]
  }

  /// Only a better code than expected: a worse one is a false alarm, which is this oracle's to
  /// tell (`orNot`) where no report can.
  private func exit(
    _ run: RunRecord, is code: Int32, orNot: Bool = false, _ asked: Expectation
  ) -> [Finding] {
    guard let found = run.exitCode, found != code,
      orNot || found == 0 || found == 5 || found == 6
    else { return [] }
    return [finding("should be \(asked.word), but it \(run.text)")]
  }

  private func failed(_ asked: Expectation, run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    let wanted = Wanted(asked, run: index, in: view)
    let mistakes = wanted.mistakes.map { Finding(oracle: Self.scriptMistake, summary: $0) }
    if run.report.verdict == "refused" || run.report.verdict == "interrupted" {
      return mistakes + [finding("should be \(asked.word), but it \(run.text)")]
    }
    let rows = view.rows(run: index)
    if wanted.needsOneFailure {
      if wanted.mayFail.contains(where: { rows[$0]?.outcome == .failed }) { return mistakes }
      return mistakes + [finding("should be \(asked.word), but nothing failed")]
    }
    let planned = view.sourceFiles(run: index)
    let missing = wanted.mustFail.sorted { ($0.volume, $0.path) < ($1.volume, $1.path) }
      .filter { place in
        if let row = rows[place] { return row.outcome != .failed }
        // A file that appeared has no row of its own everywhere; its name must stand somewhere.
        let isNamed = run.report.problems.contains { $0.contains(place.path.escaped) }
        return planned[place.path] != nil || !isNamed
      }
    return mistakes
      + missing.map { finding("\($0.text) should have failed and did not", [$0.text]) }
  }

  private func refused(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    if run.report.verdict != "refused" {
      return [finding("should be refused, but it \(run.text)")]
    }
    let before = view.artefacts.state(beforeRun: index)
    return run.destinations.flatMap { volume -> [Finding] in
      guard let old = before[volume], let new = run.volatile[volume] else { return [] }
      return Set(old.entries.keys).union(new.entries.keys).sorted().compactMap { path in
        if path.bytes.isEmpty || view.hasAct(Set(RigAct.Kind.allKinds), volume, path) { return nil }
        guard let text = trace(old[path], new[path]) else { return nil }
        let place = CaseView.Place(volume: volume, path: path)
        return finding("was refused, but \(place.text) \(text)", [place.text])
      }
    }
  }

  /// What a refused run did to a name; bytes that were there are for *nothing harmed*.
  private func trace(_ old: TreeEntry?, _ new: TreeEntry?) -> String? {
    if old == nil { return "appeared" }
    guard let old, let new, old.kind == new.kind else { return nil }
    return old.mode == new.mode ? nil : "has another mode"
  }

  private func finding(_ summary: String, _ files: [String] = []) -> Finding {
    Finding(oracle: name, summary: summary, files: files)
  }
}

extension RigAct.Kind {
  static let allKinds: [RigAct.Kind] = [
    .misdirected, .corrupted, .swapped, .changed, .sidecar,
  ]
}

extension RunRecord {
  /// How a subject without a report ended, as the rest of a sentence.
  var endText: String {
    if case .exited(let code) = ending { "ended with exit \(code)" } else { text }
  }

  /// How it ended, as the rest of a sentence.
  var text: String {
    switch ending {
    case .exited(let code): "ended with exit \(code), verdict '\(report.verdict)'"
    case .signalled(let signal, let byRig): "died of signal \(signal)\(byRig ? " (a rule)" : "")"
    case .deadline: "was killed at its deadline"
    }
  }
}

extension Expectation {
  /// The word of the script.
  var word: String {
    switch self {
    case .verified: "verified"
    case .copied: "copied"
    case .failedAll: "failed all"
    case .failedSome: "failed some"
    case .failed: "failed"
    case .refused: "refused"
    case .recovery: "recovery"
    case .sound: "sound"
    case .interrupted: "interrupted"
    case .incomplete: "incomplete"
    case .warns: "warns"
    case .undetectable: "undetectable"
    }
  }
}
