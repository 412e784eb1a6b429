import FaultModel
import SystemIO
import Testing

@Suite("Targets as text")
struct TargetTextTests {
  private static let head =
    "custody-fault 1\nvolume src persona ext4 capacity 1MiB\n"
    + "volume dst persona ext4 capacity 1MiB\ncase \"x\"\n"

  private func target(_ text: String) throws -> Target? {
    let script = try ScriptParser.parse(
      Self.head + "  hide \(text)\n  expect sound\n", name: "t")
    guard case .hide(let target) = script.cases[0].rules[0].effect else { return nil }
    return target
  }

  @Test(
    "a target is written as it is read",
    arguments: [
      "dst:CLIP/*.MP4", "dst:\"a b/c\"", "dst:~\"A/0001.MOV\"", "dst:~CLIP/*", "dst:<tmp#2>",
      "dst:<marker#1>", "dst:\"/\"", "dst:\"\\xff\\\"\\\\\"",
    ])
  func roundTrip(_ text: String) throws {
    #expect(try target(text)?.text == text)
  }

  @Test("a lone slash is the root of the volume")
  func root() throws {
    #expect(try target("dst:\"/\"")?.subject == .path(""))
    #expect(throws: ScriptError.self) { try self.target("dst:\"\"") }
  }
}
