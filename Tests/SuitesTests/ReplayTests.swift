import HarnessKit
import Subjects
import Testing
import Wire

@testable import Suites

@Suite struct ReplayTests {
  static let replay = Replay(
    build: "b", kernel: "Linux", id: "exfat/a@standard", script: "exfat",
    scriptText: Scripts.preamble + "case \"a\"\n  expect verified\n", mode: "standard",
    seed: .max, subject: "offload", deadlineSeconds: 60, generator: 1,
    cards: ["sony-m4": "custody-card 1\n"], personas: ["ext4": "00ff"], verdict: .fail)

  @Test("replay: a file reads back as it was written")
  func roundTrip() throws {
    let bytes = Self.replay.json.encoded(pretty: true)
    #expect(try Replay(parsing: bytes) == Self.replay)
  }

  @Test("replay: a gated case stays gated, and a file that does not say is not")
  func gated() throws {
    var replay = Self.replay
    replay.isGated = true
    #expect(try Replay(parsing: replay.json.encoded()).isGated)
    #expect(Self.replay.json["gated"] == nil)
  }

  @Test("replay: a tool stays with its command, version and user, and gives the case its id")
  func tool() throws {
    var replay = Self.replay
    var tool = try #require(try ToolPreset.named("tar")?.spec())
    tool.version = "tar (GNU tar) 1.34"
    replay.tool = tool
    replay.account = "nobody"
    let read = try Replay(parsing: replay.json.encoded())
    #expect(read == replay)
    #expect(Self.replay.json["tool"] == nil && Self.replay.json["as"] == nil)
    let planned = try Scripts.planned().judging(tool)
    #expect(planned.identity.id == "t/one@tar")
    #expect(planned.subject == "tar" && planned.mode == .standard)
  }

  @Test("replay: a tool's command that no longer reads is an error")
  func brokenTool() throws {
    var members = try #require(Self.replay.json.object)
    members.append(JSON.Member("tool", ["name": "tool", "command": "cp {src} {dts}"]))
    #expect(throws: ReplayError.self) { try Replay(parsing: JSON.object(members).encoded()) }
  }

  @Test("replay: an unknown version says which way to go", arguments: [0, 2, 99])
  func version(number: Int) throws {
    var members = try #require(Self.replay.json.object)
    members[0] = JSON.Member("replayVersion", JSON(number))
    let error = #expect(throws: ReplayError.self) {
      try Replay(parsing: JSON.object(members).encoded())
    }
    #expect(error == .version(number))
    #expect(error?.description.contains("this harness") == true)
  }

  @Test("replay: a missing or damaged member is an error and names it")
  func damaged() throws {
    let members = try #require(Self.replay.json.object)
    for index in members.indices where members[index].key != "replayVersion" {
      var fewer = members
      let removed = fewer.remove(at: index)
      #expect(throws: ReplayError.missing(removed.key)) {
        try Replay(parsing: JSON.object(fewer).encoded())
      }
      var wrong = members
      wrong[index] = JSON.Member(removed.key, .array([]))
      #expect(throws: ReplayError.self) { try Replay(parsing: JSON.object(wrong).encoded()) }
    }
    #expect(throws: ReplayError.self) { try Replay(parsing: Array("{".utf8)) }
  }

  @Test("replay: contents of another generator are refused with the remedy")
  func generator() {
    var other = Self.replay
    other.generator = 7
    #expect(throws: ReplayError.generator(7, known: 1)) { try ReplayedCase(other) }
  }

  @Test("replay: a file with its card runs without any folder of scripts")
  func selfContained() throws {
    var replay = Self.replay
    replay.scriptText =
      replay.scriptText.split(separator: "\n")
      .map { $0 == "card empty" ? "card own" : String($0) }.joined(separator: "\n") + "\n"
    replay.cards = [
      "own": "custody-card 1\nsummary \"one file\"\nA/B.MOV 64KiB 2026-07-11T12:00:00Z\n"
    ]
    let replayed = try ReplayedCase(replay)
    defer { replayed.removeCards() }
    #expect(replayed.planned.identity.id == "exfat/a@standard")
    #expect(try replayed.library.cards.card(named: "own").fileCount == 1)
    #expect(replayed.warnings == ["persona ext4 has other rows than when the file was written"])
  }
}
