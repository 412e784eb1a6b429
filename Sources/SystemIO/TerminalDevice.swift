internal import CLinuxShims
import Glibc

/// What the kernel knows of a terminal behind a descriptor.
public enum TerminalDevice {
  /// True when the descriptor is a terminal (isatty(3)).
  public static func isTerminal(_ descriptor: CInt) -> Bool { isatty(descriptor) == 1 }

  /// The terminal's width in columns; nil when it is none or does not say.
  public static func columns(_ descriptor: CInt) -> Int? {
    let columns = ls_window_columns(descriptor)
    return columns > 0 ? Int(columns) : nil
  }
}
