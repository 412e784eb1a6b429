import FaultModel
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
