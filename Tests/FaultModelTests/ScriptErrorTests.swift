import FaultModel
import Testing

/// A case's line with `‸` before the word at fault, and a part of the message.
struct WrongLine: CustomTestStringConvertible, Sendable {
  let marked: String
  let message: String
  var testDescription: String { marked }

  init(_ marked: String, _ message: String) {
    self.marked = marked
    self.message = message
  }

  static let all: [WrongLine] = [
    WrongLine("‸fial write dst:a with EIO", "unknown word 'fial'"),
    WrongLine("fail ‸wirte dst:a with EIO", "unknown operation 'wirte'"),
    WrongLine("fail ‸write,write dst:a with EIO", "'write' stands there twice"),
    WrongLine("fail ‸write, dst:a with EIO", "unknown operation ''"),
    WrongLine("fail write ‸dts:a with EIO", "no volume 'dts'"),
    WrongLine("fail write ‸a with EIO", "not a target"),
    WrongLine("fail write ‸dst: with EIO", "no target"),
    WrongLine("fail write ‸dst:/a with EIO", "not a path below"),
    WrongLine("fail write ‸dst:a/../b with EIO", "not a path below"),
    WrongLine("fail write ‸dst:<tmp#0> with EIO", "not a name of the subject's own"),
    WrongLine("fail write ‸dst:<temp#1> with EIO", "not a name of the subject's own"),
    WrongLine("fail write ‸dst:a\"b\" with EIO", "a quote within a bare word"),
    WrongLine("fail write dst:‸\"a with EIO", "never closed"),
    WrongLine("fail write dst:\"a‸\\q\" with EIO", "unknown escape"),
    WrongLine("fail write dst:\"é‸\\x9\" with EIO", "two hex digits"),
    WrongLine("fail write dst:\"‸\\u{d800}\" with EIO", "hex digits of a character"),
    WrongLine("fail write dst:‸\"\\x00\" with EIO", "NUL"),
    WrongLine("fail write dst:\"a\"‸x with EIO", "only *N"),
    WrongLine("fail write dst:\"ab\"‸*99999999 with EIO", "longer than"),
    WrongLine("fail write dst:a with ‸EIOO", "unknown error name"),
    WrongLine("fail write dst:a with ‸EEXIST", "'write' cannot answer EEXIST"),
    WrongLine("fail read,write dst:a with ‸ENOSPC", "'read' cannot answer ENOSPC"),
    WrongLine("fail write dst:a‸", "ends too early"),
    WrongLine("fail write dst:a with‸", "ends too early"),
    WrongLine("fail write dst:a with EIO ‸with EIO", "says again"),
    WrongLine("fail write dst:a with EIO nth 1 ‸nth 2", "says again"),
    WrongLine("fail write dst:a with EIO once ‸always", "says again"),
    WrongLine("fail write dst:a with EIO ‸keep all", "has no meaning for 'fail'"),
    WrongLine("fail write dst:a with EIO ‸frm 1MiB", "unknown word in a rule"),
    WrongLine("fail write dst:a with EIO nth ‸x", "not a number"),
    WrongLine("fail write dst:a with EIO nth ‸0", "least number here is 1"),
    WrongLine("fail write dst:a with EIO from ‸1MB", "not a size"),
    WrongLine("fail write dst:a with EIO from ‸99999999999GiB", "not a size"),
    WrongLine("fail write dst:a with EIO range ‸1MiB", "not a range"),
    WrongLine("fail write dst:a with EIO range ‸1MiB+0", "empty"),
    WrongLine("fail write dst:a with EIO chance ‸1.5", "not a probability"),
    WrongLine("fail write dst:a with EIO chance ‸nan", "not a probability"),
    WrongLine("fail write dst:a with EIO at ‸101%", "not a share"),
    WrongLine("fail write dst:a with EIO after ‸dawn", "neither a phase nor an operation"),
    WrongLine("fail write dst:a with EIO between stat ‸or open", "unexpected word"),
    WrongLine("fail write dst:a with EIO ‸at every op", "belongs to crash"),
    WrongLine("fail write dst:a with EIO ‸entry 2", "belongs to hide"),
    WrongLine("fail write dst:a with EIO ‸as old", "belong to rename"),
    WrongLine("corrupt write dst:a as ‸old", "unknown corruption"),
    WrongLine("fail link dst:a with EIO ‸from 1", "byte offset"),
    WrongLine("full dst ‸range 0+1", "byte offset"),
    WrongLine("full dst ‸nth 3", "could be counted"),
    WrongLine("full dst ‸every 3", "could be counted"),
    WrongLine("full dst ‸by reader", "could be counted"),
    WrongLine(
      "fail write dst:a with EIO after stat ‸between stat and open", "'before' and 'after'"),
    WrongLine("fail write dst:a with EIO nth 1 ‸every 2", "contradict"),
    WrongLine("fail write dst:a with EIO ‸after eviction", "belongs to reads"),
    WrongLine("fail stat dst:a with EIO ‸performed", "changes nothing"),
    WrongLine("fail write dst:a with EIO ‸forgetting", "only fsync"),
    WrongLine("fail fsync dst:a with EIO ‸losing last 1", "only close"),
    WrongLine("fail fsync dst:a with EIO forgetting ‸performed", "says again"),
    WrongLine("drop ‸read dst:a", "'drop read' has no meaning"),
    WrongLine("drop ‸create dst:a", "'drop create' has no meaning"),
    WrongLine("lose ‸fsync dst:a", "'lose fsync' has no meaning"),
    WrongLine("drop ‸close dst:a", "'drop close' has no meaning"),
    WrongLine("stale ‸write dst:a", "out of date"),
    WrongLine("stale ‸readlink dst:a", "out of date"),
    WrongLine("fail open dst:a with EACCES ‸pass 2", "reads and listings"),
    WrongLine("full dst ‸pass 2", "reads and listings"),
    WrongLine("delay readdir dst:a for 1s ‸entry 2", "belongs to hide"),
    WrongLine("fail write dst:a with EIO ‸of dst:b", "'at N%' and 'after SIZE'"),
    WrongLine("fail mkdir dst:a with EIO ‸by reader", "an open file"),
    WrongLine("limit subject stdout 5 ‸at 50%", "from the start of a run"),
    WrongLine("report stat src:a type ‸unknown", "not a value"),
    WrongLine("delay write dst:a‸", "ends too early"),
    WrongLine("hang write dst:a for ‸5", "not a duration"),
    WrongLine("short ‸fsync dst:a", "unknown operation"),
    WrongLine("torn ‸read dst:a", "unexpected word"),
    WrongLine("corrupt write dst:a as ‸ones", "unknown corruption"),
    WrongLine("misdirect write dst:a‸", "ends too early"),
    WrongLine("swap ‸node dst:a", "unexpected word"),
    WrongLine("swap inode dst:a bytes ‸5", "unknown kind of bytes"),
    WrongLine("full ‸Dst", "not the name of a volume"),
    WrongLine("full ‸dst9", "no volume 'dst9'"),
    WrongLine("crash ‸dst,dst", "stands there twice"),
    WrongLine("crash dst keep ‸some", "unknown crash state"),
    WrongLine("crash dst keep only‸", "ends too early"),
    WrongLine("crash dst keep only ‸0", "not a list of numbers"),
    WrongLine("crash dst keep only ‸1,,2", "not a list of numbers"),
    WrongLine("crash dst ‸keep only 1 at every op", "at one moment only"),
    WrongLine("change src:a ‸grow 5", "unknown change"),
    WrongLine("change src:a write ‸5", "not a range"),
    WrongLine("report stat src:a ‸colour 5", "unknown field"),
    WrongLine("report stat src:a size ‸big", "not a value"),
    WrongLine("report lseek src:a‸", "ends too early"),
    WrongLine("kill ‸subjekt", "unexpected word"),
    WrongLine("kill subject ‸now", "unknown word in a rule"),
    WrongLine("limit subject ‸files 5", "unknown limit"),
    WrongLine("clock dst ‸5", "not a duration"),
    WrongLine("given ‸dst9 \"a\"", "no volume 'dst9'"),
    WrongLine("given dst ‸a", "quoted string"),
    WrongLine("given dst \"a\" ‸byte 5", "unknown word of a given"),
    WrongLine("given dst ‸\"a/\" bytes 5", "a folder has no bytes"),
    WrongLine("given dst ‸\"a\" fifo bytes 5", "one kind"),
    WrongLine("given dst \"a\" mode ‸999", "not permission bits"),
    WrongLine("given dst \"a\" mtime ‸2026-02-29T00:00:00Z", "not a time"),
    WrongLine("given dst \"a\" mtime ‸1899-12-31T23:59:59Z", "not a time"),
    WrongLine("expect ‸failure", "unknown verdict"),
    WrongLine("expect failed‸", "ends too early"),
    WrongLine("expect failed a ‸a", "says again"),
    WrongLine("expect failed all on ‸src", "is no destination"),
    WrongLine("expect verified ‸on dst", "should end here"),
    WrongLine("expect warns ‸\"\"", "empty"),
    WrongLine("volume dst persona ext4‸", "ends too early"),
    WrongLine("volume dst ‸size 5", "unknown word of a volume"),
    WrongLine("volume dst capacity 5 ‸capacity 6", "says again"),
    WrongLine("volume dst capacity 5 cache ‸off", "unknown cache policy"),
    WrongLine("volume dst = ‸dst", "no other way to itself"),
    WrongLine("card random ‸file=3", "unknown part"),
    WrongLine("card random ‸bytes=2MiB..1MiB", "smaller size comes first"),
    WrongLine("card random ‸files=0", "1 to"),
    WrongLine("modes standard ‸standard", "says again"),
    WrongLine("modes ‸fast", "unknown mode"),
    WrongLine("seed ‸x", "not a number"),
    WrongLine("run ‸now", "quoted string"),
    WrongLine("run two ‸in turn", "unexpected word"),
    WrongLine("disarm ‸all", "should end here"),
    WrongLine("‸throttle dst 5", "network effect"),
    WrongLine("explore op write fault all legal depth ‸0", "least number"),
  ]
}

@Suite("Script errors") struct ScriptErrorTests {
  @Test("an error stands at its word", arguments: WrongLine.all)
  func position(wrong: WrongLine) throws {
    let line = "  " + wrong.marked.replacing("‸", with: "")
    let before = wrong.marked.split(separator: "‸", omittingEmptySubsequences: false)[0]
    let column = before.unicodeScalars.count + 3
    let rest = wrong.marked.hasPrefix("expect") ? "" : "expect sound"
    let text = script(wrong.marked.replacing("‸", with: ""), rest)
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(text, name: "test")
    }
    #expect(error.message.contains(wrong.message), "\(error)")
    #expect(error.line == 7)
    #expect(error.column == column, "\(error)")
    #expect(error.lineText == line)
  }

  @Test("the text of an error shows the line, a caret under the word and what was expected")
  func rendering() throws {
    let text = script("\tfail write dst:é with EIOO", "expect sound")
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(text, name: "test")
    }
    #expect(
      error.description == """
        test.fault:7:26: unknown error name
            \tfail write dst:é with EIOO
            \t                      ^~~~
        did you mean 'EIO'?
        expected an error's name such as EIO or ENOSPC
        """)
  }

  @Test(
    "what a whole script must have",
    arguments: [
      ("", 1, 1, "not a fault script"), ("custody-fault 2\n", 1, 15, "version"),
      ("custody-fault\n", 1, 14, "ends too early"), ("custody-fault 1 x\n", 1, 17, "end here"),
      ("custody-fault 1\n", 2, 1, "no case"), ("custody-fault 1\nrun\n", 2, 1, "before the first"),
      ("custody-fault 1\r\n", 1, 16, "carriage return"),
      ("custody-fault 1\n\u{1}\n", 2, 1, "control"),
      ("custody-fault 1\ncase \"!\"\n", 2, 6, "needs a letter"),
      ("custody-fault 1\ncase \"a\"\n", 2, 6, "expects nothing"),
      ("custody-fault 1\ncase \"a\"\n expect verified\n", 2, 6, "no volume 'src'"),
      ("custody-fault 1\ncard empty\ncard empty\n", 3, 1, "says again"),
      ("custody-fault 1\ncase\n", 2, 5, "ends too early"),
    ])
  func whole(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(text, name: "test")
    }
    #expect(error.message.contains(message), "\(error)")
    #expect(error.line == line && error.column == column, "\(error)")
  }

  @Test("bytes that are not UTF-8 are refused at their place")
  func notUTF8() throws {
    let text = Array("custody-fault 1\n# é".utf8) + [0xff, 0x0a]
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(text, name: "test")
    }
    #expect(error.line == 2 && error.column == 4 && error.message.contains("UTF-8"))
  }

  @Test(
    "what a case must have",
    arguments: [
      (["expect verified", "expect refused"], "has its verdict already"),
      (["expect warns \"x\""], "no verdict"), (["run"], "expects nothing"),
      (["expect verified", "run", "expect verified"], "stands behind the run"),
      (["run", "expect verified", "full dst"], "behind the last run"),
      (["run", "expect verified", "given dst \"x\""], "behind the last run"),
      (["volume dst capacity 1MiB inside x", "expect verified"], "names 'x'"),
      (["run", "expect verified", "run"], "no verdict"),
    ])
  func cases(lines: [String], message: String) throws {
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(script(lines.joined(separator: "\n  ")), name: "test")
    }
    #expect(error.message.contains(message), "\(error)")
  }

  @Test("two titles with one id are refused")
  func twins() throws {
    let text = script("expect verified") + "case \"The, case\"\n  expect verified\n"
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(text, name: "test")
    }
    #expect(error.line == 8 && error.message.contains("line 6 has the same id"))
  }

  @Test("repeated strings cannot fill memory")
  func budget() throws {
    let lines = (10..<30).map { "given dst \"\($0)\"*30000" } + ["expect sound"]
    let error = try #require(throws: ScriptError.self) {
      _ = try ScriptParser.parse(script(lines.joined(separator: "\n")), name: "test")
    }
    #expect(error.message.contains("strings of this script"))
  }
}
