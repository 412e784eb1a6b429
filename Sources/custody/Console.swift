import CommandLineKit
import Glibc
import SystemIO
import Wire

/// Where a verb's texts and events go.
protocol Console: Sendable {
  /// The width for texts.
  var columns: Int { get }
  /// What may be done with progress lines; nil where nobody watches.
  var progressTerminal: Terminal? { get }
  /// True when events go out as JSON whether asked or not.
  var alwaysSendsEvents: Bool { get }
  /// A result that was asked for.
  func show(_ text: String)
  /// One event, as a line.
  func send(_ event: JSON)
  /// A message for people: a warning, an error, what happens now.
  func complain(_ text: String)
  /// The exit code, changed when what was asked for could not be written.
  func finish(with code: Int32) -> Int32
}

/// Standard output for results, standard error for messages.
struct TerminalConsole: Console {
  var columns: Int { Terminal(descriptor: 1).columns }
  var progressTerminal: Terminal? { Terminal(descriptor: 2) }
  var alwaysSendsEvents: Bool { false }

  func show(_ text: String) { OutputStream.standardOutput.write(text) }

  func send(_ event: JSON) { OutputStream.standardOutput.write(line: event) }

  func complain(_ text: String) { OutputStream.standardError.write(text + "\n") }

  /// A success whose output was lost is none: the reader may have seen half of it.
  func finish(with code: Int32) -> Int32 {
    guard let failure = OutputStream.standardOutput.failure else { return code }
    complain("custody: the output could not be written: \(failure)")
    return code == ExitCode.success ? ExitCode.outputMissing : code
  }
}

/// The answers of one job of `serve`: everything is an event that carries the job's number.
struct JobConsole: Console {
  let job: JSON
  let output: OutputStream

  var columns: Int { 80 }
  var progressTerminal: Terminal? { nil }
  var alwaysSendsEvents: Bool { true }

  func show(_ text: String) { send(["event": "text", "text": .text(text)]) }

  func send(_ event: JSON) {
    output.write(line: .object([.init("job", job)] + (event.object ?? [])))
  }

  func complain(_ text: String) { send(["event": "message", "message": .text(text)]) }

  func finish(with code: Int32) -> Int32 { code }
}
