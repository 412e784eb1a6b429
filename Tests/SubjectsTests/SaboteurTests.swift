import FaultModel
import HarnessKit
import Oracles
import SystemIO
import Testing

@testable import Subjects

@Suite struct SaboteurTests {
  private static let root: BytePath =
    BytePath(#filePath).parent?.parent?.parent ?? "/"

  @Test("each saboteur has a script of its name that loads", arguments: Saboteur.all.map(\.name))
  func script(name: String) throws {
    let path = Self.root.appending("FaultScripts/negative").appending(BytePath(name + ".fault"))
    let text = try FileSystem.contents(of: path)
    let cards = CardLibrary(folders: [Self.root.appending("Fixtures/cards")])
    let script = try ScriptLoader(cards: cards).load(text, name: name)
    #expect(!script.cases.isEmpty)
  }

  @Test("each script of the negative folder is for a saboteur")
  func noStrays() throws {
    let names = try PinnedDirectory.open(Self.root.appending("FaultScripts/negative")).list()
      .map { $0.name.escaped }
    #expect(Set(names) == Set(Saboteur.all.map { $0.name + ".fault" }))
  }

  @Test("one control passes, each defect has its saboteur and its oracle")
  func catalogue() {
    #expect(Saboteur.all.filter { $0.caughtBy == nil }.map(\.name) == ["honest"])
    #expect(
      Set(Saboteur.all.compactMap(\.defect)) == Set(Saboteur.Defect.allCases))
    #expect(Set(Saboteur.all.map(\.name)).count == Saboteur.all.count)
    #expect(Saboteur.named("nobody") == nil)
  }

  @Test("design 3: each oracle has a saboteur that it must catch")
  func oracles() {
    #expect(Set(Saboteur.all.compactMap(\.caughtBy)) == Set(OracleCatalogue.all.map(\.name)))
  }
}
