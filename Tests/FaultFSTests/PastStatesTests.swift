import FaultModel
import Testing

@testable import FaultFS

@Suite("What stood on a volume before")
struct PastStatesTests {
  @Test("Bytes differ from the past exactly where laying the past over them changes them")
  func differs() throws {
    let piece = PastStates.Piece(
      range: ByteRange(offset: 0, count: 12), bytes: [1, 2, 3, 4, 0, 0])
    let zeros = PastStates.Piece(range: ByteRange(offset: 0, count: 12), bytes: nil)
    let parts: [(start: Int, bytes: [UInt8])] = [
      (0, [1, 2, 3, 4, 0, 0, 0, 0]), (0, [1, 2, 3, 5]), (1, [2, 3]), (1, [2, 4]),
      (4, [0, 0, 0, 0, 0]), (4, [0, 0, 0, 0, 1]), (4, [0, 0, 1, 0, 0]), (6, [0, 0]), (6, [0, 7]),
      (6, [7]), (6, [0]), (3, [4, 0, 0, 0]), (3, [4, 0, 1]), (0, []),
    ]
    for (start, bytes) in parts {
      for one in [piece, zeros] {
        let differs = bytes.withUnsafeBytes { one.differs(from: $0, from: start) }
        var laid = bytes
        let changes = laid.withUnsafeMutableBytes { one.lay(over: $0, from: start) }
        #expect(differs == changes, "\(bytes) from \(start)")
        #expect(differs == (laid != bytes))
      }
    }
  }
}
