import SystemIO
import Testing

@testable import CommandLineKit

private let card = Parameter.positional("CARD", .path, "the card's root folder")
private let to = Parameter.option("--to", "FOLDER", .path, required: true, repeats: true, "a copy")
private let mode = Parameter.option("--mode", "MODE", .oneOf(["standard", "quick"]), "how")
private let headroom = Parameter.option("--headroom", "SIZE", .size, "bytes left free")
private let deadline = Parameter.option("--deadline", "TIME", .duration, "when it is over")
private let workers = Parameter.option("--workers", "N", .integer(1...16), "threads")
private let name = Parameter.option("--name", "TEXT", .text, "a label")
private let json = Parameter.flag("--json", "events as JSON lines")
private let inner = Parameter.flag("--inner", hidden: true, "not shown")

private let program = Program(
  "custody", "moves files", version: "custody 1",
  commands: [
    Command(
      "copy", "copies a card",
      parameters: [
        card.row, to.row, mode.row, headroom.row, deadline.row, workers.row, name.row, json.row,
        inner.row,
      ],
      examples: [.init("custody copy /card --to /a", "Copies the card and proves the copy.")],
      exitCodes: [.init("0", "every file is verified")]),
    Command("serve", "runs jobs", parameters: []),
    Command("secret", "not shown", parameters: [], hidden: true),
  ])

private func arguments(_ words: String...) throws -> Arguments {
  guard case .run(_, let result) = try program.parse(words.map { Array($0.utf8) }) else {
    throw UsageError("no command was run")
  }
  return result
}

@Suite("The arguments table: values are checked, unknown words get a hint")
struct ParseTests {
  @Test("options stand before, between and after positional arguments, in both forms")
  func forms() throws {
    let result = try arguments(
      "copy", "--to", "/a", "/card", "--to=/b", "--headroom=10MiB", "--json", "--deadline", "30s")
    #expect(result[card] == "/card")
    #expect(result.all(to) == ["/a", "/b"])
    #expect(result[headroom] == 10 << 20)
    #expect(result[deadline] == .seconds(30))
    #expect(result.has(json))
    #expect(result[mode] == nil)
    #expect(result[mode, default: "standard"] == "standard")
  }

  @Test("two dashes end the options, and a path may begin with dashes")
  func endOfOptions() throws {
    #expect(try arguments("copy", "--to=--odd", "--", "--card")[card] == "--card")
    #expect(try arguments("copy", "--to=--odd", "--", "--card")[to] == "--odd")
    #expect(try arguments("copy", "--to=-", "-")[card] == "-")
  }

  @Test("a path keeps bytes that are no UTF-8, and a text refuses them")
  func rawBytes() throws {
    let odd: [UInt8] = [0x2f, 0xff, 0xc3, 0x28]
    guard
      case .run(_, let result) = try program.parse(
        [Array("copy".utf8), odd, Array("--to".utf8), odd])
    else { return }
    #expect(result[card]?.bytes == odd)
    #expect(result[to]?.bytes == odd)
    let error = #expect(throws: UsageError.self) {
      try program.parse([Array("copy".utf8), odd, Array("--name".utf8), odd])
    }
    #expect(error?.message == "custody copy: --name: '/\\xff\\xc3(' is no UTF-8 text")
  }

  @Test(
    "a wrong line is a usage error that says what and what to do",
    arguments: [
      (["copi"], "unknown command 'copi'", "Did you mean copy?"),
      (["xyz"], "unknown command 'xyz'", "The commands are copy, serve"),
      (["--verison"], "unknown option '--verison'", "Did you mean --version?"),
      (["copy", "/c", "--ot", "/a"], "unknown option '--ot'", "Did you mean --to"),
      (["copy", "/c", "--inne"], "unknown option '--inne'", "See custody copy --help"),
      (["copy", "/c", "-q"], "unknown option '-q'", "See custody copy --help"),
      (["copy", "/c"], "option --to is missing", "Usage: custody copy CARD"),
      (["copy", "--to", "/a"], "argument CARD is missing", "Usage:"),
      (["copy", "/c", "/d", "--to", "/a"], "unexpected argument '/d'", "Usage:"),
      (["copy", "/c", "--to"], "--to needs a value", "Write --to FOLDER"),
      (["copy", "/c", "--to", "--json"], "--to needs a value", "Write --to FOLDER"),
      (["copy", "/c", "--to", "/a", "--json=1"], "--json takes no value", ""),
      (["copy", "/c", "--to", ""], "--to: '' is no path", ""),
      (["copy", "/c", "--mode", "quick", "--mode", "quick"], "--mode is given twice", ""),
      (["copy", "/c", "--mode", "quik"], "did you mean quick?", ""),
      (["copy", "/c", "--headroom", "1KB"], "'1KB' is no size", ""),
      (["copy", "/c", "--headroom", "17179869184GiB"], "is no size", ""),
      (["copy", "/c", "--headroom", "-1"], "is no size", ""),
      (["copy", "/c", "--deadline", "5"], "is no length of time", ""),
      (["copy", "/c", "--workers", "17"], "is not between 1 and 16", ""),
      (["copy", "/c", "--workers", "99999999999999999999"], "is no whole number", ""),
    ])
  func wrongLines(words: [String], message: String, remedy: String) {
    let error = #expect(throws: UsageError.self) {
      try program.parse(words.map { Array($0.utf8) })
    }
    #expect(error?.message.contains(message) == true)
    #expect(error?.remedy.hasPrefix(remedy) == true)
  }

  @Test("a message shows control characters escaped")
  func controls() {
    let error = #expect(throws: UsageError.self) { try program.parse([[0x1b, 0x5b, 0x6d]]) }
    #expect(error?.message == "custody: unknown command '\\x1b[m'")
    let withNUL = #expect(throws: UsageError.self) { try program.parse([[0x61, 0, 0x1b]]) }
    #expect(withNUL?.message == "custody: unknown command 'a\\x00\\x1b'")
  }

  @Test(
    "help is given by every way of asking, and after two dashes it is an argument",
    arguments: [["--help"], ["-h"], ["help"], [], ["copy", "--help"], ["help", "copy"]])
  func helpWays(words: [String]) throws {
    guard case .text(let text) = try program.parse(words.map { Array($0.utf8) }) else {
      Issue.record("no text")
      return
    }
    #expect(text.contains(words.contains("copy") ? "Exit codes" : "Commands"))
    #expect(try arguments("copy", "--to", "/a", "--", "--help")[card] == "--help")
  }

  @Test("hidden verbs and options run and are not shown")
  func hidden() throws {
    _ = try arguments("secret")
    #expect(try arguments("copy", "/c", "--to", "/a", "--inner").has(inner))
    #expect(!program.help(columns: 80).contains("secret"))
    #expect(!program.help(of: program.commands[0], columns: 80).contains("--inner"))
  }
}
