import FaultModel
public import HarnessKit
import SystemIO

/// Whatever stood on a destination before a run still does, byte for byte, and the folders that an
/// ejection lays bare are as they were.
public struct NothingHarmedOracle: Oracle {
  public let name = "nothing harmed"
  public let summary = "whatever was on a destination before still is, byte for byte"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    let harmed = artefacts.runs.indices.flatMap { index in
      artefacts.runs[index].destinations.flatMap { harm(on: $0, run: index, in: view) }
    }
    let bare = artefacts.surroundings.parentChanges.map {
      Finding(oracle: name, summary: "outside the volumes: \($0)")
    }
    return harmed + bare
  }

  private func harm(on volume: String, run index: Int, in view: CaseView) -> [Finding] {
    guard let old = view.artefacts.state(beforeRun: index)[volume],
      let new = view.artefacts.runs[index].volatile[volume]
    else { return [] }
    let covered = StatusMarker.covered(in: old)
    return old.paths.compactMap { path -> Finding? in
      guard !path.bytes.isEmpty, let before = old[path] else { return nil }
      if isOwn(path, before, on: volume, run: index, in: view) { return nil }
      if isLitter(path, covered) || isRigs(path, before, on: volume, run: index, in: view) {
        return nil
      }
      guard let text = harm(before, new[path]) else { return nil }
      let place = CaseView.Place(volume: volume, path: path)
      return Finding(
        oracle: name, summary: "\(place.text) stood there before run \(index + 1) and \(text)",
        files: [place.text])
    }
  }

  private func harm(_ old: TreeEntry, _ new: TreeEntry?) -> String? {
    guard let new else { return "is gone" }
    if old.kind != new.kind { return "is a \(new.kind.rawValue) now" }
    if old.kind == .file && (old.byteCount != new.byteCount || old.digest != new.digest) {
      return "has other bytes now"
    }
    return old.linkText == new.linkText ? nil : "points elsewhere now"
  }

  /// What an earlier run of a tool left under a name is its own to replace: it has no marker that
  /// would say so. What stood there before its first run never is.
  private func isOwn(
    _ path: BytePath, _ entry: TreeEntry, on volume: String, run index: Int, in view: CaseView
  ) -> Bool {
    let artefacts = view.artefacts
    guard index > 0, artefacts.runs[index].claimedByExit != nil,
      artefacts.before[volume]?[path]?.digest != entry.digest
    else { return false }
    return artefacts.runs[..<index].contains {
      $0.volatile[volume]?[path]?.digest == entry.digest
    }
  }

  /// Litter of our own may be removed or reused (scripts.md decision 2, offload decision 21).
  private func isLitter(_ path: BytePath, _ covered: [BytePath: BytePath]) -> Bool {
    OwnNames.isTemporary(path) || OwnNames.isMarker(path) || covered[path] != nil
  }

  /// What the rig did is no evidence; and a volume that it pulled or cut lost what was not durable.
  private func isRigs(
    _ path: BytePath, _ entry: TreeEntry, on volume: String, run index: Int, in view: CaseView
  ) -> Bool {
    let acts: Set<RigAct.Kind> = [.swapped, .misdirected, .changed, .sidecar]
    if view.hasAct(acts, volume, path) || view.wasExchanged(volume) { return true }
    guard view.hasVolumeAct([.ejected, .crashed, .remounted], volume), index > 0,
      let durable = view.artefacts.runs[index - 1].durable[volume]
    else { return false }
    return durable[path]?.digest != entry.digest || durable[path]?.kind != entry.kind
  }
}
