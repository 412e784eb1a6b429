import FaultModel
import HarnessKit
import SystemIO

/// A tool says one thing, exit 0: every regular file of the source stands on the destination.
///
/// It is judged as everybody sees the volume when it ends; on the medium where its command promises
/// that, and whenever the script then cuts the power or pulls the volume.
extension TruthOracle {
  func claimsByExit(run index: Int, in view: CaseView) -> [Finding] {
    let run = view.artefacts.runs[index]
    return (run.claimedByExit ?? []).flatMap { volume in
      let files = view.artefacts.state(beforeRun: index)[CaseView.source]?.files.map(\.path) ?? []
      return files.sorted().compactMap { path -> Finding? in
        guard let text = lie(at: path, on: volume, run: index, in: view) else { return nil }
        let place = CaseView.Place(volume: volume, path: path)
        return Finding(
          oracle: name, summary: "exit 0 claims \(place.text), but \(text)", files: [place.text])
      }
    }
  }

  private func lie(
    at path: BytePath, on volume: String, run index: Int, in view: CaseView
  ) -> String? {
    let artefacts = view.artefacts
    guard let tree = artefacts.runs[index].volatile[volume],
      !view.isUndetectable(path, on: volume, run: index),
      !view.hasAct([.swapped], volume, path)
    else { return nil }
    let size = artefacts.state(beforeRun: index)[CaseView.source]?[path]?.byteCount ?? 0
    let right = view.claimedStates(of: path, run: index)
    func isRight(_ entry: TreeEntry?) -> Bool {
      guard let entry, entry.kind == .file else { return false }
      return right.contains(entry.digest) || view.isSubstituted(path) && entry.byteCount == size
    }
    guard isRight(tree[path]) else { return Self.fault(of: tree[path], size: size) }
    if artefacts.runs[index].promisesMedium, let medium = artefacts.runs[index].durable[volume],
      !isRight(medium[path])
    {
      return "it is not durable: exit 0 came before it was synced (on the medium "
        + "\(Self.fault(of: medium[path], size: size)))"
    }
    guard view.hasVolumeAct([.crashed, .ejected], volume), index + 1 < artefacts.runs.count,
      let later = artefacts.state(beforeRun: index + 1)[volume], !view.wasExchanged(volume),
      !view.hasAct([.changed, .misdirected], volume, path), !isRight(later[path])
    else { return nil }
    return "after the power cut it is not: \(Self.fault(of: later[path], size: size))"
  }

  private static func fault(of entry: TreeEntry?, size: UInt64) -> String {
    guard let entry else { return "it is not there" }
    if entry.kind != .file { return "it is a \(entry.kind.rawValue)" }
    return entry.byteCount == size
      ? "it has other bytes" : "it has \(entry.byteCount) of \(size) bytes"
  }
}
