import Synchronization
import SystemIO
import Testing
import Wire

@testable import HarnessKit

@Suite struct EventLogTests {
  private struct Written {
    let events: [JSON]
    let byteCount: Int
  }

  private func write(_ results: [CaseResult], limit: Int) throws -> Written {
    let scratch = try Scratch()
    let directory = try Run.Directory.create(verb: "t", stamp: "1", chosen: scratch.path)
    let log = try EventLog(in: directory, byteLimit: limit)
    for event in Samples.events(of: results) { try log.record(event) }
    let bytes = try scratch.contents("events.jsonl")
    return Written(
      events: try bytes.split(separator: 0x0a).map { try JSON.parse($0) }, byteCount: bytes.count)
  }

  @Test("events.jsonl: past its limit passing cases are left out and counted, failing ones stay")
  func limit() throws {
    let passes = (0..<200).map { Samples.result("pass \($0)", .pass) }
    let late = Samples.result("late", .fail, reason: "the last one")
    let written = try write(passes + [late], limit: 40_000)
    let names = written.events.compactMap { $0["event"]?.text }
    #expect(names.first == "runStarted" && names.last == "runFinished")
    #expect(
      written.events.contains { $0["id"]?.text == "exfat/late@standard" && $0["verdict"] != nil })
    #expect(names.count < 200)
    let note = try #require(written.events.last { $0["event"]?.text == "note" }?["text"]?.text)
    #expect(note.hasSuffix("events were left out: the file is at its limit"))
    #expect(written.byteCount < 44_000)
  }

  @Test("events.jsonl: the end of the run is written even when failures fill the file")
  func fullOfFailures() throws {
    let failures = (0..<200).map { Samples.result("fail \($0)", .fail, reason: "bad") }
    let written = try write(failures, limit: 20_000)
    #expect(written.events.last?["event"]?.text == "runFinished")
    #expect(written.byteCount < 22_000)
  }

  #if DEBUG
    @Test(
      "events.jsonl: a failing event is synced at once, a passing one is not",
      arguments: [
        (Verdict.pass, 0), (.fail, 1), (.broken, 1), (.blocked, 1), (.notExercised, 1),
      ])
    func synced(verdict: Verdict, syncs: Int) throws {
      let scratch = try Scratch()
      let directory = try Run.Directory.create(verb: "t", stamp: "1", chosen: scratch.path)
      let log = try EventLog(in: directory)
      let event = Event(
        ordinal: 0, seconds: 0, kind: .caseFinished(Samples.result("one", verdict)))
      let trace = try Interposer.with([], within: scratch.path) { session in
        try log.record(event)
        return session.trace
      }
      #expect(trace.count { $0.call == "fdatasync" } == syncs)
    }

    @Test("events.jsonl: a disk that fails is told to the run, and the other recorders go on")
    func failing() throws {
      let scratch = try Scratch()
      let directory = try Run.Directory.create(verb: "t", stamp: "1", chosen: scratch.path)
      let seen = Seen()
      let stream = EventStream([try EventLog(in: directory), seen])
      let rule = Interposer.Rule("write", path: scratch.path, .fail(.noSpace))
      Interposer.with([rule], within: scratch.path) { _ in
        stream.post(.note("one"))
      }
      #expect(stream.failure != nil)
      #expect(seen.count == 1)
    }
  #endif
}

/// Counts what it is told.
private final class Seen: Recorder {
  private let state = Mutex(0)

  var count: Int { state.withLock { $0 } }

  func record(_ event: Event) { state.withLock { $0 += 1 } }
}
