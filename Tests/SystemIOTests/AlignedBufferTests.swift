import Glibc
import SystemIO
import Testing

@Suite struct AlignedBufferTests {
  @Test("A buffer is zero and on a page boundary, small or large", arguments: [1, 4096, 5 << 20])
  func zeroed(byteCount: Int) {
    let buffer = AlignedBuffer(byteCount: byteCount)
    let bytes = buffer.bytes
    #expect(bytes.count == byteCount)
    #expect(Int(bitPattern: bytes.baseAddress) % AlignedBuffer.alignment == 0)
    #expect(bytes.allSatisfy { $0 == 0 })
  }

  @Test("A large buffer takes memory only where it is touched")
  func lazy() throws {
    let pages = 1024
    let buffer = AlignedBuffer(byteCount: pages * 4096)
    let bytes = buffer.bytes
    bytes[17 * 4096] = 1
    var resident = [UInt8](repeating: 0, count: pages)
    #expect(mincore(bytes.baseAddress, bytes.count, &resident) == 0)
    // Huge pages would bring neighbours with them, never all.
    #expect(resident[17] & 1 == 1)
    #expect(resident.count { $0 & 1 == 1 } < pages)
  }
}
