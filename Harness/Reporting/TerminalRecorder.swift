public import HarnessKit
import Synchronization

/// Where the terminal recorder writes: the command decides how (a terminal, a log, nothing).
public protocol TerminalOutput: Sendable {
  /// True when a line can be rewritten in place.
  var isLive: Bool { get }
  /// Columns of a line.
  var width: Int { get }
  /// Replaces the live line; called only when `isLive`.
  func live(_ text: String)
  /// Writes a line that stays, with the live line out of its way.
  func line(_ text: String, _ tone: Tone)
}

/// What a line says; a terminal without colours shows the words alone.
public enum Tone: Sendable { case plain, good, bad, dim }

/// A live line with done, failed, rate and time left, a block for each case that is not green,
/// and a summary that fits a screen.
public final class TerminalRecorder: Recorder {
  private let output: any TerminalOutput
  /// The run's folder as it is shown.
  private let folder: String
  private let state = Mutex(State())

  private struct State {
    var planned = 0
    var command = ""
    var done = 0
    var notGreen = 0
    /// Cases that are not green, for the summary.
    var listed: [String] = []
    var notes: [String] = []
    var slowest: (id: String, seconds: Double) = ("", 0)
    /// Seconds of the run at the last live line.
    var shown = -1.0
    var coverage: Coverage?
  }

  /// The most cases that the summary names; the rest are counted.
  static let listLimit = 12
  /// Seconds between two live lines, and between two progress lines of a log.
  static let liveInterval = 0.12
  static let logInterval = 10.0

  public init(output: any TerminalOutput, folder: String) {
    self.output = output
    self.folder = folder
  }

  public func record(_ event: Event) {
    state.withLock { state in
      switch event.kind {
      case .runStarted(let start):
        state.planned = start.planned
        state.shown = output.isLive ? -1 : 0
        output.line(Self.header(start), .dim)
        for subject in start.subjects { output.line("  \(subject)", .dim) }
      case .caseStarted: break
      case .caseFinished(let result):
        finished(result, event.seconds, &state)
      case .note(let text):
        // What was left behind is said even to those who asked for quiet.
        output.line(text, .plain)
      case .schedulesPlanned(let count): state.planned += count
      case .schedulesPassed(let count, _):
        state.done += count
        progress(event.seconds, &state)
      case .explored(let coverage): state.coverage = coverage
      case .runFinished(let summary):
        finish(summary, state)
      }
    }
  }

  private static func header(_ start: RunStart) -> String {
    "harness \(start.verb): \(start.planned) cases, seed \(start.seed), build \(start.build)"
  }

  private func finished(_ result: CaseResult, _ seconds: Double, _ state: inout State) {
    state.done += 1
    if result.seconds > state.slowest.seconds {
      state.slowest = (result.identity.id, result.seconds)
    }
    if !result.isGreen {
      state.notGreen += 1
      if state.listed.count < Self.listLimit {
        state.listed.append("\(result.verdict.rawValue.uppercased())  \(result.identity.id)")
      }
      for (index, line) in Self.block(result).enumerated() {
        output.line(fitted(line), index == 0 ? .bad : .plain)
      }
    }
    progress(seconds, &state)
  }

  private func progress(_ seconds: Double, _ state: inout State) {
    let interval = output.isLive ? Self.liveInterval : Self.logInterval
    guard seconds - state.shown >= interval else { return }
    state.shown = seconds
    let text = Self.progress(
      done: state.done, planned: state.planned, notGreen: state.notGreen, seconds: seconds)
    if output.isLive { output.live(fitted(text)) } else { output.line(text, .dim) }
  }

  /// `123/400 done, 2 not green, 8.1 a second, 34 s left`.
  static func progress(done: Int, planned: Int, notGreen: Int, seconds: Double) -> String {
    let rate = seconds > 0 ? Double(done) / seconds : 0
    var text = "\(done)/\(planned) done, \(notGreen) not green, \(Text.decimal(rate)) a second"
    if rate > 0, done >= 3, planned > done {
      text += ", \(Text.duration(Double(planned - done) / rate)) left"
    }
    return text
  }

  /// The case, its reason, its findings and rules: what a person needs before any file.
  static func block(_ result: CaseResult) -> [String] {
    var lines = ["\(result.verdict.rawValue.uppercased())  \(result.identity.id)"]
    lines.append("  \(result.identity.script).fault line \(result.identity.line)")
    let shown = result.findings.prefix(6).map { "\($0.oracle): \($0.summary)" }
    if !result.reason.isEmpty, result.reason != shown.first { lines.append("  " + result.reason) }
    lines += shown.map { "  " + $0 }
    if result.findings.count > shown.count {
      lines.append("  and \(result.findings.count - shown.count) more findings")
    }
    lines += result.rules.prefix(4).map { "  fired \($0.fired)x: \($0.text)" }
    if let folder = result.folder { lines.append("  replay: \(folder)/replay.json") }
    return lines
  }

  private func fitted(_ line: String) -> String {
    guard output.isLive, line.count > output.width, output.width > 1 else { return line }
    return line.prefix(output.width - 1) + "…"
  }

  private func finish(_ summary: Run.Summary, _ state: State) {
    for line in state.listed where state.notGreen > 1 { output.line("  " + line, .bad) }
    if state.notGreen > state.listed.count {
      output.line("  and \(state.notGreen - state.listed.count) more", .bad)
    }
    for problem in summary.problems { output.line("  " + problem, .bad) }
    for line in state.coverage.map(CoverageText.summary) ?? [] { output.line(line, .plain) }
    if state.slowest.seconds >= 5 {
      output.line(
        "slowest: \(state.slowest.id), \(Text.duration(state.slowest.seconds))", .dim)
    }
    output.line(Self.closing(summary), summary.exitCode == 0 ? .good : .bad)
    output.line("report: \(folder)", .dim)
  }

  /// `PASS: 104 pass in 61 s` or `FAIL: 3 fail, 101 pass, ...`.
  static func closing(_ summary: Run.Summary) -> String {
    let word =
      switch summary.exitCode {
      case 0: "PASS"
      case 1: "FAIL"
      case 3: "NOT SHOWN"
      case 4: "BROKEN"
      default: "INTERRUPTED"
      }
    var parts: [String] = []
    for verdict in [Verdict.broken, .fail, .notExercised, .blocked, .pass] {
      if summary[verdict] > 0 || verdict == .pass {
        parts.append("\(summary[verdict]) \(verdict.rawValue)")
      }
    }
    if summary.allowed > 0 { parts.append("\(summary.allowed) allowed") }
    if summary.notRun > 0 { parts.append("\(summary.notRun) not run") }
    return "\(word): \(parts.joined(separator: ", ")) in \(Text.duration(summary.seconds))"
  }
}
