import FaultModel
public import HarnessKit
import SystemIO

/// Every file that the subject claims is safe is byte-identical to the source on the durable
/// layer, and no claim says more than its level can know.
public struct TruthOracle: Oracle {
  public let name = "truth"
  public let summary =
    "every file claimed as verified is identical to the source on the durable layer"

  public init() {}

  public func check(_ artefacts: CaseArtefacts) -> [Finding] {
    let view = CaseView(artefacts)
    return artefacts.runs.indices.flatMap { index in
      if artefacts.runs[index].claimedByExit != nil { return claimsByExit(run: index, in: view) }
      return view.rows(run: index).filter { $0.value.outcome == .verified }
        .sorted { ($0.key.volume, $0.key.path) < ($1.key.volume, $1.key.path) }
        .compactMap { place, row in judge(place, row, run: index, in: view) }
        + folders(run: index, in: view)
    }
  }

  /// A card that is claimed as a whole has its folders too, empty ones among them (offload 52).
  private func folders(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    guard run.report.isPresent, run.report.verdict == "verified" else { return [] }
    return run.destinations.flatMap { volume -> [Finding] in
      guard let tree = run.durable[volume] else { return [] }
      return view.sourceFolders(run: index).sorted().compactMap { path in
        if tree[path]?.kind == .directory
          || view.isUndetectable(path, on: volume, run: index)
          || view.hasAct([.changed, .swapped], CaseView.source, path)
        {
          return nil
        }
        return finding(
          CaseView.Place(volume: volume, path: path),
          "is a folder of a card that is claimed as verified, but it is not on the medium")
      }
    }
  }

  private func judge(
    _ place: CaseView.Place, _ row: SubjectReport.Row, run index: Int, in view: CaseView
  ) -> Finding? {
    if let excess = excess(row, in: view) { return finding(place, excess) }
    if view.isUndetectable(place.path, on: place.volume, run: index) { return nil }
    guard let truth = view.truth(of: place.path, run: index) else {
      return finding(place, "is claimed as verified, but the source holds no such file")
    }
    guard let tree = view.artefacts.runs[index].durable[place.volume] else { return nil }
    let excused = view.hasAct([.swapped], place.volume, place.path)
    if !excused, let lie = lie(tree[place.path], truth, place.path, run: index, in: view) {
      return finding(place, "is claimed as verified (\(row.level)), but on the medium it \(lie)")
    }
    return excused ? nil : broken(place, truth, since: index, in: view)
  }

  /// What the claim says beyond what its level, mode and facts let anyone know.
  private func excess(_ row: SubjectReport.Row, in view: CaseView) -> String? {
    if view.artefacts.mode == .quick { return "is claimed as verified in quick mode" }
    if !CaseView.isProof(row.level) {
      return "is claimed as verified, but was read back at level '\(row.level)'"
    }
    if view.bestOutcome(on: row.destination) != .verified {
      return "is claimed as verified (\(row.level)), but the volume's facts allow no such proof"
    }
    return nil
  }

  private func lie(
    _ entry: TreeEntry?, _ truth: String, _ path: BytePath, run index: Int, in view: CaseView
  ) -> String? {
    guard let entry else { return "is not there" }
    if entry.kind != .file { return "is a \(entry.kind.rawValue)" }
    if view.isSubstituted(path) {
      let size = view.artefacts.before[CaseView.source]?[path]?.byteCount
      return entry.byteCount == size ? nil : "has \(entry.byteCount) bytes"
    }
    return entry.digest == truth ? nil : "has other bytes (\(entry.byteCount) of them)"
  }

  /// A claim holds for ever: a later run's end must still have the bytes on the medium. A change
  /// that the subject sees too is for *nothing harmed*.
  private func broken(
    _ place: CaseView.Place, _ truth: String, since index: Int, in view: CaseView
  ) -> Finding? {
    let excuses: Set<RigAct.Kind> = [.swapped, .misdirected, .changed]
    if view.hasAct(excuses, place.volume, place.path) || view.isSubstituted(place.path)
      || view.wasExchanged(place.volume)
    {
      return nil
    }
    for later in view.artefacts.runs.indices where later > index {
      let run = view.artefacts.runs[later]
      guard run.volatile[place.volume]?[place.path]?.digest == truth,
        let tree = run.durable[place.volume], tree[place.path]?.digest != truth
      else { continue }
      return finding(
        place,
        "was verified by run \(index + 1), but run \(later + 1) left other bytes of it "
          + "on the medium")
    }
    return nil
  }

  private func finding(_ place: CaseView.Place, _ text: String) -> Finding {
    Finding(oracle: name, summary: "\(place.text) \(text)", files: [place.text])
  }
}
