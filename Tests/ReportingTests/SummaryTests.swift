import HarnessKit
import SystemIO
import Testing
import Wire

@testable import Reporting

@Suite struct SummaryTests {
  static let codes: [(verdicts: [Verdict], signal: Int32?, problems: Int, code: Int32)] = [
    ([.pass, .pass], nil, 0, 0),
    ([], nil, 0, 3),
    ([.pass, .blocked], nil, 0, 3),
    ([.pass, .notExercised], nil, 0, 3),
    ([.pass, .blocked, .fail], nil, 0, 1),
    ([.pass], nil, 1, 1),
    ([.pass, .fail, .broken, .blocked], nil, 0, 4),
    ([.broken, .fail], 2, 0, 130),
    ([.pass], 15, 0, 143),
  ]

  @Test("exit codes follow their precedence", arguments: codes)
  func exitCode(row: (verdicts: [Verdict], signal: Int32?, problems: Int, code: Int32)) {
    var summary = Run.Summary()
    for (index, verdict) in row.verdicts.enumerated() {
      summary.add(Samples.result("case \(index)", verdict))
    }
    summary.signal = row.signal
    summary.problems = Array(repeating: "a problem", count: row.problems)
    #expect(summary.exitCode == row.code)
  }

  @Test("an allowed case is neither green nor red: alone it shows nothing")
  func allowed() {
    var summary = Run.Summary()
    summary.add(Samples.result("known", .fail, allowed: "reason"))
    #expect(summary.exitCode == 3)
    summary.add(Samples.result("good", .pass))
    #expect(summary.exitCode == 0)
  }

  @Test("report.json holds the run, the summary and each case with its seconds")
  func report() throws {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "t", stamp: "1", chosen: scratch.path)
    let report = JSONReport(in: directory)
    for event in Samples.events(of: Samples.results) { try report.record(event) }
    let json = try JSON.parse(try scratch.contents("report.json"))
    #expect(json["reportVersion"]?.int == 1)
    #expect(json["run"]?["seed"]?.int == 20_260_711)
    #expect(json["summary"]?["exit"]?.int == 4)
    #expect(json["summary"]?["verdicts"]?["not exercised"]?.int == 1)
    #expect(json["cases"]?.array?.count == 6)
    let bad = json["cases"]?[1]
    #expect(bad?["id"]?.text == "exfat/bad@standard")
    #expect(bad?["caseSeconds"]?.double == 0.5)
    #expect(bad?["findings"]?[0]?["files"]?[0]?.text == "dst:C0002.MP4")
    #expect(bad?["rules"]?[0]?["fired"]?.int == 3)
  }
}
