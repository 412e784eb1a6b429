import FaultModel
import Testing

@Suite("Content") struct ContentTests {
  static let key = Content.Key(seed: 20_260_711, volume: "src", path: Array("CLIP/C0001.MP4".utf8))

  /// Generator version 1. A change here is a new version of every replay file.
  /// Made with `openssl enc -aes-128-ctr` over zeros and `xxh128sum`, not with this code.
  @Test(
    "generator 1 makes these bytes",
    arguments: [
      (UInt64(0), "99aa06d3014798d86001c324468d497f"), (1, "e21cadf66918af67e47e4c5a224123f1"),
      (16, "667de97734fd3cc1cf288dcf4e009c43"), (4097, "c416469a6e485ae363a2ad49d8629319"),
      (9_732_097, "2f3a351d13371d7933e03277cd9dbbc5"),
    ])
  func golden(byteCount: UInt64, digest: String) {
    #expect(Content(key: Self.key, byteCount: byteCount).digest() == digest)
  }

  @Test("a key depends on seed, volume and path, and on where each ends")
  func keys() {
    let keys: Set<Content.Key> = [
      Self.key, Content.Key(seed: 1, volume: "src", path: Array("CLIP/C0001.MP4".utf8)),
      Content.Key(seed: 20_260_711, volume: "dst", path: Array("CLIP/C0001.MP4".utf8)),
      Content.Key(seed: 20_260_711, volume: "srcC", path: Array("LIP/C0001.MP4".utf8)),
      Content(key: Self.key, byteCount: 9).different(0).key,
      Content(key: Self.key, byteCount: 9).different(1).key,
    ]
    #expect(keys.count == 6)
    #expect(Self.key.high == 0xa265_4a5b_9744_2aba && Self.key.low == 0x442f_6753_ea78_3f26)
  }

  @Test(
    "any range made alone equals that range of the whole",
    arguments: [(0, 1), (1, 15), (15, 2), (16, 16), (511, 1025), (4090, 10), (65_530, 100)])
  func ranges(offset: Int, count: Int) {
    let content = Content(key: Self.key, byteCount: 65_537)
    let whole = content.bytes(at: 0, count: 1 << 20)
    #expect(whole.count == 65_537)
    #expect(
      content.bytes(at: UInt64(offset), count: count) == Array(whole[offset...].prefix(count)))
  }

  @Test("a fill stops at the end of the file and leaves the rest of the buffer alone")
  func fillAtTheEnd() {
    let content = Content(key: Self.key, byteCount: 10)
    var buffer = [UInt8](repeating: 0xee, count: 8)
    let filled = buffer.withUnsafeMutableBytes { content.fill($0, at: 6) }
    #expect(filled == 4)
    #expect(buffer[4...].allSatisfy { $0 == 0xee })
    #expect(buffer.withUnsafeMutableBytes { content.fill($0, at: 10) } == 0)
    #expect(buffer.withUnsafeMutableBytes { content.fill($0, at: .max) } == 0)
  }

  @Test("all sectors of a card are unique")
  func sectors() {
    var seen: Set<[UInt8]> = []
    for name in ["a", "b"] {
      let content = Content(
        key: Content.Key(seed: 7, volume: "src", path: Array(name.utf8)), byteCount: 1 << 20)
      for sector in 0..<2048 {
        #expect(seen.insert(content.bytes(at: UInt64(sector) * 512, count: 512)).inserted)
      }
    }
  }

  @Test("a resized file keeps its common prefix")
  func resized() {
    let content = Content(key: Self.key, byteCount: 100)
    let longer = content.resized(to: 200)
    #expect(longer.bytes(at: 0, count: 100) == content.bytes(at: 0, count: 100))
    #expect(content.different(0).bytes(at: 0, count: 100) != content.bytes(at: 0, count: 100))
  }
}
