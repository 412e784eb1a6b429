import Hashing
import Testing

@Suite struct DigestTextTests {
  @Test("Hex reads in either case and writes in lower case")
  func hexCase() {
    #expect(Hex.bytes(of: "00fFaB") == [0, 0xff, 0xab])
    #expect(Hex.text(of: [0, 0xff, 0xab]) == "00ffab")
  }

  static let refusals: [(HashAlgorithm, String)] = [
    (.md5, ""),
    (.md5, "d41d8cd98f00b204e9800998ecf8427"),
    (.md5, "d41d8cd98f00b204e9800998ecf8427eff"),
    (.md5, "g41d8cd98f00b204e9800998ecf8427e"),
    (.xxh64, "ef46db3751d8e99 "),
    (.xxh64, "٠f46db3751d8e999"),
    (.c4, ""),
    (.c4, "c4" + String(repeating: "0", count: 88)),
    (.c4, "C4" + String(repeating: "1", count: 88)),
    (.c4, "c4" + String(repeating: "1", count: 87)),
    (.c4, "c4" + String(repeating: "z", count: 88)),
  ]

  @Test("What is no digest of a hash does not read", arguments: refusals)
  func refused(algorithm: HashAlgorithm, text: String) {
    #expect(Digest(algorithm, text: text) == nil)
  }

  @Test("C4 covers all 64 bytes: zero, one and the largest number")
  func c4Range() throws {
    let zero = [UInt8](repeating: 0, count: 64)
    let largest = [UInt8](repeating: 255, count: 64)
    let zeroDigest = try #require(Digest(.c4, bytes: zero))
    #expect(zeroDigest.text == "c4" + String(repeating: "1", count: 88))
    let one = try #require(Digest(.c4, bytes: zero.dropLast() + [1]))
    #expect(one.text == "c4" + String(repeating: "1", count: 87) + "2")
    for bytes in [zero, largest] {
      let digest = try #require(Digest(.c4, bytes: bytes))
      #expect(Digest(.c4, text: digest.text)?.bytes == bytes)
    }
  }

  @Test("A digest of the wrong length is refused", arguments: HashAlgorithm.allCases)
  func length(algorithm: HashAlgorithm) {
    #expect(Digest(algorithm, bytes: [UInt8](repeating: 1, count: algorithm.byteCount)) != nil)
    #expect(Digest(algorithm, bytes: [UInt8](repeating: 1, count: algorithm.byteCount + 1)) == nil)
  }
}
