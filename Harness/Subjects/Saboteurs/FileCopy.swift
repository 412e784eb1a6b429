import SystemIO

/// One file on its way to one destination: temporary name, sync, three readings, publication.
struct FileCopy {
  let file: NaiveCopier.SourceFile
  let copier: NaiveCopier
  let root: BytePath
  let buffer = AlignedBuffer(byteCount: 256 * 1024)

  init(_ file: NaiveCopier.SourceFile, _ copier: NaiveCopier, root: BytePath) {
    self.file = file
    self.copier = copier
    self.root = root
  }

  var defect: Saboteur.Defect? { copier.defect }

  /// What comes of a file that is no copy.
  struct Trouble: Error {
    let error: SystemError
    /// A temporary name that could not be removed.
    var leftBehind: BytePath?
  }

  /// Copies and returns the level at which the copy was read back.
  func run(_ target: borrowing PinnedDirectory) throws(Trouble) -> String {
    var leftBehind: BytePath?
    do throws(SystemError) {
      return try copy(into: target, &leftBehind)
    } catch {
      throw Trouble(error: error, leftBehind: leftBehind)
    }
  }

  private func copy(
    into target: borrowing PinnedDirectory, _ leftBehind: inout BytePath?
  ) throws(SystemError) -> String {
    let name = file.path.lastComponent
    let folder = try Self.folder(file.path.parent ?? "", in: target)
    if defect != .overwrites, defect != .leavesHalfFile,
      let old = try folder.metadataIfPresent(of: name)
    {
      let level = try reuse(folder, name, old)
      try syncFolders(folder, target)
      if defect != .repeatsWork { return level }
    }
    let writesInPlace = defect == .leavesHalfFile || defect == .trustsNames
    let working = writesInPlace ? name : Self.temporaryName()
    do throws(SystemError) {
      let level = try write(folder, working, publishing: name)
      if working != name, defect != .publishesUnsynced { try publish(folder, working, name) }
      try syncFolders(folder, target)
      touchSourceIfAsked()
      return level
    } catch {
      if working != name, !Self.remove(working, from: folder) {
        leftBehind = (file.path.parent ?? "").appending(working)
      }
      throw error
    }
  }

  /// False when a name is still there.
  private static func remove(_ name: BytePath, from folder: borrowing PinnedDirectory) -> Bool {
    do throws(SystemError) {
      try folder.unlink(name)
      return true
    } catch {
      return error.errno == .noSuchFile
    }
  }

  /// A file that stands there already is taken only when it has the same bytes.
  private func reuse(
    _ folder: borrowing PinnedDirectory, _ name: BytePath, _ found: Metadata
  ) throws(SystemError) -> String {
    let old = try folder.openFile(name, .readOnly, options: .nonBlocking)
    if found.kind != .regular { throw mismatch("something else has the name") }
    if defect == .trustsInodeNumbers, !(try InodeCatalogue(root).knows(file.path, found.inode)) {
      throw mismatch("another inode has the name")
    }
    try old.fsync()
    let level = try coldLevel(of: old)
    if defect == .trustsNames { return level }
    if defect == .trustsTimes, found.byteCount == file.metadata.byteCount,
      found.modification >= file.metadata.modification
    {
      return level
    }
    let source = try openSource()
    _ = try PageCache.evict(source)
    if try stream(from: old) != stream(from: source, isSource: true) {
      throw mismatch("another file has the name")
    }
    return level
  }

  // MARK: Parts

  func mismatch(_ text: String) -> SystemError {
    SystemError(call: "compare", errno: .inputOutput, path: file.path, detail: text)
  }

  private func touchSourceIfAsked() {
    guard defect == .touchesSource, let source = try? openSource() else { return }
    try? source.setTimes(modification: Timestamp(seconds: 1_000_000_000))
  }

  /// Opens a folder below a root, making what is missing.
  static func folder(
    _ path: BytePath, in root: borrowing PinnedDirectory
  ) throws(SystemError) -> PinnedDirectory {
    var current = try root.reopen()
    for name in path.components { current = try current.makeDirectory(name) }
    return current
  }

  static let temporaryPrefix = Array(".custody.tmp.".utf8)

  private static func temporaryName() -> BytePath {
    var generator = SystemRandomNumberGenerator()
    let digits = (0..<32).map { _ in Array("0123456789abcdef")[Int(generator.next() & 15)] }
    return BytePath(".custody.tmp." + String(digits))
  }
}
