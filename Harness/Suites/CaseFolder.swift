import FaultModel
import HarnessKit
import Synchronization
import SystemIO

/// Writes `cases/<id>/` for each case that did not pass, up to a limit.
final class CaseFolders: Sendable {
  /// The most folders of one run; further cases are counted in the report only.
  static let limit = 1000

  private let directory: Run.Directory
  private let used = Mutex(0)

  init(in directory: Run.Directory) {
    self.directory = directory
  }

  /// What one case leaves for a person.
  struct Contents {
    var replay: [UInt8]
    var trace: [UInt8]
    var log: String
    var before: [String: TreeSnapshot]
    var after: [(title: String, tree: TreeSnapshot)]
  }

  /// Writes the folder; its name below the run's folder, or nil past the limit.
  func write(_ contents: Contents, id: String) throws(RunError) -> String? {
    let isWithin = used.withLock { used in
      used += 1
      return used <= Self.limit
    }
    if !isWithin { return nil }
    let name = BytePath("cases/\(id)")
    try directory.makeFolder(name)
    try directory.write(contents.replay, to: name.appending("replay.json"))
    try directory.write(contents.trace, to: name.appending("trace.jsonl"))
    try directory.write(Array(contents.log.utf8), to: name.appending("subject.log"))
    let before = contents.before.sorted { $0.key < $1.key }
      .map { Self.listing($0.key, $0.value) }
    try directory.write(
      Array(before.joined(separator: "\n").utf8), to: name.appending("before.txt"))
    let after = contents.after.map { Self.listing($0.title, $0.tree) }
    try directory.write(Array(after.joined(separator: "\n").utf8), to: name.appending("after.txt"))
    return "cases/\(id)"
  }

  /// A tree as text: kind, mode, size, digest, time and path of each entry, in byte order.
  static func listing(_ title: String, _ tree: TreeSnapshot) -> String {
    var text = "== \(title)\n"
    for path in tree.paths {
      guard let entry = tree[path] else { continue }
      let mode = String(entry.mode, radix: 8)
      let link = entry.linkText.map { " -> \($0.escaped)" } ?? ""
      let digest = entry.digest.isEmpty ? "-" : entry.digest
      text += "\(entry.kind.rawValue) \(mode) \(entry.byteCount) \(digest) "
      text += "\(entry.modification) #\(entry.inode) /\(path.escaped)\(link)\n"
    }
    return text
  }
}
