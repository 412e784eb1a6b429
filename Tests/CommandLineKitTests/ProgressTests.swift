import Glibc
import SystemIO
import Testing
import Wire

@testable import CommandLineKit

@Suite("Progress: rate and time left on a virtual clock, in place or as a log")
struct ProgressTests {
  @Test("the rate is of the last ten seconds, and the time left waits for two")
  func rate() {
    var window = RateWindow()
    #expect(window.perSecond == nil)
    window.add(0, at: .seconds(1))
    window.add(100, at: .seconds(2))
    #expect(window.perSecond == 100)
    #expect(window.left(until: 1_000) == nil)
    window.add(200, at: .seconds(3))
    #expect(window.left(until: 1_000) == .seconds(8))
    for second in 4...30 { window.add(200, at: .seconds(second)) }
    #expect(window.perSecond == 0)
    #expect(window.left(until: 1_000) == nil)
    window.add(300, at: .seconds(29))
    #expect(window.perSecond == 0)
  }

  @Test("the window's memory stays bounded, however many samples come")
  func bounded() {
    var window = RateWindow()
    for tick in 0..<100_000 { window.add(UInt64(tick), at: .milliseconds(tick)) }
    #expect(window.sampleCount < 200)
    #expect(window.perSecond.map { abs($0 - 1_000) < 1 } == true)
  }

  @Test("a terminal's line is drawn again in place and cut to its width")
  func terminal() throws {
    let text = try captured { output in
      let terminal = Terminal(isInteractive: true, hasColor: false, columns: 24)
      var line = ProgressLine(output: output, terminal: terminal)
      line.update(.init(verb: "copied", done: 0, total: 9, bytes: (0, 9 << 20)), at: .zero)
      line.update(.init(verb: "copied", done: 1, total: 9, bytes: (1, 9)), at: .milliseconds(50))
      line.update(
        .init(verb: "copied", done: 2, total: 9, bytes: (2 << 20, 9 << 20)), at: .seconds(1))
      line.clear()
      line.clear()
    }
    #expect(
      text == "\rcopied 0/9  0 B of 9 Mi\u{1b}[K\rcopied 2/9  2 MiB of 9 \u{1b}[K\r\u{1b}[K")
  }

  @Test("a log gets plain lines at its interval, and none for a short run")
  func log() throws {
    let text = try captured { output in
      let terminal = Terminal(isInteractive: false, hasColor: false, columns: 80)
      var line = ProgressLine(output: output, terminal: terminal, logInterval: .seconds(10))
      for second in 0...20 {
        let state = ProgressLine.State(
          verb: "cases", done: UInt64(second), total: 40, notes: ["1 failed"])
        line.update(state, at: .seconds(second))
      }
      line.clear()
    }
    #expect(
      text == "cases 10/40  1/s  30 s left  1 failed\ncases 20/40  1/s  20 s left  1 failed\n")
  }

  @Test("a caller's own pace takes the place of the counts' one, also where it knows no time left")
  func pace() {
    let output = OutputStream(descriptor: -1)
    let terminal = Terminal(isInteractive: false, hasColor: false, columns: 80)
    let line = ProgressLine(output: output, terminal: terminal)
    let bytes: (UInt64, UInt64) = (1 << 20, 4 << 20)
    let told = ProgressLine.State(
      verb: "copied", done: 1, total: 4, bytes: bytes, pace: (2_097_152, .seconds(9)),
      notes: ["1 verified"])
    #expect(line.text(told) == "copied 1/4  1 MiB of 4 MiB  2 MiB/s  9 s left  1 verified")
    let wild = ProgressLine.State(verb: "copied", done: 1, bytes: bytes, pace: (1e300, nil))
    #expect(line.text(wild).hasSuffix("GiB/s"))
    let none = ProgressLine.State(verb: "copied", done: 1, bytes: bytes, pace: (.nan, nil))
    #expect(line.text(none) == "copied 1  1 MiB of 4 MiB")
  }

  @Test("styles appear only where colours are wanted")
  func styles() {
    let plain = Terminal(isInteractive: true, hasColor: false, columns: 80)
    let colored = Terminal(isInteractive: true, hasColor: true, columns: 80)
    #expect(plain.styled("x", .red) == "x")
    #expect(colored.styled("x", .red) == "\u{1b}[31mx\u{1b}[0m")
  }

  @Test("an output that broke says so and stays quiet")
  func brokenOutput() {
    OutputStream.ignoreBrokenPipes()
    var ends: [CInt] = [0, 0]
    #expect(pipe(&ends) == 0)
    close(ends[0])
    let output = OutputStream(descriptor: ends[1])
    output.write("lost\n")
    #expect(output.failure?.errno.name == "EPIPE")
    output.write(line: ["event": "lost"])
    #expect(output.failure?.call == "write")
    close(ends[1])
  }
}

/// What a body writes to an output.
private func captured(_ body: (OutputStream) -> Void) throws -> String {
  var ends: [CInt] = [0, 0]
  try #require(pipe(&ends) == 0)
  body(OutputStream(descriptor: ends[1]))
  close(ends[1])
  defer { close(ends[0]) }
  var buffer = [UInt8](repeating: 0, count: 65_536)
  let count = read(ends[0], &buffer, buffer.count)
  return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
}
