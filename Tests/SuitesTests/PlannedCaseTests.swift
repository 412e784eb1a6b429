import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Suites

@Suite struct PlannedCaseTests {
  static let cases = """
    case "first one"
      fail write dst:** with EIO
      expect failed all
    case "Second: two"
      card empty
      full dst
      expect refused
    """

  @Test("replay: a case stands alone at the lines of its script, and means the same")
  func isolated() throws {
    let script = try Scripts.script(Self.cases)
    let planned = try PlannedCase.all(of: script, subject: "offload")
    #expect(
      planned.map(\.identity.id) == [
        "t/first-one@standard", "t/first-one@paranoid", "t/second-two@standard",
        "t/second-two@paranoid",
      ])
    for (index, one) in [planned[0], planned[2]].enumerated() {
      #expect(one.script.cases.count == 1)
      #expect(one.scriptCase.line == script.cases[index].line)
      #expect(one.scriptCase.rules.map(\.line) == script.cases[index].rules.map(\.line))
      #expect(one.scriptCase.rules.map(\.text) == script.cases[index].rules.map(\.text))
      #expect(one.scriptCase.preamble.volumes == script.cases[index].preamble.volumes)
    }
  }

  @Test("replay: a seed and a card of the command line win over the script's")
  func overrides() throws {
    let planned = try PlannedCase.all(
      of: try Scripts.script(Self.cases), seed: 77, card: "p2", modes: [.thorough],
      subject: "offload")
    #expect(planned.map(\.scriptCase.preamble.seed) == [77, 77])
    #expect(planned.map(\.scriptCase.preamble.card) == [.named("p2"), .named("p2")])
    #expect(planned.map(\.mode) == [.thorough, .thorough])
  }

  private func expectations(_ planned: PlannedCase) -> [FaultModel.Expectation] {
    planned.scriptCase.statements.compactMap { statement in
      if case .expect(let expectation) = statement { expectation } else { nil }
    }
  }

  @Test("fault: quick mode copies where a case without rules verifies, and leaves out the others")
  func quick() throws {
    let script = try Scripts.script(
      """
      case "clean"
        expect verified  # all of it
      case "struck"
        fail write dst:** with EIO
        expect failed all
      case "named"
        modes quick
        fail write dst:** with EIO
        expect failed all
      """)
    let planned = try PlannedCase.all(of: script, modes: [.quick, .standard], subject: "offload")
    #expect(
      planned.map(\.identity.id) == [
        "t/clean@quick", "t/clean@standard", "t/struck@standard", "t/named@quick",
      ])
    #expect(planned.map(expectations)[..<2] == [[.copied], [.verified]])
  }

  static let widened: [(body: String, expected: [FaultModel.Expectation]?)] = [
    ("expect verified", [.verified]),
    ("fail write dst:** with EIO\n  expect failed all # why", [.failedAll(on: "dst")]),
    (
      "given src \"a#b\" bytes 1\n  drop write dst:a* \n  expect failed some",
      [.failedSome(on: "dst")]
    ),
    ("corrupt read src:**\n  expect failed all", [.failedAll(on: nil)]),
    ("given dst \"a\"\n  given src \"a\"\n  expect failed a", [.failed([.suffix("a")], on: "dst")]),
    ("full dst\n  expect refused", [.refused]),
    ("fail read src:** with EIO\n  full dst\n  expect failed all", nil),
  ]

  @Test("fault: a case with more destinations fails where its rules strike", arguments: widened)
  func widen(row: (body: String, expected: [FaultModel.Expectation]?)) throws {
    let script = try Scripts.script("case \"one\"\n  \(row.body)")
    let planned = try PlannedCase.all(
      of: script, modes: [.standard], destinations: 3, subject: "offload")
    guard let expected = row.expected else {
      #expect(planned.isEmpty)
      return
    }
    let only = try #require(planned.first)
    #expect(expectations(only) == expected)
    let destinations = only.scriptCase.preamble.destinations
    #expect(destinations.map(\.name) == ["dst", "dst2", "dst3"])
    #expect(Set(destinations.map(\.persona)) == ["exfat-linux"])
    #expect(only.scriptCase.rules.map(\.line) == script.cases[0].rules.map(\.line))
  }

  @Test(
    "exploration: a title with any character is explored", arguments: ["a\\nb", "\\\"x\\\" \\\\"])
  func titles(_ title: String) throws {
    let script = try Scripts.script("case \"\(title)\"\n  expect verified")
    let planned = try PlannedCase.all(of: script, modes: [.standard], subject: "offload")[0]
    #expect(try planned.sequential(false).scriptCase.title == script.cases[0].title)
  }

  @Test("exploration: a case that cannot be written for it is broken, and nothing is green")
  func unwritable() throws {
    let good = try Scripts.planned()
    let script = Script(
      name: "t", text: "custody-fault 1\ncase \"one\"\n  wobble dst\n",
      preamble: good.script.preamble, cases: good.script.cases, explorations: [])
    let folder = BytePath("/tmp/custody-suites-tests-\(RandomID().text)")
    defer { try? ScratchFolder.remove(folder) }
    let runner = SuiteRunner(
      settings: RunSettings(
        harness: "/none", cards: CardLibrary(folders: []),
        makeSubject: { name throws(SubjectFailure) in throw SubjectFailure(name) }, seed: 1,
        build: "", kernel: ""),
      directory: try Run.Directory.create(verb: "t", stamp: "t", chosen: folder),
      events: EventStream([]), stop: StopFlag())
    let explorer = Explorer(runner: runner, choice: ExplorationChoice())
    let end = try explorer.explore([
      ExplorationTarget(cases: [good.with(script, good.scriptCase)], operations: [], depth: 1)
    ])
    #expect(end.results.first?.id == good.identity.id)
    #expect(end.results.allSatisfy { $0.verdict == .broken })
  }

  @Test("runner: samples are a function of seed and id, about as often as they say")
  func samples() {
    let ids = (0..<50_000).map { "exfat/case-\($0)@standard" }
    let repeated = ids.count { Sample(seed: 1, id: $0).isRepeated }
    let outside = ids.count { Sample(seed: 1, id: $0).isSeenOutside }
    #expect((400...600).contains(repeated))
    #expect((60...140).contains(outside))
    #expect(
      ids.allSatisfy { Sample(seed: 1, id: $0).isRepeated == Sample(seed: 1, id: $0).isRepeated })
    #expect(
      ids.contains { Sample(seed: 1, id: $0).isRepeated != Sample(seed: 2, id: $0).isRepeated })
  }
}
