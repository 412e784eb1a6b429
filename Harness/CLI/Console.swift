import CommandLineKit
import Glibc
import Reporting
import SystemIO
import Wire

/// Standard output for results, standard error for messages and the live line.
struct Console: Sendable {
  /// The width for texts.
  var columns: Int { Terminal(descriptor: 1).columns }

  /// A result that was asked for.
  func show(_ text: String) { OutputStream.standardOutput.write(text) }

  /// A value as a line of JSON.
  func send(_ value: JSON) { OutputStream.standardOutput.write(line: value) }

  /// A message for people.
  func complain(_ text: String) { OutputStream.standardError.write(text + "\n") }

  /// A success whose output was lost is none.
  func finish(with code: Int32) -> Int32 {
    guard let failure = OutputStream.standardOutput.failure else { return code }
    complain("harness: the output could not be written: \(failure)")
    return code == ExitCode.pass ? ExitCode.broken : code
  }
}

/// The terminal behind a descriptor, for the recorder of a run.
final class RunTerminal: TerminalOutput {
  private let output: OutputStream
  private let terminal: Terminal
  private let isQuiet: Bool
  private let isMute: Bool

  /// - `hasColor`: false for `--no-color`; NO_COLOR and a log have none either.
  /// - `isQuiet`: only trouble and the closing line are shown.
  /// - `isMute`: only the live line is shown, and goes at the next line that would stay.
  init(_ output: OutputStream, hasColor: Bool, isQuiet: Bool, isMute: Bool = false) {
    self.isMute = isMute
    self.output = output
    self.isQuiet = isQuiet
    let found = Terminal(descriptor: output.descriptor)
    terminal = Terminal(
      isInteractive: found.isInteractive, hasColor: found.hasColor && hasColor,
      columns: found.columns)
  }

  var isLive: Bool { terminal.isInteractive && !isQuiet }
  var width: Int { terminal.columns }

  func live(_ text: String) {
    output.write("\r\(text)\u{1b}[K")
  }

  func line(_ text: String, _ tone: Tone) {
    if isQuiet && tone == .dim { return }
    let start = isLive ? "\r\u{1b}[K" : ""
    if isMute { return output.write(start) }
    output.write(start + styled(text, tone) + "\n")
  }

  private func styled(_ text: String, _ tone: Tone) -> String {
    switch tone {
    case .plain: text
    case .good: terminal.styled(text, .green)
    case .bad: terminal.styled(text, .red)
    case .dim: terminal.styled(text, .faint)
    }
  }
}
