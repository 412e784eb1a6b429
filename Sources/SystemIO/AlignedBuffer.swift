import Glibc

/// A fixed block of memory on a page boundary, as direct I/O needs it; zeroed when made.
// @unchecked: the address and the length never change and the memory lives as long as the object.
// The bytes are not guarded: whoever fills a buffer hands it on by a queue or a lock, which orders
// the writes before the reads, and changes nothing after that.
public final class AlignedBuffer: @unchecked Sendable {
  /// 4 KiB, the alignment of every block device that Linux drives today.
  public static let alignment = 4096

  /// A length rounded up to whole blocks.
  public static func aligned(_ byteCount: Int) -> Int {
    (byteCount + alignment - 1) / alignment * alignment
  }

  let address: UnsafeMutableRawPointer
  /// The size in bytes.
  public let byteCount: Int

  /// Allocates; `byteCount` must be positive.
  public init(byteCount: Int) {
    precondition(byteCount > 0, "A buffer holds at least one byte")
    self.byteCount = byteCount
    address = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.alignment)
    memset(address, 0, byteCount)
  }

  deinit {
    address.deallocate()
  }

  /// The memory, valid as long as the object: keep that in a variable, since a temporary one is
  /// gone before a call sees its bytes.
  public var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  /// The first `count` bytes, for reading.
  public func prefix(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count])
  }
}
