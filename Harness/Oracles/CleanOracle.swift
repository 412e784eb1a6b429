import FaultModel
public import HarnessKit
import SystemIO

/// No stray temporary file, descriptor, thread, child or lock is left that the last report does
/// not name, and nothing else appears that nobody asked for.
public struct CleanOracle: Oracle {
  public let name = "clean"
  public let summary = "nothing is left behind that the last report does not name"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    let leaks = artefacts.runs.enumerated().flatMap { index, run in
      run.leaks.map { Finding(oracle: name, summary: "run \(index + 1) left \($0)") }
    }
    let scratch = artefacts.surroundings.scratchLitter.map {
      Finding(oracle: name, summary: "left in its scratch folders: \($0)")
    }
    // What a killed run leaves is for the next one (decision 2); there is none after the last.
    guard let last = artefacts.runs.indices.last, !artefacts.runs[last].wasKilledByRig,
      artefacts.runs[last].ending != .deadline
    else { return leaks + scratch }
    return leaks + scratch
      + artefacts.runs[last].destinations.flatMap { strays(on: $0, last: last, in: view) }
  }

  private func strays(on volume: String, last: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[last]
    guard let tree = run.volatile[volume], !isOutOfReach(volume, last: last, in: view) else {
      return []
    }
    let known = knownPaths(on: volume, in: view)
    let isFirst = run.destinations.first == volume
    return tree.paths.compactMap { path -> Finding? in
      if path.bytes.isEmpty || known.contains(path) { return nil }
      if isFirst && OwnNames.isReport(path) { return nil }
      if view.hasAct([.sidecar, .swapped, .misdirected, .changed], volume, path) { return nil }
      if isNamed(path, on: volume, by: run.report) { return nil }
      let place = CaseView.Place(volume: volume, path: path)
      return Finding(
        oracle: name, summary: "\(place.text) is \(kind(of: path)) that the report does not name",
        files: [place.text])
    }
  }

  /// What may stand there: what stood there before any run, and what the source held at any time.
  private func knownPaths(on volume: String, in view: CaseView) -> Set<BytePath> {
    let artefacts = view.artefacts
    var known: Set<BytePath> = []
    for index in artefacts.runs.indices {
      let before = artefacts.state(beforeRun: index)
      // Between two runs only a record of its own shows what the script put there.
      if index == 0 || artefacts.runs[index].before != nil {
        let mine = index == 0 ? [] : ownNames(artefacts.runs[index - 1].volatile[volume])
        known.formUnion(before[volume]?.entries.keys.filter { !mine.contains($0) } ?? [])
      }
      for tree in [before[CaseView.source], artefacts.runs[index].volatile[CaseView.source]] {
        known.formUnion(tree?.entries.keys.map { $0 } ?? [])
      }
    }
    return known
  }

  /// What an earlier run left under a name of the product is still litter in the next.
  private func ownNames(_ tree: TreeSnapshot?) -> Set<BytePath> {
    Set(tree?.entries.keys.filter { Self.isOwn($0) } ?? [])
  }

  private static func isOwn(_ path: BytePath) -> Bool {
    OwnNames.isTemporary(path) || OwnNames.isMarker(path) || OwnNames.isFailedCopy(path)
  }

  /// A volume that was pulled or cut, with every file failed: its litter cannot be reached.
  private func isOutOfReach(_ volume: String, last: Int, in view: CaseView) -> Bool {
    guard view.hasVolumeAct([.ejected, .crashed, .remounted], volume) else { return false }
    return view.rows(run: last).filter { $0.key.volume == volume }
      .allSatisfy { $0.value.outcome == .failed }
  }

  private func isNamed(_ path: BytePath, on volume: String, by report: SubjectReport) -> Bool {
    if report.leftBehind.contains(where: { $0.volume == volume && $0.path == path }) { return true }
    return OwnNames.isFailedCopy(path)
      && report.rows.contains { row in
        row.destination == volume && row.outcome == .failed
          && row.cause.contains(path.lastComponent.escaped)
      }
  }

  private func kind(of path: BytePath) -> String {
    if OwnNames.isTemporary(path) { return "a temporary file" }
    if OwnNames.isMarker(path) { return "a status marker" }
    if OwnNames.isFailedCopy(path) { return "a failed copy" }
    return "something"
  }
}
