import Glibc
import SystemIO

/// What an output may be sent: colours, lines that are drawn again, and how wide.
public struct Terminal: Sendable {
  /// True when lines may be drawn again in place.
  public let isInteractive: Bool
  /// True when colours are wanted: a terminal, no `NO_COLOR`, no `TERM=dumb`.
  public let hasColor: Bool
  /// The width for text; 80 where there is no terminal.
  public let columns: Int

  public init(isInteractive: Bool, hasColor: Bool, columns: Int) {
    self.isInteractive = isInteractive
    self.hasColor = hasColor
    self.columns = columns
  }

  /// Looks at a descriptor and the environment.
  public init(descriptor: CInt) {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let isTerminal = TerminalDevice.isTerminal(descriptor) && variable("TERM") != "dumb"
    isInteractive = isTerminal
    // https://no-color.org: present and not empty.
    hasColor = isTerminal && (variable("NO_COLOR") ?? "").isEmpty
    columns = TerminalDevice.columns(descriptor) ?? 80
  }

  /// A style of text.
  public enum Style: String, Sendable {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
  }

  /// The text in a style where colours are wanted, else as it is.
  public func styled(_ text: String, _ style: Style) -> String {
    hasColor ? "\u{1b}[\(style.rawValue)m\(text)\u{1b}[0m" : text
  }
}
