import FaultModel
import SystemIO
import Testing

@Suite("Planned trees") struct TreeBuilderTests {
  static func trees(_ lines: String..., card: String = "tiny") throws -> [String: PlannedTree] {
    let text = script((lines + ["expect sound"]).joined(separator: "\n  "))
      .replacing("sony-m4", with: card)
    let scriptCase = try ScriptParser.parse(text, name: "t").cases[0]
    return try TreeBuilder(cards: RepositoryPaths.cards).trees(for: scriptCase)
  }

  @Test("the card fills src with its folders; a destination begins empty")
  func card() throws {
    let trees = try Self.trees()
    let names = ["CLIP", "CLIP/C0001.MP4", "CLIP/C0002.MP4", "CLIP/C0003.MP4"]
    #expect(trees["src"]?.paths.map(\.escaped) == names)
    #expect(trees["dst"]?.entries.isEmpty == true)
    let entry = try #require(trees["src"]?.entries["CLIP/C0001.MP4"])
    #expect(entry.content?.byteCount == 4096 && entry.mode == 0o644)
    #expect(entry.modification == 1_783_670_400_000_000_000)
  }

  @Test("same, different and like: sizes and bytes")
  func bytes() throws {
    let trees = try Self.trees(
      "given dst \"CLIP/C0001.MP4\" bytes same", "given dst \"CLIP/C0002.MP4\" bytes different",
      "given dst \"x\" bytes like \"CLIP/C0003.MP4\" mtime 1970-01-01T00:00:00Z",
      "given dst \"y\" bytes 7", "given dst \"z\"")
    let source = try #require(trees["src"]).entries
    let dst = try #require(trees["dst"]).entries
    #expect(dst["CLIP/C0001.MP4"]?.content == source["CLIP/C0001.MP4"]?.content)
    let other = try #require(dst["CLIP/C0002.MP4"]?.content)
    #expect(other.byteCount == 4096 && other != source["CLIP/C0002.MP4"]?.content)
    #expect(dst["x"]?.content == source["CLIP/C0003.MP4"]?.content && dst["x"]?.modification == 0)
    #expect(dst["y"]?.content?.byteCount == 7 && dst["z"]?.content?.byteCount == 65536)
    #expect(dst["CLIP"]?.kind == .directory)
  }

  @Test("links, symlinks, fifos, modes and times")
  func kinds() throws {
    let trees = try Self.trees(
      "given dst \"a\" bytes 5 mode 0600", "given dst \"b\" link \"a\"",
      "given dst \"c\" symlink \"../x\"", "given dst \"d\" fifo", "given dst \"e/\" mode 0700",
      "given dst \"CLIP/C0001.MP4\" mtime same", "given src \"CLIP/C0002.MP4\" mode 0400")
    let dst = try #require(trees["dst"]).entries
    #expect(dst["b"]?.hardLink == "a" && dst["b"]?.content == dst["a"]?.content)
    #expect(dst["a"]?.mode == 0o600 && dst["c"]?.linkText == "../x" && dst["d"]?.kind == .fifo)
    #expect(dst["e"]?.kind == .directory && dst["e"]?.mode == 0o700)
    let source = try #require(trees["src"]).entries
    #expect(dst["CLIP/C0001.MP4"]?.modification == source["CLIP/C0001.MP4"]?.modification)
    #expect(source["CLIP/C0002.MP4"]?.mode == 0o400)
    #expect(source["CLIP/C0002.MP4"]?.content?.byteCount == 4096)
  }

  @Test("a given between runs is not there at first, and can be applied later")
  func later() throws {
    let text = script(
      "given dst \"a\"", "run", "expect verified", "given dst \"b\"", "run", "expect verified")
    let scriptCase = try ScriptParser.parse(text, name: "t").cases[0]
    let builder = TreeBuilder(cards: RepositoryPaths.cards)
    var trees = try builder.trees(for: scriptCase)
    #expect(trees["dst"]?.paths == ["a"])
    #expect(scriptCase.givensBeforeFirstRun == 1)
    try builder.apply(scriptCase.givens[1], to: &trees, in: scriptCase.preamble)
    #expect(trees["dst"]?.paths == ["a", "b"])
  }

  @Test("one builder keeps cases apart that differ in card, seed, given or volume, and no others")
  func kept() throws {
    let builder = TreeBuilder(cards: RepositoryPaths.cards)
    func scriptCase(_ lines: String...) throws -> ScriptCase {
      try ScriptParser.parse(
        script((lines + ["expect sound"]).joined(separator: "\n  ")), name: "t"
      ).cases[0]
    }
    let plain = try scriptCase()
    #expect(builder.known(for: plain) == nil)
    let trees = try builder.trees(for: plain)
    #expect(builder.known(for: plain) == trees)
    #expect(builder.known(for: try scriptCase("fail write dst:** with EIO")) == trees)
    for other in [
      "card tiny", "seed 5", "given dst \"a\"", "volume dst persona fat32 capacity 9MiB",
    ] {
      let changed = try scriptCase(other)
      #expect(builder.known(for: changed) == nil)
      let fresh = try TreeBuilder(cards: RepositoryPaths.cards).trees(for: changed)
      #expect(try builder.trees(for: changed) == fresh)
      #expect(try builder.trees(for: plain) == trees)
    }
    // More than are kept: the oldest is made once more.
    for seed in 100..<120 { _ = try builder.trees(for: try scriptCase("seed \(seed)")) }
    #expect(builder.known(for: plain) == nil)
    #expect(try builder.trees(for: plain) == trees)
  }

  @Test("a given obeys the persona: its names, its kinds, its times")
  func persona() throws {
    let exfat = "volume dst persona exfat-linux capacity 128MiB"
    let trees = try Self.trees(
      exfat, "given dst \"a\" mtime 1979-01-01T00:00:00Z",
      "given dst \"b\" mtime 2026-01-01T00:00:00.129Z")
    #expect(trees["dst"]?.entries["a"]?.modification == 315_532_800_000_000_000)
    #expect((trees["dst"]?.entries["b"]?.modification ?? 0) % 1_000_000_000 == 120_000_000)
    for line in [
      "given dst \"a:b\"", "given dst \"a.\"", "given dst \"l\" symlink \"x\"",
      "given dst \"f\" fifo", "given dst \"A/x\"\n  given dst \"a/y\"",
      "given dst \"A\"\n  given dst \"a\"", "given dst \"q\"\n  given dst \"r\" link \"q\"",
    ] {
      #expect(throws: TreeError.self, "\(line)") { try Self.trees(exfat, line) }
    }
  }

  @Test("what cannot be built is an error")
  func errors() {
    for line in [
      "given dst \"no\" bytes same", "given dst \"no\" mtime same",
      "given dst \"a\" bytes like \"no\"", "given dst \"a\" link \"no\"",
      "given dst \"a\"\n  given dst \"a/b\"", "given src \"CLIP\" bytes 5",
    ] {
      #expect(throws: TreeError.self, "\(line)") { try Self.trees(line) }
    }
    #expect(throws: TreeError.self) { try Self.trees(card: "nothing") }
  }

  @Test("random cards come from their seed alone")
  func random() throws {
    let one = try Self.trees("card random files=20 bytes=64KiB..4MiB seed=7")
    let two = try Self.trees("card random files=20 bytes=64KiB..4MiB seed=7")
    let other = try Self.trees("card random files=20 bytes=64KiB..4MiB seed=8")
    #expect(one == two && one != other)
    let source = try #require(one["src"])
    let sizes = source.paths.compactMap { source.entries[$0]?.content?.byteCount }
    #expect(sizes.count == 20 && sizes.allSatisfy { (65536...4_194_304).contains($0) })
    #expect(sizes.prefix(3) == [1_675_052, 134_850, 3_784_568])
    #expect(source.paths.first == "D00" && source.paths.last == "D02/F0019.BIN")
  }

  @Test("the generator of random trees is SplitMix64")
  func splitMix() {
    var random = SplitMix(seed: 1_234_567)
    #expect(
      [random.next(), random.next(), random.next()] == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }
}
