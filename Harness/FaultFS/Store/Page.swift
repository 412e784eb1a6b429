import Glibc

/// 64 KiB of a file, allocated only as far as it was written. Shared between layers and forks by
/// reference; whoever writes makes its own copy first.
final class Page {
  static let byteCount = 65_536
  static let blockCount = byteCount / blockByteCount
  /// The unit of allocation: one cluster of every persona.
  static let blockByteCount = 4096

  /// Bytes beyond `capacity` are zero.
  private(set) var capacity = 0
  /// One bit for each block that takes room on the volume.
  var blocks: UInt16 = 0
  private var bytes: UnsafeMutableRawPointer?

  init() {}

  init(copying other: Page) {
    blocks = other.blocks
    if other.capacity > 0, let source = other.bytes {
      reserve(other.capacity, overwriting: 0..<other.capacity)
      bytes?.copyMemory(from: source, byteCount: other.capacity)
    }
  }

  deinit { free(bytes) }

  func store(_ source: UnsafeRawPointer, count: Int, at offset: Int) {
    reserve(offset + count, overwriting: offset..<offset + count)
    bytes?.advanced(by: offset).copyMemory(from: source, byteCount: count)
    blocks |= Page.mask(from: offset, to: offset + count)
  }

  /// Runs `body` on the room for `count` bytes at `offset` and counts their blocks as allocated.
  func fill(_ offset: Int, count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    reserve(offset + count, overwriting: offset..<offset + count)
    body(UnsafeMutableRawBufferPointer(start: bytes?.advanced(by: offset), count: count))
    blocks |= Page.mask(from: offset, to: offset + count)
  }

  func load(_ target: UnsafeMutableRawPointer, count: Int, at offset: Int) {
    let held = max(0, min(count, capacity - offset))
    if held > 0, let bytes { memcpy(target, bytes + offset, held) }
    if held < count { memset(target + held, 0, count - held) }
  }

  /// Makes bytes zero; blocks stay allocated.
  func clear(from start: Int, to end: Int) {
    let end = min(end, capacity)
    if start < end, let bytes { memset(bytes + start, 0, end - start) }
  }

  /// The blocks that a range of bytes touches.
  static func mask(from start: Int, to end: Int) -> UInt16 {
    guard start < end else { return 0 }
    let first = start / blockByteCount
    let last = (end - 1) / blockByteCount
    return UInt16(
      truncatingIfNeeded: (UInt32(1) << UInt32(last + 1)) - (UInt32(1) << UInt32(first)))
  }

  /// Makes room; what is new is zero but for what the caller writes at once.
  private func reserve(_ count: Int, overwriting written: Range<Int>) {
    guard count > capacity else { return }
    var larger = 4096
    while larger < count { larger *= 4 }
    guard let room = realloc(bytes, larger) else { preconditionFailure("no memory for a page") }
    let before = max(capacity, written.lowerBound)
    let after = max(capacity, written.upperBound)
    memset(room + capacity, 0, before - capacity)
    memset(room + after, 0, larger - after)
    bytes = room
    capacity = larger
  }
}
