import FaultModel
import Subjects
import SystemIO
import Testing
import Wire

extension MountTests {
  /// Every broken engine on a real mount, under its own script.
  @Suite struct Saboteurs {
    private static let broken = Saboteur.all.filter { $0.caughtBy != nil }.map(\.name)

    @Test("design 3: the oracle catches its saboteur, by name", arguments: broken)
    func caught(name: String) throws {
      let saboteur = try #require(Saboteur.named(name))
      let oracle = try #require(saboteur.caughtBy)
      let fixture = try Self.fixture(name)
      let end = try fixture.run(
        "fault", "t", "--subject", name, "--deadline", "5s", "--report", "report")
      let cases = try #require(try fixture.report()["cases"]?.array)
      #expect(!cases.isEmpty)
      for result in cases {
        let oracles = result["findings"]?.array?.compactMap { $0["oracle"]?.text } ?? []
        #expect(oracles.contains(oracle), "\(end.output)")
      }
      #expect(try fixture.leftovers() == [])
    }

    @Test(
      "the control passes every script that its broken twins fail, and so does custody",
      arguments: ["honest", "offload"])
    func control(subject: String) throws {
      for name in Self.broken {
        let fixture = try Self.fixture(name)
        let end = try fixture.run("fault", "t", "--subject", subject, "--report", "report")
        #expect(end.status == .exited(0), "\(name): \(end.output)")
      }
    }

    @Test("issue 3: without the effect its oracle has nothing to say", arguments: broken)
    func needed(name: String) throws {
      let saboteur = try #require(Saboteur.named(name))
      let text = try Self.text(name)
      let script = try ScriptParser.parse(Array(text.utf8), name: name)
      let variants = script.cases.flatMap { one in
        one.rules.map { rule in Self.variant(of: one, without: rule) }
      }
      // Some need no fault at all.
      if variants.isEmpty { return }
      let preamble = text.prefix(upTo: text.firstRange(of: "\ncase ")?.lowerBound ?? text.endIndex)
      let fixture = try RunFixture()
      try fixture.write(preamble + "\n" + variants.joined(), "FaultScripts/t.fault")
      let end = try fixture.run(
        "fault", "t", "--subject", name, "--deadline", "5s", "--report", "report")
      let cases = try #require(try fixture.report()["cases"]?.array)
      #expect(cases.count == variants.count, "\(end.output)")
      for result in cases {
        #expect(result["verdict"]?.text != "broken", "\(end.output)")
        let oracles = result["findings"]?.array?.compactMap { $0["oracle"]?.text } ?? []
        #expect(!oracles.contains(try #require(saboteur.caughtBy)), "\(end.output)")
      }
    }

    /// A case without one of its rules, which then expects that all is well.
    private static func variant(of one: ScriptCase, without rule: Rule) -> String {
      var lines = one.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      lines[rule.line - one.line] = ""
      lines[0] = "case \"\(one.title), without line \(rule.line)\""
      for index in lines.indices
      where lines[index].drop(while: { $0 == " " }).hasPrefix("expect") {
        lines[index] = "  expect verified"
      }
      return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ name: String) throws -> String {
      let root = BytePath(#filePath).parent?.parent?.parent ?? "/"
      let script = root.appending("FaultScripts/negative").appending(BytePath(name + ".fault"))
      return String(decoding: try FileSystem.contents(of: script), as: UTF8.self)
    }

    private static func fixture(_ name: String) throws -> RunFixture {
      let fixture = try RunFixture()
      try fixture.write(try text(name), "FaultScripts/t.fault")
      return fixture
    }
  }
}
