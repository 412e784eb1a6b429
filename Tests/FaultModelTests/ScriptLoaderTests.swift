import SystemIO
import Testing

@testable import FaultModel

@Suite("Script loader") struct ScriptLoaderTests {
  static func load(_ lines: String..., preamble: String = "") throws -> Script {
    let rest = lines.contains { $0.contains("expect ") } ? [] : ["expect sound"]
    let text = script((lines + rest).joined(separator: "\n  "), preamble: preamble)
    return try RepositoryPaths.loader.load(Array(text.utf8), name: "test")
  }

  @Test("every shipped script loads", arguments: RepositoryPaths.scripts.names)
  func shipped(name: String) throws {
    let script = try RepositoryPaths.loader.load(
      RepositoryPaths.scripts.text(named: name), name: name)
    let ids = script.cases.flatMap { one in
      one.preamble.modes.map { script.id(of: one, mode: $0) }
    }
    #expect(Set(ids).count == ids.count && !ids.isEmpty)
  }

  @Test("exfat has fifty cases and more, in two modes, on three cards")
  func exfat() throws {
    let script = try RepositoryPaths.loader.load(
      RepositoryPaths.scripts.text(named: "exfat"), name: "exfat")
    #expect(script.cases.count >= 50)
    #expect(script.preamble.modes == [.standard, .paranoid])
    #expect(
      Set(script.cases.map(\.preamble.card)).isSuperset(
        of: [.named("sony-m4"), .named("p2"), .named("red")]))
    #expect(Set(script.cases.map(\.preamble.destinations.count)) == [1, 2])
  }

  @Test(
    "what no run could carry out is refused, with its reason",
    arguments: [
      ("hide src:DCIM/100MSDCF/DSC00002.JPG", "no such entry"),
      ("hide src:**/*.mov", "no such entry"),
      ("fail write dst:~C0001.MP4 with EIO", "whole path stands behind ~"),
      ("fail write dst:~PRIVATE/M4ROOT/CLIP/C000l.MP4 with EIO", "whole path stands behind ~"),
      ("fail read src:~PRIVATE/M4ROOT/CLIP/C0001.MP4 with EIO", "names a file on a destination"),
      ("fail read src:<tmp#1> with EIO", "no files of its own"),
      ("fail create dst:~PRIVATE/M4ROOT/CLIP/C0001.MP4 with EIO", "before its first byte"),
      ("full dst after published of dst:~nothing", "whole path stands behind ~"),
      ("expect failed C0009.MP4", "no source file ends so"),
      ("expect failed 0001.MP4", "no source file ends so"),
      ("expect failed *.mov", "no source file ends so"),
      ("given dst \"x\" bytes same\n  expect failed x", "the source has no file x"),
      ("given src \"DCIM/C0001.MP4\"\n  expect failed C0001.MP4", "more than one source file"),
      ("volume src persona ext4 capacity 1MiB", "should hold"),
      ("given dst \"x\" bytes 129MiB", "should hold"),
      ("card sony-m5", "no card is named 'sony-m5'; did you mean sony-m4?"),
      ("volume dst persona exfat capacity 1MiB", "unknown persona"),
      (
        "given src \"DCIM/copy.mov\" bytes like \"PRIVATE/M4ROOT/CLIP/C0001.MP4\"\n"
          + "  fail write dst:~DCIM/copy.mov with EIO", "hold the same bytes"
      ),
    ])
  func refused(line: String, message: String) throws {
    let error = try #require(throws: ScriptError.self) { _ = try Self.load(line) }
    #expect(error.message.contains(message), "\(error)")
    #expect(error.line >= 6)
  }

  @Test(
    "what a run can carry out is accepted",
    arguments: [
      "fail write dst:~PRIVATE/M4ROOT/CLIP/* with EIO", "fail lock dst:** with ENOLCK",
      "fail write dst:no/such/file with EIO",
      "given src \"e\" bytes 0\n  fail create dst:~e with EIO",
      "expect failed *.MP4", "expect failed CLIP/C0001.MP4 DCIM/100MSDCF/*",
      "change src:DCIM/new.jpg add after write\n  expect failed new.jpg",
      "given src \"é \\xff\" bytes 1\n  expect failed \"é \\xff\"",
      "given src \"take:1\"\n  expect failed take:1",
      "given src \"a\"\n  given src \"b\" bytes like \"a\"\n  fail write dst:~? with EIO",
      "run\n  expect verified\n  given src \"new\"\n  run\n  expect failed new",
    ])
  func accepted(line: String) throws {
    #expect(throws: Never.self) { try Self.load(line) }
  }

  @Test(
    "crash states need memory stores", arguments: ["memory", "backed"],
    ["crash dst keep subsets", "crash dst at every op keep all"])
  func backedStore(store: String, crash: String) throws {
    let text = script("volume dst capacity 1MiB store \(store)", crash, "expect sound")
    let parsed = try ScriptParser.parsed(Array(text.utf8), name: "test")
    let check = CaseCheck(
      scriptCase: parsed.script.cases[0], references: parsed.references[0], lexer: parsed.lexer,
      builder: TreeBuilder(cards: RepositoryPaths.cards))
    if store == "memory" { return try check.run() }
    let error = try #require(throws: ScriptError.self) { try check.run() }
    #expect(error.message.contains("is a backed store") && error.line == 8)
  }
}

@Suite("Globs") struct GlobTests {
  @Test(
    "patterns and what they match",
    arguments: [
      ("a", "a", true), ("a", "b/a", false), ("*", "a", true), ("*", "a/b", false),
      ("**", "a/b/c", true), ("**/*", "a", true), ("**/*", "a/b", true), ("**/x", "x", true),
      ("**/x", "a/b/x", true), ("**/x", "ax", false), ("a/**/x", "a/x", true),
      ("a/**/x", "a/b/c/x", true), ("a/**", "a/b/c", true), ("a/**", "a", false),
      ("*.MP4", "C1.MP4", true), ("C?.MP4", "C1.MP4", true), ("?", "é", true), ("??", "é", false),
      ("?", "/", false), ("a*b*c", "aXbYc", true), ("a*b*c", "ab", false),
      ("**/.x-*/**", "h/.x-1/f", true), ("a**b", "a/x/b", true), ("[a]", "a", false),
      ("Reports/**", "Reports/r.json", true), ("Reports/**", "Reports2/r", false),
    ])
  func matches(pattern: String, path: String, wanted: Bool) {
    #expect(Glob(pattern).matches(BytePath(path)) == wanted)
  }

  @Test("a hostile pattern ends at once")
  func hostile() {
    let pattern = String(repeating: "*a", count: 100) + "b"
    let path = BytePath(String(repeating: "a", count: 400))
    var isMatch = true
    let time = ContinuousClock().measure { isMatch = Glob(pattern).matches(path) }
    #expect(!isMatch && time < .seconds(5))
  }

  @Test("names behind 'expect failed' are ends of paths on whole components")
  func suffixes() {
    let name = FaultModel.Expectation.FileName.suffix("CLIP/C1.MP4")
    #expect(name.matches("A/CLIP/C1.MP4") && name.matches("CLIP/C1.MP4"))
    #expect(!name.matches("XCLIP/C1.MP4") && !name.matches("C1.MP4"))
    #expect(FaultModel.Expectation.FileName.glob("CLIP/*").matches("A/CLIP/x"))
    #expect(!FaultModel.Expectation.FileName.glob("LIP/*").matches("A/CLIP/x"))
  }
}
