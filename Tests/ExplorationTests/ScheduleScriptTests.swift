import FaultModel
import Testing

@testable import Exploration

@Suite("Scripts of schedules")
struct ScheduleScriptTests {
  private static let case1 = """
    custody-fault 1
    # a comment
    card tiny
    volume src persona ext4 capacity 64MiB
    volume dst persona ext4 capacity 64MiB

    case "a clean copy"
      given dst "x" bytes 1
      expect verified

    """

  @Test("a further rule stands before the run, and the expectation behind it")
  func addsRule() throws {
    let script = ScheduleScript(Self.case1, title: "a clean copy", arguments: "--workers 1")
    let text = script.text(
      id: "x1", adding: ["fail fsync dst:** with EIO nth 1 once"], expecting: .sound)
    let parsed = try ScriptParser.parse(text, name: "t")
    #expect(parsed.cases[0].title == "a clean copy x1")
    #expect(parsed.cases[0].rules.count == 1)
    #expect(text.contains("run \"--workers 1\"\n  expect sound\n"))
  }

  @Test("the case's own rules need not strike beside a further one")
  func ownRules() throws {
    let text = Self.case1.replacing(
      "  expect verified\n",
      with: """
          fail link dst:** with EPERM always  # of "links"
          fail fsync dst:"a #b" with EIO maybe
          expect verified

        """)
    let script = ScheduleScript(text, title: "a clean copy", arguments: nil)
    let made = script.text(id: "x", adding: ["fail open src:** with EIO once"], expecting: .sound)
    let rules = try ScriptParser.parse(made, name: "t").cases[0].rules
    #expect(rules.map(\.clauses.maybe) == [true, true, false])
    let own = try ScriptParser.parse(script.text, name: "t").cases[0].rules
    #expect(own.map(\.clauses.maybe) == [false, true])
  }

  @Test("words of a run stay behind those of the exploration")
  func keepsArguments() throws {
    let text = Self.case1.replacing(
      "  expect verified\n", with: "  run \"--single-source-read\"\n  expect verified\n")
    let script = ScheduleScript(text, title: "a clean copy", arguments: "--workers 1")
    let made = script.text(id: "x2", adding: [], expecting: .asWritten)
    #expect(made.contains("run \"--workers 1 --single-source-read\"\n  expect verified\n"))
  }

  @Test("a case with its words added stays as it is when they are added again")
  func isStable() throws {
    let once = ScheduleWords.text(
      ofScript: Self.case1, title: "a clean copy", arguments: "--workers 1")
    let twice = ScheduleWords.text(ofScript: once, title: "a clean copy", arguments: "--workers 1")
    #expect(once == twice)
  }
}
