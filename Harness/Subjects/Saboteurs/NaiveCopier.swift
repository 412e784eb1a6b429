import Glibc
import SystemIO
import Wire

/// A small engine that copies one file at a time and verifies it, right in all it does but for the
/// one defect it is given. It shares no code with the engine under test.
struct NaiveCopier {
  let order: CopyOrder
  let defect: Saboteur.Defect?
  private let emit: (JSON) -> Void

  struct SourceFile {
    let path: BytePath
    let metadata: Metadata
  }

  struct Row {
    let path: BytePath
    let destination: Int
    var outcome: String
    var level: String
    var cause: String
  }

  init(_ order: CopyOrder, defect: Saboteur.Defect?, emit: @escaping (JSON) -> Void) {
    self.order = order
    self.defect = defect
    self.emit = emit
  }

  /// Runs the copy and returns the exit code (design section 5).
  func run() -> Int32 {
    do throws(CopyFailure) {
      let manifest = try SourceWalk(order.source).manifest()
      if defect != .skipsPreflight { try preflight(manifest.files) }
      var rows: [Row] = []
      for index in order.destinations.indices {
        rows += copy(manifest, to: index)
      }
      checkSource(manifest.files, &rows)
      leakIfAsked()
      return finish(rows)
    } catch {
      return finish(refusal: error)
    }
  }

  // MARK: Before

  private func preflight(_ files: [SourceFile]) throws(CopyFailure) {
    if files.isEmpty { throw .refused("the source is empty") }
    let needed = files.reduce(order.headroom) { $0 + UInt64($1.metadata.byteCount) }
    for destination in order.destinations {
      let names = destination.components
      let source = order.source.components
      if names.starts(with: source) || source.starts(with: names) {
        throw .refused("\(destination.escaped) and the source lie inside one another")
      }
      if try freeBytes(destination) <= needed {
        throw .refused("\(destination.escaped) is too small")
      }
    }
  }

  private func freeBytes(_ folder: BytePath) throws(CopyFailure) -> UInt64 {
    do throws(SystemError) {
      return try PinnedDirectory.open(folder).statistics().availableBytes
    } catch {
      throw .refused("\(error)")
    }
  }

  // MARK: Copying

  private func copy(_ manifest: SourceWalk.Manifest, to index: Int) -> [Row] {
    let target = order.destinations[index]
    sweep(target, manifest)
    var rows: [Row] = []
    var isFirst = true
    for file in manifest.files {
      var row = Row(
        path: file.path, destination: index, outcome: "failed", level: "not read", cause: "")
      do throws(CopyFailure) {
        if defect == .failsEverything { throw .file("the saboteur fails everything") }
        if defect == .hangs && !isFirst { while true { pause() } }
        isFirst = false
        row.level = try FileCopy(file, self, root: target).run()
        row.outcome = isProof(row.level) ? "verified" : "copiedUnverified"
      } catch {
        row.cause = error.text
        if defect == .claimsEverything {
          row.outcome = "verified"
          row.level = "evicted"
        }
      }
      rows.append(row)
    }
    makeFolders(manifest.folders, in: target)
    return rows
  }

  /// Removes what a dead run left under temporary names. Naive: it may be another's that lives.
  private func sweep(_ target: BytePath, _ manifest: SourceWalk.Manifest) {
    guard let root = try? PinnedDirectory.open(target) else { return }
    for path in [""] + manifest.folders {
      guard let folder = try? root.descend(path), let entries = try? folder.list() else { continue }
      for entry in entries where entry.name.bytes.starts(with: FileCopy.temporaryPrefix) {
        // What cannot go now fails the case by itself.
        try? folder.unlink(entry.name)
      }
    }
  }

  /// Folders without a file in them; a failure shows in the files of others only.
  private func makeFolders(_ folders: [BytePath], in target: BytePath) {
    guard defect != .failsEverything, let root = try? PinnedDirectory.open(target) else { return }
    for path in folders {
      _ = try? FileCopy.folder(path, in: root)
      if defect == .skipsDirectoryFsync { continue }
      try? FileCopy.folder(path.parent ?? "", in: root).fsync()
    }
  }

  private func isProof(_ level: String) -> Bool { level == "evicted" || level == "direct" }

  /// A source file that is another than at the beginning fails on every destination.
  private func checkSource(_ files: [SourceFile], _ rows: inout [Row]) {
    if defect == .claimsEverything { return }
    for file in files {
      let now = try? FileSystem.metadata(order.source.appending(file.path), followingLinks: false)
      if now?.isSameFile(as: file.metadata) == true || defect == .touchesSource { continue }
      for index in rows.indices where rows[index].path == file.path {
        rows[index].outcome = "failed"
        rows[index].cause = "the source file changed"
      }
    }
  }

  private func leakIfAsked() {
    guard defect == .leaksDescriptor else { return }
    _ = try? FileDescriptor.open("/dev/null", .readOnly).release()
  }

  // MARK: After

  private func finish(_ rows: [Row]) -> Int32 {
    var rows = rows
    if defect == .silentAboutFailure { rows.removeAll { $0.outcome == "failed" } }
    for row in rows {
      let target = order.destinations[row.destination].appending(row.path)
      emit([
        "event": "row", "path": .string(row.path.bytes), "destination": JSON(row.destination),
        "target": .string(target.bytes), "outcome": .text(row.outcome), "level": .text(row.level),
        "cause": .text(row.cause),
      ])
    }
    let outcomes = Set(rows.map(\.outcome))
    if outcomes.contains("failed") { return finish("failed", 1) }
    if outcomes.contains("copiedUnverified") { return finish("copiedNotVerified", 5) }
    return finish("verified", 0)
  }

  private func finish(refusal: CopyFailure) -> Int32 {
    finish("refused", 3, problems: [refusal.text])
  }

  private func finish(_ verdict: String, _ code: Int32, problems: [String] = []) -> Int32 {
    emit([
      "event": "finished", "verdict": .text(verdict), "exit": JSON(code),
      "problems": .array(problems.map { .text($0) }), "leftBehind": [], "report": nil,
    ])
    return code
  }
}

extension CopyFailure {
  var text: String {
    switch self {
    case .usage(let text), .refused(let text), .file(let text): text
    }
  }
}

extension Metadata {
  /// True when kind, size and time are the same; inode numbers need not last.
  func isSameFile(as other: Metadata) -> Bool {
    kind == other.kind && byteCount == other.byteCount && modification == other.modification
  }
}
