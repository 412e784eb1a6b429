import FaultModel
public import HarnessKit
import SystemIO

/// After a crash or a kill nothing is missing that the subject had called done, and running again
/// reaches a true verdict without repeating finished work.
public struct RecoveryOracle: Oracle {
  public let name = "recovery"
  public let summary =
    "after a crash or kill, running again reaches a true verdict and repeats no finished work"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    guard let struck = struck(view) else { return [] }
    let later = artefacts.runs.indices.filter { $0 > struck }
    return missing(after: struck, in: view)
      + later.flatMap { untrue(run: $0, in: view) }
      + (later.first.map { repeated(run: $0, after: struck, in: view) } ?? [])
  }

  /// The first run that was struck; nil when none was.
  private func struck(_ view: CaseView) -> Int? {
    let runs = view.artefacts.runs
    if let killed = runs.firstIndex(where: \.wasKilledByRig) { return killed }
    let isCut = runs.first?.destinations.contains { view.hasVolumeAct([.crashed], $0) } ?? false
    return isCut ? 0 : nil
  }

  // MARK: Claims

  /// What the subject had called done before the power went is there after it.
  private func missing(after struck: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[struck]
    return done(run: struck, in: view).compactMap { place in
      guard view.hasVolumeAct([.crashed], place.volume), let tree = run.durable[place.volume],
        !isExcused(place, run: struck, in: view)
      else { return nil }
      guard let fault = fault(of: tree[place.path], at: place, run: struck, in: view) else {
        return nil
      }
      return finding(place, "was called done before the crash, and after it \(fault)")
    }
  }

  /// Files that a report calls safe, verified or only copied.
  private func done(run index: Int, in view: CaseView) -> [CaseView.Place] {
    view.rows(run: index).filter { $0.value.outcome != .failed }.map(\.key)
      .sorted { ($0.volume, $0.path) < ($1.volume, $1.path) }
  }

  private func isExcused(_ place: CaseView.Place, run index: Int, in view: CaseView) -> Bool {
    view.isUndetectable(place.path, on: place.volume, run: index)
      || view.isSubstituted(place.path)
      || view.hasAct([.swapped, .misdirected, .changed], place.volume, place.path)
      || view.hasAct([.changed, .swapped], CaseView.source, place.path)
  }

  private func fault(
    of entry: TreeEntry?, at place: CaseView.Place, run index: Int, in view: CaseView
  ) -> String? {
    guard let entry else { return "is not there" }
    if entry.kind != .file { return "is a \(entry.kind.rawValue)" }
    return entry.digest == view.truth(of: place.path, run: index) ? nil : "has other bytes"
  }

  // MARK: The further run

  /// Every file is safe or named; a run that refuses or gives up has no verdict.
  private func untrue(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    guard run.asked == .recovery, !run.wasKilledByRig else { return [] }
    guard run.exitCode != nil, run.report.isPresent else {
      return [finding("run \(index + 1), after the crash or kill, \(run.text)")]
    }
    if run.report.verdict == "refused" || run.report.verdict == "interrupted" {
      let reason = run.report.problems.joined(separator: "; ")
      return [
        finding("run \(index + 1), after the crash or kill, was \(run.report.verdict): \(reason)")
      ]
    }
    let rows = view.rows(run: index)
    return run.destinations.flatMap { volume in
      view.sourceFiles(run: index).keys.sorted().compactMap { path -> Finding? in
        let place = CaseView.Place(volume: volume, path: path)
        guard let row = rows[place] else {
          return finding(place, "is not named by the run after the crash or kill")
        }
        guard row.outcome == .verified, !isExcused(place, run: index, in: view),
          let fault = fault(of: run.durable[volume]?[path], at: place, run: index, in: view)
        else { return nil }
        return finding(
          place, "is called verified after the crash or kill, but on the medium \(fault)")
      }
    }
  }

  // MARK: Finished work

  /// A file that was called verified and is whole is not written again.
  private func repeated(run index: Int, after struck: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[struck]
    let written = view.artefacts.runs[index].written
    // A power cut between the runs may have taken it.
    let before = view.artefacts.state(beforeRun: index)
    return done(run: struck, in: view).compactMap { place in
      guard view.rows(run: struck)[place]?.outcome == .verified,
        written[place.volume]?.contains(place.path) == true,
        fault(of: run.volatile[place.volume]?[place.path], at: place, run: struck, in: view) == nil,
        fault(of: before[place.volume]?[place.path], at: place, run: struck, in: view) == nil
      else { return nil }
      return finding(place, "was verified and whole, and run \(index + 1) wrote it again")
    }
  }

  private func finding(_ place: CaseView.Place, _ text: String) -> Finding {
    Finding(oracle: name, summary: "\(place.text) \(text)", files: [place.text])
  }

  private func finding(_ summary: String) -> Finding {
    Finding(oracle: name, summary: summary)
  }
}
