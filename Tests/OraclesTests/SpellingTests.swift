import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

/// Copies whose names the destination spells otherwise than the source.
@Suite struct SpellingTests {
  private static func spelt(_ tree: TreeSnapshot?) -> TreeSnapshot? {
    tree.map { tree in
      TreeSnapshot(
        entries: Dictionary(
          uniqueKeysWithValues: tree.entries.map { path, entry in
            (BytePath(path.escaped.lowercased()), entry)
          }))
    }
  }

  @Test(
    "a name in the other case is the file where the volume takes both for one, and nowhere else",
    arguments: [("exfat-linux", true), ("smb", true), ("ext4", false), ("nfs", false)])
  func cases(persona name: String, isThere: Bool) throws {
    var builder = CaseBuilder(destinations: ["dst"])
    var persona = try #require(Persona.named(name))
    persona.facts = Persona.test().facts
    builder.personas["dst"] = persona
    builder.run.volatile["dst"] = Self.spelt(builder.run.volatile["dst"])
    builder.run.durable["dst"] = Self.spelt(builder.run.durable["dst"])
    let judgement = Judge.judgement(builder.artefacts)
    #expect((judgement.verdict == .pass) == isThere, "\(judgement.findings)")
    #expect(judgement.findings.contains { $0.oracle == "truth" } == !isThere)
  }
}
