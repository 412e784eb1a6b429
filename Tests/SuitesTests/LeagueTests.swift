import HarnessKit
import Subjects
import Testing

@testable import Suites

@Suite struct LeagueTests {
  private static func result(
    _ verdict: Verdict, _ oracles: [String] = [], subject: String = "cp",
    ending: String = "exit 0", fired: Int? = 1
  ) -> CaseResult {
    var result = CaseResult(
      identity: CaseIdentity(script: "s", title: "one", line: 1, mode: subject, slug: "one"),
      verdict: verdict, findings: oracles.map { Finding(oracle: $0, summary: "why") },
      rules: fired.map {
        [CaseResult.RuleCount(line: 2, text: "rule", fired: $0, isOptional: true)]
      } ?? [], subject: subject)
    result.endings = [ending]
    return result
  }

  @Test(
    "league: the gravest finding decides the word",
    arguments: [
      (["truth", "no impostor"], League.Outcome.silentLoss),
      (["truth", "source untouched"], .sourceTouched), (["nothing harmed", "clean"], .harmed),
      (["bounded", "no impostor"], .hang), (["no impostor"], .litterLeft),
      (["clean"], .litterLeft), (["no false alarm"], .falseAlarm), (["expectation"], .other),
    ])
  func failed(oracles: [String], outcome: League.Outcome) {
    #expect(League.outcome(of: Self.result(.fail, oracles), verifies: false) == outcome)
  }

  @Test("league: a wrong file is a false proof where the subject compares what it wrote")
  func verified() {
    #expect(
      League.outcome(of: Self.result(.fail, ["truth"]), verifies: true) == .falseVerified)
  }

  @Test("league: a pass is right, retried right, a clean error, or shows nothing")
  func passed() {
    func outcome(_ ending: String, _ fired: Int?) -> League.Outcome {
      League.outcome(of: Self.result(.pass, ending: ending, fired: fired), verifies: false)
    }
    #expect(outcome("exit 0", nil) == .right)
    #expect(outcome("exit 0", 1) == .retriedRight)
    #expect(outcome("exit 23", 1) == .cleanError)
    #expect(outcome("signal 9 by a rule", 1) == .cleanError)
    #expect(outcome("exit 0", 0) == .notExercised)
  }

  private static func league(_ ours: CaseResult, _ theirs: CaseResult?) throws -> League {
    let tool = try #require(try ToolPreset.named("cp")?.spec())
    var league = League(
      contestants: [
        League.Contestant(name: "offload", identity: "ours"),
        League.Contestant(name: "cp", identity: "cp 9.1", tool: tool),
      ], cases: [(id: "s/one", title: "one")])
    league.add(ours)
    if let theirs { league.add(theirs) }
    return league
  }

  @Test("league: a tool's loss is a result; only what could not be judged, and ours, counts")
  func exitCode() throws {
    let ours = Self.result(.pass, subject: "offload")
    let cases: [(CaseResult, CaseResult?, Int32)] = [
      (ours, Self.result(.pass), 0), (ours, Self.result(.fail, ["truth"]), 0),
      (ours, Self.result(.notExercised), 0), (ours, Self.result(.blocked), 3), (ours, nil, 3),
      (ours, Self.result(.broken), 4),
      (Self.result(.fail, ["truth"], subject: "offload"), Self.result(.blocked), 1),
      (Self.result(.notExercised, subject: "offload"), Self.result(.pass), 3),
      (Self.result(.pass, subject: "offload", fired: 0), Self.result(.pass), 0),
      (Self.result(.fail, ["clean"], subject: "offload"), Self.result(.broken), 4),
    ]
    for (ours, theirs, code) in cases {
      #expect(try Self.league(ours, theirs).exitCode == code)
    }
    #expect(League(contestants: [], cases: []).exitCode == 3)
  }

  @Test("league: the tables count every cell and show losses in bold")
  func tables() throws {
    let league = try Self.league(
      Self.result(.pass, subject: "offload"), Self.result(.fail, ["truth"]))
    #expect(
      league.matrix() == [["case", "offload", "cp"], ["s/one", "retried right", "silent loss"]])
    #expect(league.matrix(isMarkdown: true)[1] == ["one", "retried right", "**silent loss**"])
    let totals = league.totals
    let column = try #require(totals[0].firstIndex(of: "silent loss"))
    #expect(totals.map { $0[column] } == ["silent loss", "0", "1"])
    #expect(
      [
        "clean error", "retried right", "silent loss", "false verified", "hang", "source touched",
        "litter left", "not exercised",
      ].allSatisfy(totals[0].contains))
    #expect(league.json["cases"]?[0]?["outcomes"]?["cp"]?["outcome"]?.text == "silent loss")
    #expect(league.json["contestants"]?[1]?["totals"]?["silent loss"]?.int == 1)
  }
}
