import FaultModel
public import HarnessKit
import SystemIO

/// Paths, bytes, sizes, modification times and modes of the source are as before every run.
public struct SourceUntouchedOracle: Oracle {
  public let name = "source untouched"
  public let summary = "paths, bytes, sizes, times and modes of the source are as before"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { index -> [Finding] in
      guard let old = artefacts.state(beforeRun: index)[CaseView.source],
        let new = artefacts.runs[index].volatile[CaseView.source]
      else { return [] }
      return Set(old.entries.keys).union(new.entries.keys).sorted().compactMap { path in
        difference(old[path], new[path], at: path, in: view)
      }
    }
  }

  private func difference(
    _ old: TreeEntry?, _ new: TreeEntry?, at path: BytePath, in view: CaseView
  ) -> Finding? {
    let acts: Set<RigAct.Kind> = [.changed, .swapped, .sidecar]
    if view.hasAct(acts, CaseView.source, path) { return nil }
    guard let text = change(old, new, at: path, in: view) else { return nil }
    let place = CaseView.Place(volume: CaseView.source, path: path)
    return Finding(oracle: name, summary: "\(place.text) \(text)", files: [place.text])
  }

  private func change(
    _ old: TreeEntry?, _ new: TreeEntry?, at path: BytePath, in view: CaseView
  ) -> String? {
    guard let old else { return "appeared" }
    guard let new else { return "vanished" }
    if old.kind != new.kind { return "became a \(new.kind.rawValue)" }
    if old.byteCount != new.byteCount && old.kind == .file {
      return "had \(old.byteCount) bytes and has \(new.byteCount)"
    }
    if old.digest != new.digest { return "has other bytes" }
    if old.linkText != new.linkText { return "points elsewhere" }
    if old.mode != new.mode {
      return "had mode \(String(old.mode, radix: 8)) and has \(String(new.mode, radix: 8))"
    }
    // A folder's time follows what the rig did to the names in it.
    let isRigs =
      old.kind == .directory
      && view.hasActInside([.changed, .swapped, .sidecar], CaseView.source, path)
    return old.modification != new.modification && !isRigs ? "has another time" : nil
  }
}
