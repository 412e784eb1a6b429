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

    private static func fixture(_ name: String) throws -> RunFixture {
      let fixture = try RunFixture()
      let root = BytePath(#filePath).parent?.parent?.parent ?? "/"
      let script = root.appending("FaultScripts/negative").appending(BytePath(name + ".fault"))
      let text = String(decoding: try FileSystem.contents(of: script), as: UTF8.self)
      try fixture.write(text, "FaultScripts/t.fault")
      return fixture
    }
  }
}
