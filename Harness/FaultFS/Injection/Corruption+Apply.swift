import FaultModel
import Glibc

extension Corruption {
  /// Spoils bytes in place; false when they are as before.
  ///
  /// `flip` turns over one bit of the first byte; `junk` is the keystream of a fixed key at the
  /// file's offset, so that it is the same at each run; `swapped` leaves the odd middle byte.
  func apply(to bytes: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Bool {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return false }
    let before = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { before.deallocate() }
    before.copyMemory(from: UnsafeRawBufferPointer(bytes))
    guard let old = before.baseAddress else { return false }
    switch self {
    case .zeros: memset(base, 0, bytes.count)
    case .junk:
      Content(key: Self.junkKey, byteCount: .max).fill(bytes, at: offset)
    case .flip: bytes[0] ^= 1
    case .swapped:
      let half = bytes.count / 2
      memcpy(base, old + (bytes.count - half), half)
      memcpy(base + (bytes.count - half), old, half)
    }
    return memcmp(base, old, bytes.count) != 0
  }

  private static let junkKey = Content.Key(high: 0x6a75_6e6b, low: 1)
}
