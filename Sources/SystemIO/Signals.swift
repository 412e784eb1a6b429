import CLinuxShims
import Glibc

/// A signal's number.
public struct Signal: Hashable, Sendable {
  public let rawValue: CInt

  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  public static let hangUp = Signal(rawValue: SIGHUP)
  public static let interrupt = Signal(rawValue: SIGINT)
  public static let quit = Signal(rawValue: SIGQUIT)
  public static let kill = Signal(rawValue: SIGKILL)
  public static let terminate = Signal(rawValue: SIGTERM)
  public static let stop = Signal(rawValue: SIGSTOP)
  public static let `continue` = Signal(rawValue: SIGCONT)
  public static let pipe = Signal(rawValue: SIGPIPE)
  public static let abort = Signal(rawValue: SIGABRT)

  /// Ignores a signal for the whole process: SIGPIPE, so that a closed pipe is an EPIPE.
  public static func ignore(_ signal: Signal) {
    Glibc.signal(signal.rawValue, SIG_IGN)
  }
}

extension Signal: CustomStringConvertible {
  /// The name where it has one here, else the number.
  public var description: String {
    switch self {
    case .hangUp: return "SIGHUP"
    case .interrupt: return "SIGINT"
    case .quit: return "SIGQUIT"
    case .kill: return "SIGKILL"
    case .terminate: return "SIGTERM"
    case .stop: return "SIGSTOP"
    case .continue: return "SIGCONT"
    case .pipe: return "SIGPIPE"
    case .abort: return "SIGABRT"
    default: return "signal \(rawValue)"
    }
  }
}

/// Signals as something to wait for, instead of handlers that may call next to nothing.
///
/// Make it first thing in `main`: it blocks the signals in the calling thread, and only threads
/// started after that inherit the block. Children get an empty mask again (`ChildProcess`).
public struct SignalQueue: ~Copyable, Sendable {
  /// Becomes readable when a signal is pending.
  public let descriptor: FileDescriptor

  public init(_ signals: [Signal] = [.interrupt, .terminate]) throws(SystemError) {
    let numbers = signals.map(\.rawValue)
    let fd = try systemCall("signalfd", path: nil) { ls_signalfd(numbers, UInt64(numbers.count)) }
    descriptor = FileDescriptor(owning: fd)
  }

  /// Blocks for the next signal; nil when the time is over.
  public func next(timeout: Duration? = nil) throws(SystemError) -> Signal? {
    if timeout != nil,
      try Poller.wait(for: .readable, on: descriptor, timeout: timeout).isEmpty
    {
      return nil
    }
    let fd = descriptor.rawValue
    return Signal(rawValue: try systemCall("read", path: nil) { ls_signalfd_read(fd) })
  }
}
