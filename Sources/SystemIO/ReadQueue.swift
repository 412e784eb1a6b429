import CLinuxShims
import Glibc

/// Reads the starts of many files at once: the kernel and the disk do for all of them what they
/// would do for each.
///
/// Only direct reads run side by side; the kernel takes others one after the other. A kernel that
/// has no queues leaves every read undone, as does a test that watches or forces plain reads. One
/// thread at a time.
public final class ReadQueue {
  /// The most that any queue holds.
  public static let largestCapacity = 128

  private let capacity: Int
  private let queue: UInt64?
  private var reads: [ls_queued_read] = []

  /// Makes an empty queue for 1 to `largestCapacity` files.
  public init(capacity: Int) {
    precondition((1...Self.largestCapacity).contains(capacity), "A queue has one to 128 places")
    self.capacity = capacity
    var made: UInt64 = 0
    queue = ls_read_queue_open(UInt32(capacity), &made) == 0 ? made : nil
    reads.reserveCapacity(capacity)
  }

  deinit {
    if let queue { ls_read_queue_close(queue) }
  }

  /// Adds a read of a file's start, both of which must last until `run`.
  ///
  /// - Returns: its place; nil when the queue is full.
  public func add(
    _ file: borrowing FileDescriptor, into space: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard queue != nil, reads.count < capacity, let base = space.baseAddress else { return nil }
    #if DEBUG
      if Interposer.sees(file.path) { return nil }
    #endif
    reads.append(
      ls_queued_read(
        fd: file.rawValue, buffer: base, byte_count: UInt64(space.count),
        result: Int64(-EAGAIN)))
    return reads.count - 1
  }

  /// Reads everything that was added. Blocks until the last read has ended.
  public func run() {
    guard let queue, !reads.isEmpty else { return }
    reads.withUnsafeMutableBufferPointer { reads in
      if let base = reads.baseAddress { ls_read_queue_run(queue, base, UInt32(reads.count)) }
    }
  }

  /// Bytes that came for a place; nil for a read that failed or was not made.
  public func byteCount(_ place: Int) -> Int? {
    let result = reads[place].result
    return result >= 0 ? Int(result) : nil
  }

  /// Forgets every read.
  public func clear() {
    reads.removeAll(keepingCapacity: true)
  }
}
