import SystemIO

/// Saves reports in `Reports` below the first destination, durable and never over anything.
struct ReportStore {
  static let folder: BytePath = "Reports"
  /// Siblings that are tried when a name is taken.
  static let siblingBound = 1000

  let root: OpenedRoot
  let ids: IDSource

  /// Writes the JSON and the text beside it.
  ///
  /// - `leftBehind`: takes the path of a temporary file that could not be removed.
  /// - Returns: the path of the JSON.
  func save(
    _ report: Report, _ summary: ReportSummary, finishedAt: Timestamp,
    leftBehind: (BytePath) -> Void
  ) throws(SystemError) -> BytePath {
    let existed = try root.handle.directory.metadataIfPresent(of: Self.folder) != nil
    let folder = try root.handle.directory.makeDirectory(Self.folder)
    if !existed { try root.handle.directory.fsync() }
    let base = "Custody_Report_\(finishedAt.iso8601FileName)"
    let name = try publish(base, ".json", in: folder, leftBehind) { (file) throws(SystemError) in
      try report.forEachPiece { (piece) throws(SystemError) in try file.append(piece) }
    }
    let stem = String(name.escaped.dropLast(".json".count))
    _ = try publish(stem, ".txt", in: folder, leftBehind) { (file) throws(SystemError) in
      try file.append(Array(summary.text.utf8))
    }
    try folder.fsync()
    return root.path.appending(Self.folder).appending(name)
  }

  private func publish(
    _ base: String, _ suffix: String, in folder: borrowing PinnedDirectory,
    _ leftBehind: (BytePath) -> Void, _ fill: (BufferedFile) throws(SystemError) -> Void
  ) throws(SystemError) -> BytePath {
    let temporary = OwnName.temporary(ids.next())
    do throws(SystemError) {
      let made = try folder.openFile(
        temporary, .writeOnly, options: .exclusiveCreate, mode: 0o644)
      // Tells other runs that this one lives; a volume without locks only loses their sweep.
      _ = try? made.tryLock()
      let file = BufferedFile(made)
      try fill(file)
      try file.finish()
      let name = try giveName(temporary, base, suffix, folder)
      return name
    } catch {
      if !folder.hasRemoved(temporary) {
        leftBehind(root.path.appending(Self.folder).appending(temporary))
      }
      throw error
    }
  }

  private func giveName(
    _ temporary: BytePath, _ base: String, _ suffix: String, _ folder: borrowing PinnedDirectory
  ) throws(SystemError) -> BytePath {
    var taken: SystemError?
    for number in 1...Self.siblingBound {
      let name = BytePath(base + (number == 1 ? "" : "-\(number)") + suffix)
      do throws(SystemError) {
        try move(temporary, name, folder)
        return name
      } catch {
        guard error.errno == .fileExists else { throw error }
        taken = error
      }
    }
    throw taken ?? SystemError(call: "renameat2", errno: .fileExists, path: folder.path)
  }

  private func move(
    _ temporary: BytePath, _ name: BytePath, _ folder: borrowing PinnedDirectory
  ) throws(SystemError) {
    do throws(SystemError) {
      try rename(temporary, name, folder, .noReplace)
    } catch {
      guard [.invalid, .notImplemented, .notSupported].contains(error.errno) else { throw error }
      // Without that promise the name is claimed first, by a file of our own.
      let claim = try folder.openFile(name, .writeOnly, options: .exclusiveCreate)
      do throws(SystemError) {
        try claim.close()
        try rename(temporary, name, folder)
      } catch {
        _ = try? folder.unlink(name)
        throw error
      }
    }
  }

  /// A volume that only says yes must not pass for one that has the report: what was claimed before
  /// has the new name as well, so the old one must be gone.
  private func rename(
    _ temporary: BytePath, _ name: BytePath, _ folder: borrowing PinnedDirectory,
    _ options: RenameOptions = []
  ) throws(SystemError) {
    try folder.rename(temporary, to: folder, name, options: options)
    guard try folder.metadataIfPresent(of: name) != nil,
      try folder.metadataIfPresent(of: temporary) == nil
    else { throw SystemError(call: "renameat2", errno: .noSuchFile, path: name) }
  }
}

/// Collects small pieces into writes of 64 KiB.
private final class BufferedFile {
  private static let blockByteCount = 64 * 1024
  private var descriptor: FileDescriptor?
  private var block: [UInt8] = []

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = consume descriptor
  }

  func append(_ bytes: [UInt8]) throws(SystemError) {
    block += bytes
    if block.count >= Self.blockByteCount { try flush() }
  }

  /// Writes the rest, makes it durable and closes.
  func finish() throws(SystemError) {
    try flush()
    try descriptor?.fsync()
    if let open = descriptor.take() { try open.close() }
  }

  private func flush() throws(SystemError) {
    try descriptor?.writeAll(block)
    block.removeAll(keepingCapacity: true)
  }
}
