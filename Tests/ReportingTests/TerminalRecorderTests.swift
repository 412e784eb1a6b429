import HarnessKit
import Synchronization
import Testing

@testable import Reporting

@Suite struct TerminalRecorderTests {
  @Test("terminal: a note is a line that stays, so that --quiet keeps it")
  func note() {
    let captured = Captured(isLive: true)
    let recorder = TerminalRecorder(output: captured, folder: "f")
    recorder.record(Event(ordinal: 0, seconds: 0, kind: .note("left behind: /tmp/x")))
    #expect(captured.text.withLock { $0.tones } == [.plain])
  }

  final class Captured: TerminalOutput {
    let isLive: Bool
    let width = 60
    let text = Mutex<(live: [String], lines: [String], tones: [Tone])>(([], [], []))

    init(isLive: Bool) {
      self.isLive = isLive
    }

    func live(_ text: String) { self.text.withLock { $0.live.append(text) } }
    func line(_ text: String, _ tone: Tone) {
      self.text.withLock { state in
        state.lines.append(text)
        state.tones.append(tone)
      }
    }

    var lines: [String] { text.withLock { $0.lines } }
    var lives: [String] { text.withLock { $0.live } }
  }

  private func play(_ results: [CaseResult], isLive: Bool) -> Captured {
    let captured = Captured(isLive: isLive)
    let recorder = TerminalRecorder(output: captured, folder: "custody-runs/1")
    for event in Samples.events(of: results) { recorder.record(event) }
    return captured
  }

  @Test("terminal: the live line says done, not green, rate and time left")
  func progress() {
    #expect(
      TerminalRecorder.progress(done: 30, planned: 60, notGreen: 2, seconds: 10)
        == "30/60 done, 2 not green, 3.0 a second, 10 s left")
    #expect(
      TerminalRecorder.progress(done: 60, planned: 60, notGreen: 0, seconds: 30)
        == "60/60 done, 0 not green, 2.0 a second")
  }

  @Test("terminal: a log gets no live line, and lines keep their length")
  func log() {
    let captured = play(Samples.results, isLive: false)
    #expect(captured.lives.isEmpty)
    #expect(captured.lines.contains("FAIL  exfat/bad@standard"))
    #expect(captured.lines.contains("  truth: C0002.MP4 differs"))
    #expect(captured.lines.contains("  replay: cases/0001/replay.json"))
  }

  @Test("terminal: an allowed case and a pass are not shown as trouble")
  func quiet() {
    let captured = play([Samples.results[0], Samples.results[5]], isLive: true)
    #expect(!captured.lines.contains { $0.contains("exfat/") })
    #expect(captured.lines.contains("PASS: 1 pass, 1 allowed in 13 s"))
  }

  @Test("terminal: the summary of a thousand failures fits a screen")
  func fits() {
    let results = (0..<1000).map { Samples.result("case \($0)", .fail, reason: "bad") }
    let captured = play(results, isLive: true)
    let summary = captured.lines.drop { !$0.hasPrefix("  FAIL  ") }
    #expect(summary.count <= 20)
    #expect(summary.contains("  and 988 more"))
    #expect(summary.contains("FAIL: 1000 fail, 0 pass in 13 s"))
    #expect(captured.lives.allSatisfy { $0.count <= 60 })
  }

  @Test(
    "terminal: durations read well",
    arguments: [
      (0.42, "0.4 s"), (34.2, "34 s"), (302, "5 min 02 s"), (11_220, "3 h 07 min"),
    ])
  func durations(seconds: Double, text: String) {
    #expect(Text.duration(seconds) == text)
  }
}
