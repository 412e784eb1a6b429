import Glibc
import Hashing
import SystemIO

/// Hashes a stream.
// @unchecked: one thread at a time, as DestinationCopy.
final class HashSink: ChunkSink, @unchecked Sendable {
  private var digest: MultiDigest
  private(set) var digests: Digests?

  init(_ algorithms: [HashAlgorithm]) throws(HashingError) {
    digest = try MultiDigest(algorithms)
  }

  var isOpen: Bool { digests == nil }

  func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    digest.update(bytes)
  }

  func finish() {
    digests = digest.finish()
  }

  /// Ready for another stream.
  func reset() {
    digest.reset()
    digests = nil
  }
}

/// Writes a stream to one destination.
final class WriteSink: ChunkSink {
  private let copy: DestinationCopy
  private let syncsAlone: Bool

  /// - Parameter syncsAlone: makes the copy durable at its end, on the sink's own thread, and has
  ///   the kernel write each chunk at once before, so that the sync finds little to do. Else the
  ///   copy is made durable later, with those of its batch.
  init(_ copy: DestinationCopy, syncsAlone: Bool) {
    self.copy = copy
    self.syncsAlone = syncsAlone
  }

  var isOpen: Bool { copy.isAlive }

  func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    copy.write(bytes, at: offset)
    if syncsAlone { copy.startWriteback(offset: offset, byteCount: Int64(bytes.count)) }
  }

  func finish() {
    copy.complete()
    if syncsAlone { copy.sync() }
  }
}

/// Reads a copy back, beside the source or alone, and hashes it.
// @unchecked: one thread at a time, as DestinationCopy.
final class ReadBackSink: ChunkSink, @unchecked Sendable {
  let copy: DestinationCopy
  private var digest: MultiDigest
  private let buffer: AlignedBuffer
  /// Holds a buffer that belongs to a pool.
  private let spare: Chunk?
  private let comparesBytes: Bool
  /// True when a byte differed from the source's re-read.
  private(set) var foundDifference = false
  private(set) var digests: Digests?

  init(
    _ copy: DestinationCopy, _ algorithms: [HashAlgorithm], buffer: AlignedBuffer,
    comparesBytes: Bool
  ) throws(HashingError) {
    self.copy = copy
    self.buffer = buffer
    spare = nil
    self.comparesBytes = comparesBytes
    digest = try MultiDigest(algorithms)
  }

  init(
    _ copy: DestinationCopy, _ algorithms: [HashAlgorithm], spare: Chunk, comparesBytes: Bool
  ) throws(HashingError) {
    self.copy = copy
    buffer = spare.buffer
    self.spare = spare
    self.comparesBytes = comparesBytes
    digest = try MultiDigest(algorithms)
  }

  var isOpen: Bool { copy.isAlive }

  func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard let found = read(bytes.count, at: offset), comparesBytes else { return }
    if !Self.isEqual(found, bytes) { foundDifference = true }
  }

  func finish() {
    copy.finishReadBack(buffer)
    if copy.isAlive { digests = digest.finish() }
  }

  /// Reads the whole copy without a source beside it.
  func readAlone(progress: (Int) -> Void, isCancelled: () -> Bool) {
    var offset: Int64 = 0
    while offset < copy.byteCount, isOpen {
      if isCancelled() {
        copy.fail(.interrupted)
        return
      }
      let count = Int(min(Int64(buffer.byteCount), copy.byteCount - offset))
      _ = read(count, at: offset)
      offset += Int64(count)
      progress(count)
    }
    finish()
  }

  private static func isEqual(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }

  private func read(_ count: Int, at offset: Int64) -> UnsafeRawBufferPointer? {
    guard let found = copy.readBack(count, at: offset, into: buffer) else { return nil }
    digest.update(found)
    return found
  }
}
