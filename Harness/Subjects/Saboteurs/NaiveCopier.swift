import Glibc
import SystemIO
import Wire

/// A small engine that copies one file at a time and verifies it, right in all it does but for the
/// one defect it is given. It shares no code with the engine under test.
struct NaiveCopier {
  let order: CopyOrder
  let defect: Saboteur.Defect?
  let kept = KeptFiles()
  private let stop: StopWord
  private let emit: (JSON) -> Bool

  struct SourceFile {
    let path: BytePath
    let metadata: Metadata
  }

  struct Row {
    let path: BytePath
    let destination: Int
    var outcome = "failed"
    var level = "not read"
    var cause = ""
  }

  /// What a run has to tell.
  struct Results {
    var rows: [Row] = []
    var problems: [String] = []
    var leftBehind: [BytePath] = []
  }

  /// - `emit`: writes an event; false when nobody took it.
  init(
    _ order: CopyOrder, defect: Saboteur.Defect?, stop: StopWord,
    emit: @escaping (JSON) -> Bool
  ) {
    self.order = order
    self.defect = defect
    self.stop = stop
    self.emit = emit
  }

  /// Somebody asked it to end.
  var isInterrupted: Bool { stop.wasSaid }

  /// Runs the copy and returns the exit code (design section 5).
  func run() -> Int32 {
    do throws(CopyFailure) {
      let manifest = try SourceWalk(order.source, defect).manifest()
      if defect != .skipsPreflight { try preflight(manifest.files) }
      if defect == .reservesMemory { try reserveMemory() }
      var results = Results()
      for index in order.destinations.indices {
        copy(manifest, to: index, &results)
      }
      checkSource(manifest.files, &results)
      leakIfAsked()
      return finish(results)
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

  private func copy(
    _ manifest: SourceWalk.Manifest, to index: Int, _ results: inout Results
  ) {
    let root = order.destinations[index]
    let first = results.rows.count
    do throws(SystemError) {
      var target = try PinnedDirectory.open(root)
      sweep(target, manifest)
      for file in manifest.files where !isInterrupted {
        if defect == .hangs && results.rows.count > first { while true { pause() } }
        if defect == .resolvesPathsAgain { target = try PinnedDirectory.open(root) }
        var row = copy(file, to: index, target, &results)
        if row.outcome == "failed", defect == .takesAnyMedium,
          let other = medium(after: target, for: file)
        {
          target = other
          row = copy(file, to: index, target, &results)
        }
        results.rows.append(row)
      }
      if isInterrupted { return }
      makeFolders(manifest.folders, in: target)
      if defect == .trustsInodeNumbers {
        try InodeCatalogue(root).write(manifest.files.map(\.path))
      }
      // A medium that went meanwhile took what it had with it.
      if defect != .resolvesPathsAgain, defect != .claimsEverything { _ = try target.metadata() }
    } catch {
      let done = Set(results.rows[first...].map(\.path))
      for file in manifest.files where !done.contains(file.path) {
        results.rows.append(Row(path: file.path, destination: index))
      }
      for place in results.rows.indices[first...] {
        results.rows[place].outcome = "failed"
        results.rows[place].cause = "the destination: \(error)"
      }
    }
  }

  private func copy(
    _ file: SourceFile, to index: Int, _ target: borrowing PinnedDirectory,
    _ results: inout Results
  ) -> Row {
    var row = Row(path: file.path, destination: index)
    let root = order.destinations[index]
    do throws(FileCopy.Trouble) {
      if defect == .failsEverything {
        throw FileCopy.Trouble(
          error: SystemError(call: "copy", errno: .inputOutput, detail: "it fails everything"))
      }
      if defect == .announcesEarly {
        _ = announce(
          Row(path: file.path, destination: index, outcome: "verified", level: "evicted"))
      }
      row.level = try FileCopy(file, self, root: root).run(target)
      row.outcome = isProof(row.level) ? "verified" : "copiedUnverified"
    } catch {
      row.cause = "\(error.error)"
      if let path = error.leftBehind { results.leftBehind.append(root.appending(path)) }
      if defect == .claimsEverything {
        row.outcome = "verified"
        row.level = "evicted"
      }
    }
    return row
  }

  /// How long it waits for a medium that went.
  private static let mediumTime = Duration.seconds(2)

  /// Whatever stands at the destination's path now, once the medium that was there has gone; nil
  /// when it has not, or nothing comes.
  private func medium(
    after gone: borrowing PinnedDirectory, for file: SourceFile
  ) -> PinnedDirectory? {
    if (try? gone.metadata()) != nil { return nil }
    let clock = SystemClock()
    let end = clock.monotonic() + Self.mediumTime
    while clock.monotonic() < end {
      let bare = try? FileSystem.metadata(gone.path.parent ?? "/", followingLinks: false)
      if let other = try? PinnedDirectory.open(gone.path), let found = try? other.metadata(),
        found.device != bare?.device
      {
        return other
      }
      // The card may have gone too.
      let card = order.source.appending(file.path)
      if (try? FileSystem.metadata(card, followingLinks: false)) == nil { return nil }
      _ = try? Poller.wait([], timeout: .milliseconds(10))
    }
    return nil
  }

  /// Removes what a dead run left under temporary names. Naive: it may be another's that lives.
  private func sweep(_ root: borrowing PinnedDirectory, _ manifest: SourceWalk.Manifest) {
    for path in [""] + manifest.folders {
      guard let folder = try? root.descend(path), let entries = try? folder.list() else { continue }
      for entry in entries where entry.name.bytes.starts(with: FileCopy.temporaryPrefix) {
        // What cannot go now fails the case by itself.
        try? folder.unlink(entry.name)
      }
    }
  }

  /// Folders without a file in them; a failure shows in the files of others only.
  private func makeFolders(_ folders: [BytePath], in root: borrowing PinnedDirectory) {
    if defect == .failsEverything { return }
    for path in folders {
      _ = try? FileCopy.folder(path, in: root)
      if defect == .skipsDirectoryFsync { continue }
      try? FileCopy.folder(path.parent ?? "", in: root).fsync()
    }
  }

  private func isProof(_ level: String) -> Bool { level == "evicted" || level == "direct" }

  /// A source file that is another than at the beginning fails on every destination, and so does
  /// one that the first listing did not show.
  private func checkSource(_ files: [SourceFile], _ results: inout Results) {
    if defect == .claimsEverything || isInterrupted { return }
    for file in files {
      let now = try? FileSystem.metadata(order.source.appending(file.path), followingLinks: false)
      if now?.isSameFile(as: file.metadata) == true || defect == .touchesSource { continue }
      for index in results.rows.indices where results.rows[index].path == file.path {
        results.rows[index].outcome = "failed"
        results.rows[index].cause = "the source file changed"
      }
    }
    if defect == .listsOnce { return }
    do throws(CopyFailure) {
      let known = Set(files.map(\.path))
      for file in try SourceWalk(order.source, defect).manifest().files
      where !known.contains(file.path) {
        results.rows += order.destinations.indices.map { index in
          Row(path: file.path, destination: index, cause: "it appeared after the first listing")
        }
      }
    } catch {
      results.problems.append(error.text)
    }
  }

  /// Reserves memory for whatever the card could hold, and gives it back.
  private func reserveMemory() throws(CopyFailure) {
    do throws(SystemError) {
      let size = Int(try PinnedDirectory.open(order.source).statistics().totalBytes)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
      let room = mmap(nil, size, PROT_READ, flags, -1, 0)
      if room == MAP_FAILED { throw SystemError(call: "mmap", errno: .current) }
      munmap(room, size)
    } catch {
      throw .refused("\(error)")
    }
  }

  private func leakIfAsked() {
    guard defect == .leaksDescriptor else { return }
    _ = try? FileDescriptor.open("/dev/null", .readOnly).release()
  }

  // MARK: After

  private func finish(_ results: Results) -> Int32 {
    var results = results
    if defect == .silentAboutFailure { results.rows.removeAll { $0.outcome == "failed" } }
    var isHeard = true
    for row in results.rows {
      let wasHeard = announce(row)
      isHeard = isHeard && wasHeard
    }
    let outcomes = Set(results.rows.map(\.outcome))
    if isInterrupted, defect != .callsInterruptionTheEnd {
      return finish("interrupted", 143, results, isHeard)
    }
    if outcomes.contains("failed") || !results.problems.isEmpty {
      return finish("failed", 1, results, isHeard)
    }
    if outcomes.contains("copiedUnverified") {
      return finish("copiedNotVerified", 5, results, isHeard)
    }
    return finish("verified", 0, results, isHeard)
  }

  private func announce(_ row: Row) -> Bool {
    let target = order.destinations[row.destination].appending(row.path)
    return emit([
      "event": "row", "path": .string(row.path.bytes), "destination": JSON(row.destination),
      "target": .string(target.bytes), "outcome": .text(row.outcome), "level": .text(row.level),
      "cause": .text(row.cause),
    ])
  }

  private func finish(refusal: CopyFailure) -> Int32 {
    finish("refused", 3, Results(problems: [refusal.text]), true)
  }

  private func finish(
    _ verdict: String, _ code: Int32, _ results: Results, _ isHeard: Bool
  ) -> Int32 {
    let wasHeard = emit([
      "event": "finished", "verdict": .text(verdict), "exit": JSON(code),
      "problems": .array(results.problems.map { .text($0) }),
      "leftBehind": .array(results.leftBehind.map { .string($0.bytes) }), "report": nil,
    ])
    // Success that nobody heard is none.
    let isSuccess = code == 0 || code == 5
    return isSuccess && !(isHeard && wasHeard) && defect != .ignoresOutputErrors ? 6 : code
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
