import SystemIO

/// A source file that is open for one reading from its start to its end.
final class SourceFile {
  private let descriptor: FileDescriptor
  private let entry: SourceManifest.File
  private let facts: VolumeFacts
  /// While the file is open its number holds on every file system.
  let identity: FileIdentity
  let byteCount: Int64
  /// True when reads bypass the page cache: they are whole blocks then.
  private let readsDirectly: Bool
  /// The whole file, when it was read ahead with the others of its batch.
  private var ahead: ReadAhead.Part?

  /// Opens a file by its pinned folder and proves that it is the one that was walked.
  init(
    _ file: Int, in tree: PinnedTree, _ manifest: SourceManifest, _ facts: VolumeFacts,
    _ direct: DirectReading
  ) throws(Failure) {
    entry = manifest.files[file]
    self.facts = facts
    byteCount = entry.byteCount
    let found: Metadata
    do throws(SystemError) {
      let handle = try tree.directory(Int(entry.directory))
      // Without blocking: a pipe that has taken the name must not hold the run.
      descriptor = try handle.directory.openFile(
        manifest.name(ofFile: file), .readOnly, options: .nonBlocking)
      found = try descriptor.metadata()
      identity = found.identity
      readsDirectly = descriptor.begin(direct, device: found.device, byteCount: byteCount)
    } catch {
      throw Failure(error, "the source cannot be opened")
    }
    try compare(found)
  }

  /// Proves that the open file is still as it was walked: size, times, and what it is.
  func check() throws(Failure) {
    let found: Metadata
    do throws(SystemError) {
      found = try descriptor.metadata()
    } catch {
      throw Failure(error, "the source cannot be checked")
    }
    try compare(found)
  }

  private func compare(_ found: Metadata) throws(Failure) {
    if let change = SourceChange.of(found, since: entry, facts) { throw change }
  }

  /// Has the file read together with others.
  func read(by ahead: ReadAhead) {
    if readsDirectly { self.ahead = descriptor.read(by: ahead, byteCount: byteCount) }
  }

  /// A chunk that must be there whole, where it was read ahead or else in the buffer.
  func bytes(
    _ count: Int, at offset: Int64, in buffer: AlignedBuffer
  ) throws(Failure) -> UnsafeRawBufferPointer {
    if let bytes = ahead?.bytes(count, at: offset) { return bytes }
    try read(count, at: offset, into: buffer)
    return buffer.prefix(count)
  }

  /// Reads a chunk that must be there whole.
  func read(_ count: Int, at offset: Int64, into buffer: AlignedBuffer) throws(Failure) {
    let length = readsDirectly ? AlignedBuffer.aligned(count) : count
    let space = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
    let found: Int
    do throws(SystemError) {
      found =
        readsDirectly
        ? try descriptor.readBlocks(into: space, at: offset)
        : try descriptor.readAll(into: space, at: offset)
    } catch {
      throw Failure(error, "the source cannot be read")
    }
    if found < count {
      throw Failure(
        "the source ended after \(offset + Int64(found)) of \(byteCount) bytes")
    }
    if found > count { throw hasGrown }
  }

  private var hasGrown: Failure {
    Failure("the source changed: it has more than \(byteCount) bytes")
  }

  /// Proves that nothing follows the last byte.
  func checkEnd(_ buffer: AlignedBuffer) throws(Failure) {
    // The last block was read whole, so that only what follows it is left to ask for.
    let length = readsDirectly ? AlignedBuffer.alignment : 1
    let offset = readsDirectly ? Int64(AlignedBuffer.aligned(Int(byteCount))) : byteCount
    let space = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
    let found: Int
    do throws(SystemError) {
      found = try descriptor.read(into: space, at: offset)
    } catch {
      throw Failure(error, "the source cannot be read")
    }
    if found > 0 { throw hasGrown }
  }

  /// Doubles the kernel's read-ahead; a file system may refuse.
  func expectSequentialReading() {
    _ = try? descriptor.adviseSequential()
  }

  /// Takes the file out of the page cache, so that reading it asks the medium again; direct reads
  /// do so anyway.
  ///
  /// A card that was written a moment ago may have dirty pages; only then is it flushed.
  func evict() -> VerificationLevel {
    if readsDirectly { return .direct }
    for isSynced in [true, false] {
      let level = try? descriptor.evicted(alreadySynced: isSynced)
      if level == .evicted { return min(.evicted, facts.bestLevel) }
    }
    return .cached
  }
}

/// How a source file differs from what the walk saw.
enum SourceChange {
  /// nil when nothing that the volume's facts make meaningful has changed.
  static func of(
    _ found: Metadata, since entry: SourceManifest.File, _ facts: VolumeFacts
  ) -> Failure? {
    if found.kind != .regular { return failure("it is a \(found.kind.rawValue) now") }
    if found.byteCount != entry.byteCount {
      return failure("its size went from \(entry.byteCount) to \(found.byteCount) bytes")
    }
    if facts.inodesLast, found.inode != entry.inode {
      return failure("another file has taken its name")
    }
    if found.modification != entry.modification { return failure("its modification time is new") }
    if facts.changeTimeIsReal, found.change != entry.change {
      return failure("its change time is new")
    }
    return nil
  }

  private static func failure(_ what: String) -> Failure {
    Failure("the source changed: \(what)")
  }
}
