import FaultModel
public import HarnessKit
import SystemIO

/// Never a partial or wrong file under a final name, on either layer; where links do not work, a
/// durable status marker of the product may say "not finished".
public struct NoImpostorOracle: Oracle {
  public let name = "no impostor"
  public let summary = "no partial or wrong file stands under a final name without a marker"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { index in
      artefacts.runs[index].destinations.flatMap { volume in
        impostors(on: volume, run: index, in: view) + emptyClaims(on: volume, run: index, in: view)
      }
    }
  }

  private func impostors(on volume: String, run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    let old = view.artefacts.state(beforeRun: index)[volume]
    // A marker that a power cut would take away covers nothing.
    let covered = run.durable[volume].map(StatusMarker.covered) ?? [:]
    let excusesMarked = !view.hasLinks(volume)
    var found: [BytePath: String] = [:]
    // A tool that never syncs is judged by what everybody sees.
    let onMedium = run.claimedByExit == nil ? run.durable[volume] : nil
    for (layer, tree) in [("on the medium", onMedium), ("", run.volatile[volume])] {
      guard let tree else { continue }
      for path in finalNames(run: index, in: view) {
        guard let entry = tree[path], !isOld(entry, old?[path]),
          !view.hasAct([.swapped, .misdirected, .sidecar, .changed], volume, path),
          !view.isUndetectable(path, on: volume, run: index),
          let fault = fault(of: entry, at: path, run: index, in: view)
        else { continue }
        if excusesMarked && covered[path] != nil { continue }
        found[path] = layer.isEmpty ? fault : "\(fault) \(layer)"
      }
    }
    return found.sorted { $0.key < $1.key }.map { path, fault in
      let place = CaseView.Place(volume: volume, path: path)
      return Finding(
        oracle: name, summary: "\(place.text) stands under its final name but \(fault)",
        files: [place.text])
    }
  }

  /// The names that copies may take: of all files that the source held at any time of the run.
  private func finalNames(run index: Int, in view: CaseView) -> Set<BytePath> {
    var names = Set(view.sourceFiles(run: index).keys)
    if let after = view.artefacts.runs[index].volatile[CaseView.source] {
      names.formUnion(after.files.map(\.path))
    }
    return names
  }

  /// What was there before the run is no copy of this run.
  private func isOld(_ entry: TreeEntry, _ old: TreeEntry?) -> Bool {
    guard let old else { return false }
    return entry.kind == old.kind && entry.digest == old.digest
      && entry.byteCount == old.byteCount && entry.linkText == old.linkText
  }

  private func fault(
    of entry: TreeEntry, at path: BytePath, run index: Int, in view: CaseView
  ) -> String? {
    if entry.kind != .file { return "is a \(entry.kind.rawValue)" }
    if view.wholeStates(of: path, run: index).contains(entry.digest) { return nil }
    let size = view.artefacts.state(beforeRun: index)[CaseView.source]?[path]?.byteCount
    if view.isSubstituted(path) && entry.byteCount == size { return nil }
    if let size, entry.byteCount < size { return "has \(entry.byteCount) of \(size) bytes" }
    return "has other bytes"
  }

  /// A copy that is claimed without proof of the medium must at least be there.
  private func emptyClaims(on volume: String, run index: Int, in view: CaseView) -> [Finding] {
    guard let tree = view.artefacts.runs[index].volatile[volume] else { return [] }
    return view.rows(run: index)
      .filter { place, row in
        place.volume == volume && row.outcome == .copiedUnverified && tree[place.path] == nil
      }
      .map(\.key).sorted { $0.path < $1.path }
      .map { place in
        Finding(
          oracle: name, summary: "\(place.text) is claimed as copied, but is not there",
          files: [place.text])
      }
  }
}
