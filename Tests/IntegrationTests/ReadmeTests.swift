import SystemIO
import Testing

extension IntegrationTests {
  /// What the README promises is there.
  @Suite("The README")
  struct ReadmeTests {
    @Test("every command that the pages name has its help")
    func commands() throws {
      let root = try #require(BytePath(#filePath).parent?.parent?.parent)
      var verbs: Set<String> = []
      for page: BytePath in ["README.md", "docs/architecture.md", "FaultScripts/README.md"] {
        let text = String(
          decoding: try FileSystem.contents(of: root.appending(page)), as: UTF8.self)
        for match in text.matches(of: /(?:`|\n\$? ?|\n)(custody|harness) ([a-z]+)/) {
          verbs.insert("\(match.1) \(match.2)")
        }
      }
      #expect(verbs.count >= 6)
      // Verbs that our own processes start have no line in the help, but they run.
      for verb in verbs.subtracting(["harness rig", "harness watchdog"]) {
        let words = verb.split(separator: " ").map { BytePath(String($0)) }
        let help = try Tool.run(Product.path(words[0]), ["help", words[1]])
        #expect(help.status == .exited(0), "\(verb): \(help.errors)")
      }
    }
  }
}
