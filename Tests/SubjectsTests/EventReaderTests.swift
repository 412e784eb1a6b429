import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Subjects

@Suite struct EventReaderTests {
  private func read(_ lines: String...) -> (report: SubjectReport, exit: Int32?) {
    var reader = EventReader(
      destinations: [("dst", "/mnt/dst"), ("dst2", "/mnt/dst2"), ("deep", "/mnt/dst/deep")])
    for line in lines { reader.take(Array(line.utf8)) }
    reader.finish()
    return (reader.report, reader.exitCode)
  }

  @Test("rows name the source file and the volume, mismatch is failure")
  func rows() {
    let report = read(
      #"{"event":"row","path":"a/b","destination":1,"outcome":"verified","level":"evicted"}"#,
      #"{"job":3,"event":"row","path":"e\u0301","destination":0,"outcome":"checksumMismatch","#
        + #""level":"direct","cause":"the copy is alone","witness":"destination"}"#
    ).report
    #expect(report.rows.allSatisfy { $0.time != nil })
    let rows = report.rows.map { row in
      var timeless = row
      timeless.time = nil
      return timeless
    }
    #expect(
      rows == [
        .init(path: "a/b", destination: "dst2", outcome: .verified, level: "evicted", cause: ""),
        .init(
          path: "e\u{301}", destination: "dst", outcome: .failed, level: "direct",
          cause: "the copy is alone"),
      ])
    #expect(!report.isPresent)
  }

  @Test("the finished event makes the report present; places belong to the longest folder")
  func finished() {
    let (report, exit) = read(
      #"{"event":"warning","message":"coarse clock"}"#,
      #"{"event":"finished","verdict":"failed","exit":1,"problems":["p"],"leftBehind":"#
        + #"["/mnt/dst/x","/mnt/dst/deep/y/z","/tmp/q","/mnt/dst22/r"],"report":null}"#,
      #"{"job":1,"event":"exit","exit":1,"resources":{"descriptors":4,"threads":2}}"#)
    #expect(report.isPresent)
    #expect(report.verdict == "failed")
    #expect(report.warnings == ["coarse clock"])
    #expect(report.problems == ["p"])
    #expect(
      report.leftBehind == [
        .init(volume: "dst", path: "x"), .init(volume: "deep", path: "y/z"),
        .init(volume: "", path: "/tmp/q"), .init(volume: "", path: "/mnt/dst22/r"),
      ])
    #expect(exit == 1)
  }

  @Test(
    "what is no event is said in the report and traps nobody",
    arguments: [
      "garbage", "{", "[]", "{}", "{\"event\":7}", "\u{0}\u{1}", "{\"event\":\"row\"}",
      #"{"event":"row","path":"a","destination":9,"outcome":"verified"}"#,
      #"{"event":"row","path":"a","destination":-1,"outcome":"verified"}"#,
      #"{"event":"row","path":"a","destination":0,"outcome":"splendid"}"#,
      #"{"event":"row","path":"a\u0000b","destination":0,"outcome":"verified"}"#,
      #"{"event":"row","path":"","destination":0,"outcome":"verified"}"#,
      #"{"event":"finished","exit":0}"#,
      String(repeating: "[", count: 1000),
    ])
  func garbage(line: String) {
    let report = read(line).report
    #expect(report.problems.count == 1)
    #expect(report.rows.isEmpty)
    #expect(!report.isPresent)
  }

  @Test("many unreadable lines are counted, not kept")
  func flood() {
    var reader = EventReader(destinations: [])
    for _ in 0..<1000 { reader.take(Array("x".utf8)) }
    reader.takeOverlongLine()
    reader.finish()
    #expect(reader.report.problems.count == 6)
    #expect(reader.report.problems.last == "1001 unreadable lines in the subject's output")
  }

  @Test("an event that this version does not know is none of its business")
  func unknown() {
    #expect(read(#"{"event":"progress","filesCopied":1}"#, "").report.problems.isEmpty)
  }
}

@Suite struct LineSplitterTests {
  private func split(_ parts: [String], limit: Int = 8) -> [String] {
    var splitter = LineSplitter(lengthLimit: limit)
    var lines: [LineSplitter.Line] = []
    for part in parts {
      Array(part.utf8).withUnsafeBytes { lines += splitter.add($0) }
    }
    if let last = splitter.finish() { lines.append(last) }
    return lines.map { line in
      switch line {
      case .whole(let bytes): String(decoding: bytes, as: UTF8.self)
      case .overlong: "OVERLONG"
      }
    }
  }

  @Test("lines are whole wherever the stream is cut")
  func cuts() {
    #expect(split(["a\nbc", "d\n", "\ne"]) == ["a", "bcd", "", "e"])
    #expect(split(["a\n"]) == ["a"])
    #expect(split([]) == [])
  }

  @Test("a line above the limit is dropped and said so, the next one is read")
  func limit() {
    #expect(split(["12345678\n", "123456789\nok\n"]) == ["12345678", "OVERLONG", "ok"])
    #expect(split(["12345", "6789", "0", "\nok\n"]) == ["OVERLONG", "ok"])
    #expect(split(["123456789"]) == ["OVERLONG"])
  }
}
