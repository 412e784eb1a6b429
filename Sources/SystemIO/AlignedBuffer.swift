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

  /// From here on the memory is mapped: the kernel zeroes each page when it is touched first, so
  /// that a large buffer costs what is used of it.
  static let leastMappedByteCount = 128 << 10

  let address: UnsafeMutableRawPointer
  /// The size in bytes.
  public let byteCount: Int

  /// Allocates; `byteCount` must be positive.
  public init(byteCount: Int) {
    precondition(byteCount > 0, "A buffer holds at least one byte")
    self.byteCount = byteCount
    if byteCount >= Self.leastMappedByteCount {
      let mapped = mmap(
        nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      guard let mapped, mapped != MAP_FAILED else { preconditionFailure("No memory for a buffer") }
      address = mapped
    } else {
      address = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: Self.alignment)
      memset(address, 0, byteCount)
    }
  }

  deinit {
    if byteCount >= Self.leastMappedByteCount {
      munmap(address, byteCount)
    } else {
      address.deallocate()
    }
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
