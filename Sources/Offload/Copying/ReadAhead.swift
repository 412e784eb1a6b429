import SystemIO

/// Reads the small files of a batch together, before they are needed one by one.
///
/// Only what comes whole counts. Whoever misses bytes here reads them by itself, and meets the
/// error, the early end or the byte too many there.
final class ReadAhead {
  /// The bytes of one file, once the reads have run.
  struct Part {
    fileprivate let reads: ReadAhead
    fileprivate let place: Int
    fileprivate let start: Int
    fileprivate let byteCount: Int

    /// A range of the file; nil unless the file came whole.
    func bytes(_ count: Int, at offset: Int64) -> UnsafeRawBufferPointer? {
      guard reads.queue.byteCount(place) == byteCount else { return nil }
      let first = start + Int(offset)
      return UnsafeRawBufferPointer(rebasing: reads.space.bytes[first..<(first + count)])
    }
  }

  private let space: AlignedBuffer
  private let queue: ReadQueue
  private var used = 0

  /// - Parameters:
  ///   - byteCount: memory for what the reads bring.
  ///   - readCount: how many reads there may be at one time.
  init(byteCount: Int, readCount: Int) {
    space = AlignedBuffer(byteCount: byteCount)
    queue = ReadQueue(capacity: readCount)
  }

  fileprivate func add(_ file: borrowing FileDescriptor, byteCount: Int64) -> Part? {
    guard byteCount > 0, byteCount <= Int64(space.byteCount - used) else { return nil }
    let length = AlignedBuffer.aligned(Int(byteCount))
    guard length <= space.byteCount - used else { return nil }
    let target = UnsafeMutableRawBufferPointer(rebasing: space.bytes[used..<(used + length)])
    guard let place = queue.add(file, into: target) else { return nil }
    defer { used += length }
    return Part(reads: self, place: place, start: used, byteCount: Int(byteCount))
  }

  /// Reads everything that was planned. Blocks.
  func run() {
    queue.run()
  }

  /// Gives the memory to the next files; no part of the ones before may be used any more.
  func clear() {
    queue.clear()
    used = 0
  }
}

extension FileDescriptor {
  /// Plans to read the whole file, open for direct reads; nil when there is no room.
  borrowing func read(by ahead: ReadAhead, byteCount: Int64) -> ReadAhead.Part? {
    ahead.add(self, byteCount: byteCount)
  }
}
