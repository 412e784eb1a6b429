import FaultModel
import SystemIO
import Testing

/// A script of one case around some lines.
func script(_ lines: String..., preamble: String = "") -> String {
  """
  custody-fault 1
  card sony-m4
  volume src persona ext4 capacity 128MiB
  volume dst persona ext4 capacity 128MiB
  \(preamble)
  case "the case"
  \(lines.map { "  " + $0 }.joined(separator: "\n"))

  """
}

func rules(_ lines: String..., expect: String = "expect sound") throws -> [Rule] {
  let text = script((lines + [expect]).joined(separator: "\n  "))
  return try ScriptParser.parse(text, name: "test").cases[0].rules
}

@Suite("Script parser") struct ScriptParserTests {
  @Test("every effect of the grammar gives its value", arguments: EffectExample.all)
  func effects(example: EffectExample) throws {
    let found = try rules(example.text)
    #expect(found.count == 1)
    #expect(found[0].effect == example.effect)
    #expect(found[0].text == example.text)
  }

  @Test("every clause of the grammar gives its value", arguments: ClauseExample.all)
  func clauses(example: ClauseExample) throws {
    let found = try rules(example.text)
    var wanted = Clauses()
    example.set(&wanted)
    #expect(found[0].clauses == wanted)
  }

  @Test("tails and clauses stand in any order")
  func anyOrder() throws {
    let orders = [
      "fail write dst:a from 1MiB with EIO once", "fail write dst:a once with EIO from 1MiB",
      "fail write dst:a with EIO from 1MiB once",
    ]
    let parsed = try orders.map { try rules($0)[0] }
    #expect(Set(parsed.map(\.effect)).count == 1)
    #expect(Set(parsed.map(\.clauses)).count == 1)
  }

  @Test("a # is a comment only at the start of a word")
  func comments() throws {
    let found = try rules("hide src:a#b # hide src:c")
    #expect(found[0].effect == .hide(Target(volume: "src", subject: .glob("a#b"))))
    #expect(found[0].text == "hide src:a#b")
  }

  @Test("rules are numbered within their case and know their line")
  func numbers() throws {
    let found = try rules("full dst", "eject dst")
    #expect(found.map(\.id) == [0, 1])
    #expect(found.map(\.line) == [7, 8])
  }

  @Test("a case's preamble lies over the script's, volume by volume")
  func overrides() throws {
    let text = script(
      "volume dst persona fat32 capacity 4MiB", "volume dst2 persona ext4 capacity 1MiB", "seed 9",
      "card empty", "modes paranoid", "headroom 5MiB", "expect refused",
      preamble: "modes standard thorough\nseed 1")
    let parsed = try ScriptParser.parse(text, name: "test")
    let own = parsed.cases[0].preamble
    #expect(own.volumes.map(\.name) == ["src", "dst", "dst2"])
    #expect(own.volumes[1].persona == "fat32" && own.volumes[1].capacity == 4 << 20)
    #expect(own.seed == 9 && own.card == .empty && own.modes == [.paranoid])
    #expect(own.headroom == 5 << 20)
    #expect(parsed.preamble.seed == 1 && parsed.preamble.modes == [.standard, .thorough])
    #expect(parsed.preamble.volumes[1].persona == "ext4")
  }

  @Test("destinations are dst, dst2, dst3 in this order, and nothing else")
  func destinations() throws {
    let text = script(
      "volume dst10 capacity 1MiB", "volume dst2 capacity 1MiB", "volume other capacity 1MiB",
      "volume dst1 capacity 1MiB", "volume dst02 capacity 1MiB", "expect verified")
    let parsed = try ScriptParser.parse(text, name: "test")
    #expect(parsed.cases[0].preamble.destinations.map(\.name) == ["dst", "dst2", "dst10"])
  }

  @Test("volume options in any order")
  func volumeOptions() throws {
    let text = script(
      "volume dst nommap barriers weak facts real store backed inside src cache kernel capacity 1GiB",
      "volume x = dst at \"a/b\" by bind", "expect verified")
    let volumes = try ScriptParser.parse(text, name: "test").cases[0].preamble.volumes
    #expect(
      volumes[1]
        == VolumeSpec(
          name: "dst", capacity: 1 << 30, cache: .kernel, inside: "src", store: .backed,
          facts: "real", noMmap: true, barriers: .weak))
    #expect(volumes[2].alias == VolumeSpec.Alias(volume: "dst", by: .bind, path: "a/b"))
  }

  @Test("given steps: bytes, links, times, modes, raw names and repeats")
  func givens() throws {
    let text = script(
      #"given dst "a\xff\n\\\"\u{e9}"*2 bytes 5MiB mtime 2026-07-11T12:00:01.987654321Z mode 0640"#,
      #"given dst "d/" mode 000"#, #"given dst "s" symlink "../x""#, #"given dst "f" fifo"#,
      #"given dst "l" link "a""#, #"given dst "b" bytes like "c" mtime same"#, "expect sound")
    let givens = try ScriptParser.parse(text, name: "test").cases[0].givens
    let name = Array("a".utf8) + [0xff, 0x0a] + Array("\\\"é".utf8)
    #expect(givens[0].path.bytes == name + name)
    #expect(givens[0].bytes == .count(5 << 20) && givens[0].mode == 0o640)
    #expect(givens[0].modification == .at(1_783_771_201_987_654_321))
    #expect(givens[1].isDirectory && givens[1].path == "d" && givens[1].mode == 0)
    #expect(givens[2].symlink == "../x" && givens[3].isFifo && givens[4].hardLink == "a")
    #expect(givens[5].bytes == .like("c") && givens[5].modification == .same)
  }

  @Test(
    "times from 1900 on, with fractions and zones",
    arguments: [
      ("1970-01-01T00:00:00Z", Int64(0)), ("1979-07-11T12:00:01Z", 300_542_401_000_000_000),
      ("1900-01-01T00:00:00Z", -2_208_988_800_000_000_000),
      ("2000-02-29T23:59:59.5+01:30", 951_863_399_500_000_000),
      ("2108-03-01T00:00:00-02:00", 4_360_010_400_000_000_000),
    ])
  func times(text: String, wanted: Int64) throws {
    let text = script("given dst \"a\" mtime \(text)", "expect sound")
    let given = try ScriptParser.parse(text, name: "test").cases[0].givens[0]
    #expect(given.modification == .at(wanted))
  }

  @Test("runs, their arguments and the expectations of each")
  func runs() throws {
    let text = script(
      "kill subject at 50%", "run", "expect interrupted", "disarm",
      "run \"--single-source-read  --mhl\"", "expect failed C0001.MP4 *.XML \"on\" on dst",
      "expect warns \"clock\"", "run two at once", "expect failed some on dst")
    let statements = try ScriptParser.parse(text, name: "test").cases[0].statements
    let runs = statements.compactMap { statement -> [BytePath]? in
      if case .run(let arguments) = statement { arguments } else { nil }
    }
    #expect(runs == [[], ["--single-source-read", "--mhl"]])
    let expectations = statements.compactMap { statement -> FaultModel.Expectation? in
      if case .expect(let expectation) = statement { expectation } else { nil }
    }
    #expect(
      expectations == [
        .interrupted,
        .failed([.suffix("C0001.MP4"), .glob("*.XML"), .suffix("on")], on: "dst"),
        .warns("clock"), .failedSome(on: "dst"),
      ])
  }

  @Test(
    "every verdict",
    arguments: [
      ("verified", FaultModel.Expectation.verified), ("copied", .copied),
      ("failed all", .failedAll(on: nil)),
      ("failed all on dst", .failedAll(on: "dst")), ("failed some", .failedSome(on: nil)),
      ("failed \"all\"", .failed([.suffix("all")], on: nil)), ("refused", .refused),
      ("recovery", .recovery), ("sound", .sound), ("interrupted", .interrupted),
      ("incomplete", .incomplete), ("undetectable \"why\"", .undetectable("why")),
    ])
  func verdicts(text: String, wanted: FaultModel.Expectation) throws {
    let statements = try ScriptParser.parse(script("expect " + text), name: "t").cases[0].statements
    guard case .expect(let found) = try #require(statements.first) else {
      Issue.record("no expectation")
      return
    }
    #expect(found == wanted)
  }

  @Test(
    "cards",
    arguments: [
      ("red", CardChoice.named("red")), ("empty", .empty),
      (
        "random files=20 bytes=64KiB..4MiB seed=7",
        .random(files: 20, smallest: 65536, largest: 4_194_304, seed: 7)
      ),
      ("random seed=3 bytes=1KiB", .random(files: 20, smallest: 1024, largest: 1024, seed: 3)),
    ])
  func cards(text: String, wanted: CardChoice) throws {
    let parsed = try ScriptParser.parse(script("card " + text, "expect verified"), name: "test")
    #expect(parsed.cases[0].preamble.card == wanted)
  }

  @Test("explore lines are kept")
  func explorations() throws {
    let text = script("expect verified") + "explore op write,fsync fault all legal depth 2\n"
    let parsed = try ScriptParser.parse(text, name: "test")
    #expect(parsed.explorations.map(\.operations) == [[.write, .fsync]])
    #expect(parsed.explorations.map(\.depth) == [2])
  }

  @Test("case ids are made of the script's name, the title and the mode")
  func ids() throws {
    let text = script("expect verified").replacing("the case", with: "Close: EIO, 2x (C06)!")
    let parsed = try ScriptParser.parse(text, name: "exfat")
    #expect(
      parsed.id(of: parsed.cases[0], mode: .paranoid) == "exfat/close-eio-2x-c06@paranoid")
  }

  @Test("a case's text ends before the next case, without trailing comments")
  func caseText() throws {
    let text = script("full dst", "expect sound") + "# next\ncase \"b\"\n  expect verified\n"
    let parsed = try ScriptParser.parse(text, name: "test")
    #expect(parsed.cases[0].text == "case \"the case\"\n  full dst\n  expect sound\n")
    #expect(parsed.cases[1].text == "case \"b\"\n  expect verified\n")
  }
}

extension String {
  func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
