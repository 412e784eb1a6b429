import HarnessKit
import SystemIO
import Testing

@testable import Reporting

@Suite struct JUnitReportTests {
  private static let lint: BytePath = "/usr/bin/xmllint"

  /// Runs xmllint over a document against our schema; its complaints, empty when it is valid.
  private func complaints(about document: String) throws -> String {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "t", stamp: "s", chosen: scratch.path)
    try directory.write(Array(document.utf8), to: "junit.xml")
    let schema =
      String(#filePath.prefix(upTo: try #require(#filePath.range("/Tests/"))))
      + "/Fixtures/junit/junit.xsd"
    var command = ChildProcess.Command(
      Self.lint,
      ["--noout", "--nonet", "--schema", schema].map { Array($0.utf8) })
    command.arguments.append(scratch.path.appending("junit.xml").bytes)
    let log = try FileDescriptor.open(
      scratch.path.appending("log"), .readWrite, options: .create)
    var child = try ChildProcess.spawn(
      command, descriptors: [(log.rawValue, 2), (log.rawValue, 1)])
    let status = try child.wait()
    if status?.isSuccess == true { return "" }
    return String(decoding: try scratch.contents("log"), as: UTF8.self)
  }

  private func document(_ results: [CaseResult], problems: [String] = []) -> String {
    var summary = Samples.summary(of: results)
    summary.problems = problems
    return JUnitReport.document(Samples.start, results, summary)
  }

  @Test("report: junit.xml of every kind of result is valid against the schema of CI servers")
  func schema() throws {
    #expect(try complaints(about: document(Samples.results, problems: ["unknown id"])) == "")
    #expect(try complaints(about: document([])) == "")
  }

  @Test("report: the schema check notices what CI servers refuse")
  func schemaIsAlive() throws {
    let good = document(Samples.results)
    #expect(try complaints(about: good.replacing("<system-out>", with: "<sysout>")) != "")
    #expect(try complaints(about: good.replacing(" classname=", with: " class=")) != "")
  }

  @Test("report: not exercised and blocked are failures, broken is an error, allowed is skipped")
  func outcomes() throws {
    let text = document(Samples.results)
    #expect(
      text.contains(
        "tests=\"6\" failures=\"3\" errors=\"1\" skipped=\"1\" time=\"3.000\""))
    for (title, element) in [
      ("bad", "<failure type=\"fail\""), ("never fired", "<failure type=\"not exercised\""),
      ("no fuse", "<failure type=\"blocked\""), ("rig died", "<error type=\"broken\""),
      ("known", "<skipped type=\"blocked\""),
    ] {
      let from = try #require(text.range("name=\"\(title) @standard\""))
      let end = try #require(text[from...].range("</testcase>"))
      #expect(text[from..<end].contains(element), "\(title)")
    }
  }

  @Test("report: seed, schedule and fired counts stand in properties and in system-out")
  func facts() {
    let text = document([Samples.result("bad", .fail)])
    for value in ["99", "case &quot;bad&quot;&#10;  fail write dst:~A", "3x fail write dst:~A"] {
      #expect(text.components(separatedBy: value).count >= 3, "\(value)")
    }
    #expect(text.contains("<property name=\"bad@standard seed\" value=\"99\"/>"))
    #expect(text.contains("<system-out>case: exfat/bad@standard&#10;seed: 99&#10;schedule: "))
  }

  @Test("report: an interrupted run and a gate problem are failures of their own")
  func runProblems() throws {
    var summary = Run.Summary()
    summary.problems = ["allowed case passes: exfat/a@standard"]
    summary.signal = 2
    let text = JUnitReport.document(Samples.start, [], summary)
    #expect(text.contains("tests=\"2\" failures=\"2\" errors=\"0\""))
    #expect(try complaints(about: text) == "")
  }

  static let hostile: [[UInt8]] = [
    Array(0...255), [0xff, 0xfe, 0x00], Array("]]>&<>\"'".utf8), [0xed, 0xa0, 0x80],
    [0xef, 0xbf, 0xbe, 0xef, 0xbf, 0xbf], [0xc2, 0x85, 0xe2, 0x80, 0xa8], Array("\u{1b}[31m".utf8),
    Array(repeating: 0x0b, count: 300),
  ]

  @Test("report: junit.xml is valid XML whatever bytes a name or a cause holds", arguments: hostile)
  func anyBytes(bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    var result = Samples.result(text, .fail, reason: text)
    result.findings = [Finding(oracle: "truth", summary: text)]
    result.rules = [.init(line: 1, text: text, fired: 1, isOptional: false)]
    result.schedule = [text]
    result.notes = [text]
    #expect(try complaints(about: document([result], problems: [text])) == "")
  }

  @Test(
    "report: seconds have three digits after the point",
    arguments: [
      (0, "0.000"), (0.0004, "0.000"), (1.2344, "1.234"), (59.9996, "60.000"), (12.07, "12.070"),
      (-1, "0.000"), (1e12, "1000000000.000"),
    ])
  func seconds(value: Double, text: String) {
    #expect(Text.junitSeconds(value) == text)
  }
}

extension StringProtocol {
  /// The first place of a text.
  func range(_ text: String) -> Index? {
    var place = startIndex
    while place < endIndex {
      if self[place...].hasPrefix(text) { return place }
      place = index(after: place)
    }
    return nil
  }

  /// The pieces between occurrences of a text.
  func components(separatedBy separator: String) -> [String] {
    var pieces: [String] = []
    var rest = self[...]
    while let place = rest.range(separator) {
      pieces.append(String(rest[..<place]))
      rest = rest[rest.index(place, offsetBy: separator.count)...]
    }
    return pieces + [String(rest)]
  }

  func replacing(_ text: String, with other: String) -> String {
    components(separatedBy: text).joined(separator: other)
  }
}
