import Glibc
import HarnessKit
import SystemIO
import Testing
import Wire

@Suite struct RunDirectoryTests {
  @Test("report folder: a folder that holds something else is refused and stays as it is")
  func foreign() throws {
    let scratch = try Scratch()
    let file = try FileDescriptor.open(
      scratch.path.appending("thesis.tex"), .writeOnly, options: .create)
    try file.writeAll(Array("text".utf8))
    #expect(throws: RunError.folderTaken(scratch.path, holds: "thesis.tex")) {
      try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    }
    #expect(try scratch.names() == ["thesis.tex"])
  }

  @Test("report folder: a run with a foreign file beside it is refused, and nothing is removed")
  func runWithForeign() throws {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    for name: BytePath in ["events.jsonl", "report.json", "mine"] {
      try directory.write([1], to: name)
    }
    #expect(throws: RunError.folderTaken(scratch.path, holds: "mine")) {
      try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    }
    #expect(try scratch.names() == ["events.jsonl", "mine", "report.json"])
  }

  @Test("report folder: an earlier run is replaced whole")
  func earlier() throws {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    for name: BytePath in ["events.jsonl", "junit.xml"] { try directory.write([1], to: name) }
    try directory.makeFolder("cases/0001")
    try directory.write([1], to: "cases/0001/replay.json")
    _ = try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    #expect(try scratch.names() == [])
  }

  @Test("report folder: an absent folder is made with its parents")
  func absent() throws {
    let scratch = try Scratch()
    let chosen = scratch.path.appending("a/b")
    let directory = try Run.Directory.create(verb: "fault", stamp: "1", chosen: chosen)
    try directory.write([7], to: "report.json")
    #expect(try scratch.contents("a/b/report.json") == [7])
  }

  @Test("report folder: a file in its place is an error with path and errno")
  func file() throws {
    let scratch = try Scratch()
    _ = try FileDescriptor.open(scratch.path.appending("f"), .writeOnly, options: .create)
    #expect(throws: RunError.self) {
      try Run.Directory.create(verb: "t", stamp: "1", chosen: scratch.path.appending("f"))
    }
  }

  @Test("events.jsonl: every event is a line of JSON, numbered without gaps")
  func events() throws {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "fault", stamp: "1", chosen: scratch.path)
    let log = try EventLog(in: directory)
    let events = Samples.events(of: Samples.results)
    for event in events { try log.record(event) }
    let lines = try scratch.contents("events.jsonl").split(separator: 0x0a)
    #expect(lines.count == events.count)
    for (index, line) in lines.enumerated() {
      #expect(try JSON.parse(line)["n"]?.int == index)
    }
    #expect(try JSON.parse(lines[0])["version"]?.int == Event.version)
    #expect(try JSON.parse(lines[lines.count - 1])["exit"]?.int == 4)
  }
}
