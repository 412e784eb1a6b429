import SystemIO

/// One file on its way to one destination: temporary name, sync, three readings, publication.
struct FileCopy {
  private let file: NaiveCopier.SourceFile
  private let copier: NaiveCopier
  private let root: BytePath
  private let buffer = AlignedBuffer(byteCount: 256 * 1024)

  init(_ file: NaiveCopier.SourceFile, _ copier: NaiveCopier, root: BytePath) {
    self.file = file
    self.copier = copier
    self.root = root
  }

  private var defect: Saboteur.Defect? { copier.defect }

  /// Copies and returns the level at which the copy was read back.
  func run() throws(CopyFailure) -> String {
    do throws(SystemError) {
      let target = try PinnedDirectory.open(root)
      let folder = try Self.folder(file.path.parent ?? "", in: target)
      let name = file.path.lastComponent
      let writesInPlace = defect == .leavesHalfFile || defect == .trustsNames
      if defect != .overwrites, defect != .leavesHalfFile,
        try folder.metadataIfPresent(of: name) != nil
      {
        let level = try reuse(folder, name)
        try syncFolders(folder, target)
        if defect != .repeatsWork { return level }
      }
      let working = writesInPlace ? name : Self.temporaryName()
      do throws(SystemError) {
        let level = try write(folder, working, publishing: name)
        if working != name, defect != .publishesUnsynced { try publish(folder, working, name) }
        try syncFolders(folder, target)
        touchSourceIfAsked()
        return level
      } catch {
        if working != name { try? folder.unlink(working) }
        throw error
      }
    } catch {
      throw .file("\(error)")
    }
  }

  // MARK: Writing

  /// Writes, syncs, reads back and closes; the writer stays open until the copy was compared.
  private func write(
    _ folder: borrowing PinnedDirectory, _ name: BytePath, publishing final: BytePath
  ) throws(SystemError) -> String {
    let source = try openSource()
    let writer = try folder.openFile(name, .writeOnly, options: .exclusiveCreate, mode: 0o644)
    let copied = try stream(from: source) { (bytes, offset) throws(SystemError) in
      try writer.writeAll(bytes, at: offset)
    }
    if try !source.metadata().isSameFile(as: file.metadata) { throw mismatch("the source changed") }
    try writer.setTimes(modification: file.metadata.modification)
    if defect == .publishesUnsynced { try publish(folder, name, final) }
    do throws(SystemError) {
      if defect != .skipsFileFsync { try writer.fsync() }
    } catch {
      if defect != .ignoresFsync { throw error }
    }
    let level = try verify(folder, defect == .publishesUnsynced ? final : name, copied)
    do throws(SystemError) {
      try writer.close()
    } catch {
      if defect != .ignoresClose { throw error }
    }
    return level
  }

  /// Gives a whole copy its name, never over another.
  private func publish(
    _ folder: borrowing PinnedDirectory, _ working: BytePath, _ name: BytePath
  ) throws(SystemError) {
    if defect == .overwrites || defect == .repeatsWork {
      return try folder.rename(working, to: folder, name)
    }
    do throws(SystemError) {
      try folder.link(working, to: folder, name)
    } catch {
      guard error.errno == .notPermitted || error.errno == .notSupported else { throw error }
      return try publishWithoutLink(folder, working, name)
    }
    if defect != .leavesTemporary { try folder.unlink(working) }
  }

  /// Where links do not work. A system that cannot promise not to replace is asked beforehand:
  /// naive, since another program may come between.
  private func publishWithoutLink(
    _ folder: borrowing PinnedDirectory, _ working: BytePath, _ name: BytePath
  ) throws(SystemError) {
    do throws(SystemError) {
      try folder.rename(working, to: folder, name, options: .noReplace)
    } catch {
      guard error.errno == .invalid else { throw error }
      if try folder.metadataIfPresent(of: name) != nil { throw mismatch("the name is taken") }
      try folder.rename(working, to: folder, name)
    }
  }

  private func syncFolders(
    _ folder: borrowing PinnedDirectory, _ target: borrowing PinnedDirectory
  ) throws(SystemError) {
    if defect == .skipsDirectoryFsync { return }
    try folder.fsync()
    var path = file.path.parent?.parent
    while let current = path, !current.bytes.isEmpty {
      try target.descend(current).fsync()
      path = current.parent
    }
    try target.fsync()
  }

  // MARK: Reading back

  /// Compares the copy as the medium has it with what was read first and with the source as it
  /// reads now.
  private func verify(
    _ folder: borrowing PinnedDirectory, _ name: BytePath, _ copied: NaiveDigest
  ) throws(SystemError) -> String {
    if copier.order.mode == .quick { return "not read" }
    let reader = try folder.openFile(name, .readOnly)
    let level = try coldLevel(of: reader)
    if try stream(from: reader) != copied { throw mismatch("the copy reads differently") }
    if defect != .skipsSourceReread {
      let source = try openSource()
      _ = try PageCache.evict(source)
      if try stream(from: source) != copied { throw mismatch("the source reads differently now") }
    }
    return level
  }

  /// The level that the next read of the copy has, once its pages are gone.
  private func coldLevel(of reader: borrowing FileDescriptor) throws(SystemError) -> String {
    let allowed = copier.order.level(of: root)
    if defect == .claimsProof { return "evicted" }
    if defect == .verifiesFromPageCache { return allowed }
    guard try PageCache.evict(reader, alreadySynced: true) == .proven else { return "cached" }
    return allowed
  }

  /// A file that stands there already is taken only when it has the same bytes.
  private func reuse(
    _ folder: borrowing PinnedDirectory, _ name: BytePath
  ) throws(SystemError) -> String {
    let old = try folder.openFile(name, .readOnly, options: .nonBlocking)
    if try old.metadata().kind != .regular { throw mismatch("something else has the name") }
    try old.fsync()
    let level = try coldLevel(of: old)
    if defect == .trustsNames { return level }
    let source = try openSource()
    _ = try PageCache.evict(source)
    if try stream(from: old) != stream(from: source) {
      throw mismatch("another file has the name")
    }
    return level
  }

  // MARK: Parts

  private func openSource() throws(SystemError) -> FileDescriptor {
    let folder = try PinnedDirectory.open(copier.order.source).descend(file.path.parent ?? "")
    return try folder.openFile(file.path.lastComponent, .readOnly)
  }

  /// Reads a file to its end, hands each block on and returns the digest of all.
  private func stream(
    from reader: borrowing FileDescriptor,
    _ body: (UnsafeRawBufferPointer, Int64) throws(SystemError) -> Void = { _, _ in }
  ) throws(SystemError) -> NaiveDigest {
    let digest = NaiveDigest.Builder()
    var offset: Int64 = 0
    while true {
      let count = try reader.read(into: buffer.bytes, at: offset)
      if count == 0 { break }
      digest.add(buffer.prefix(count))
      try body(buffer.prefix(count), offset)
      offset += Int64(count)
    }
    if offset != file.metadata.byteCount {
      throw mismatch("\(offset) of \(file.metadata.byteCount) bytes can be read")
    }
    return digest.finish()
  }

  private func mismatch(_ text: String) -> SystemError {
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
