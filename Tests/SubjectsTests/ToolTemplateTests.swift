import HarnessKit
import SystemIO
import Testing

@testable import Subjects

@Suite struct ToolTemplateTests {
  private static func words(_ text: String, isShell: Bool = false) throws -> [String] {
    try ToolTemplate(text, isShell: isShell)
      .filled(source: "/s", destinations: ["/d", "/e"])
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "tools: a command is split at blanks; quotes and backslashes keep them",
    arguments: [
      ("cp -a {src}/. {dst}/", ["cp", "-a", "/s/.", "/d/"]),
      ("  cp\t{src}\n{dst} ", ["cp", "/s", "/d"]),
      ("x 'a  b' {src} {dst}", ["x", "a  b", "/s", "/d"]),
      (#"x "it's" {src} {dst}"#, ["x", "it's", "/s", "/d"]),
      (#"x a\ b \' \\ {src} {dst}"#, ["x", "a b", "'", "\\", "/s", "/d"]),
      (#"x '\' {src} {dst}"#, ["x", "\\", "/s", "/d"]),
      ("x '' {src} {dst}", ["x", "", "/s", "/d"]),
      ("x --from='{src}' \"{dst}\"/y", ["x", "--from=/s", "/d/y"]),
      ("x {{a}} {src}{dst}", ["x", "{a}", "/s/d"]),
      ("x {src} {dst} {dst2}", ["x", "/s", "/d", "/e"]),
    ])
  func split(text: String, words: [String]) throws {
    #expect(try Self.words(text) == words)
  }

  @Test("tools: a shell gets the whole text as it is, with the volumes in it")
  func shell() throws {
    #expect(try Self.words("cd '{src}' | x {dst}", isShell: true) == ["cd '/s' | x /d"])
  }

  @Test(
    "tools: a command that cannot be used says why",
    arguments: [
      ("", ToolTemplateError.empty), ("   ", .empty), ("cp {src} 'x", .openQuote),
      ("cp {src} {dst} \\", .openQuote), ("cp {src {dst}", .loneBrace),
      ("cp src} {dst}", .loneBrace), ("cp {src} {dst", .loneBrace),
      ("cp {src} {dest}", .unknownPlace("dest")), ("cp {src} {dst1}", .unknownPlace("dst1")),
      ("cp {src} {dst0}", .unknownPlace("dst0")), ("cp {src} {}", .unknownPlace("")),
      ("cp {dst}", .missing("src")), ("cp {src}", .missing("dst")),
      ("cp {src} {dst2}", .missing("dst")), ("cp {src} {dst} {dst3}", .missing("dst2")),
    ])
  func refused(text: String, error: ToolTemplateError) {
    #expect(throws: error) { try ToolTemplate(text) }
  }

  @Test("tools: every preset is a command, and names the programs that it needs")
  func presets() throws {
    for preset in ToolPreset.all {
      let spec = try preset.spec()
      #expect(spec.template.destinationCount == 1)
      #expect(!spec.programs.isEmpty, "\(preset.name)")
      #expect(spec.programs.contains("bash") == preset.isShell)
      #expect(preset.isShell == (spec.template.program == nil))
    }
    #expect(Set(ToolPreset.all.map(\.name)).count == ToolPreset.all.count)
  }

  @Test("tools: what is missing is named and blocks")
  func missing() throws {
    let spec = try ToolSpec(command: "no-such-tool-of-ours {src} {dst}", isShell: false)
    let failure = #expect(throws: SubjectFailure.self) { try ToolSubject(spec) }
    #expect(failure?.isBlocked == true)
    #expect(failure?.description.contains("no-such-tool-of-ours") == true)
  }

  private func task(_ volumes: [String], arguments: [BytePath] = []) -> SubjectTask {
    SubjectTask(
      source: "/s", destinations: volumes.map { (volume: $0, path: BytePath("/\($0)")) },
      mode: .standard, headroom: 0, factsFile: nil, extraArguments: arguments, scratch: "/x",
      deadlineSeconds: 1, needsFreshProcess: true)
  }

  @Test("tools: one command for each destination, or one for all that it names")
  func destinations() throws {
    let one = try ToolSubject(try ToolSpec(command: "true {src} {dst}", isShell: false))
    #expect(try one.commands(for: task(["dst", "dst2"])).map(\.volumes) == [["dst"], ["dst2"]])
    let two = try ToolSubject(try ToolSpec(command: "true {src} {dst} {dst2}", isShell: false))
    #expect(try two.commands(for: task(["dst", "dst2"])).map(\.volumes) == [["dst", "dst2"]])
    for volumes in [["dst"], ["dst", "dst2", "dst3"]] {
      let failure = #expect(throws: SubjectFailure.self) { try two.commands(for: task(volumes)) }
      #expect(failure?.isBlocked == true)
    }
  }

  @Test("tools: a shell's text never holds a path that it would read otherwise")
  func shellPaths() throws {
    let tool = try ToolSubject(try ToolSpec(command: "true {src} {dst}", isShell: true))
    #expect(try tool.commands(for: task(["dst"])).count == 1)
    for name in ["a b", "a'b", "$x", "a;b", "a\nb", "é"] {
      #expect(throws: SubjectFailure.self) { try tool.commands(for: task([name])) }
    }
  }
}
