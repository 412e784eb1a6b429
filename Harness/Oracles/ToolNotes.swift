import FaultModel
import HarnessKit
import SystemIO

/// What a person should know of a tool's run although its exit code claims nothing of it.
enum ToolNotes {
  static func of(_ artefacts: CaseArtefacts) -> [String] {
    artefacts.runs.indices.flatMap { index in
      (artefacts.runs[index].claimedByExit ?? []).flatMap { of(artefacts, run: index, on: $0) }
    }
  }

  /// Notes of one kind are one line each, with the first name.
  private static func of(_ artefacts: CaseArtefacts, run index: Int, on volume: String) -> [String]
  {
    let run = artefacts.runs[index]
    guard let source = artefacts.state(beforeRun: index)[CaseView.source],
      let tree = run.volatile[volume]
    else { return [] }
    let others = source.paths.filter { source[$0]?.kind != .file && !$0.bytes.isEmpty }
    let missing = others.filter { tree[$0]?.kind != source[$0]?.kind }
    let unsynced =
      run.promisesMedium
      ? []
      : source.files.map(\.path).filter { path in
        guard let seen = tree[path] else { return false }
        return run.durable[volume]?[path]?.digest != seen.digest
      }
    return [
      line("not copied, and no regular file", missing, source),
      line("not on the medium when it ended with exit 0", unsynced, nil),
    ]
    .compactMap { $0.map { "run \(index + 1), \(volume): \($0)" } }
  }

  private static func line(
    _ what: String, _ paths: [BytePath], _ kinds: TreeSnapshot?
  ) -> String? {
    guard let first = paths.sorted().first else { return nil }
    let kind = kinds?[first].map { " (\($0.kind.rawValue))" } ?? ""
    let rest = paths.count > 1 ? " and \(paths.count - 1) more" : ""
    return "\(what): \(first.escaped)\(kind)\(rest)"
  }
}
