import CLinuxShims

/// A process of somebody else's to send signals to: never another one that was given its number
/// (man 2 pidfd_open).
public final class ProcessHandle: Sendable {
  private let descriptor: FileDescriptor

  /// Takes hold of a process that is known to be alive, or ended and not yet reaped.
  public init(_ process: Int32) throws(SystemError) {
    let fd = try systemCall("pidfd_open", path: nil) { ls_pidfd_open(process) }
    descriptor = FileDescriptor(owning: fd)
  }

  /// Blocks until the process has ended; false when the time is over.
  public func waitForEnd(timeout: Duration) throws(SystemError) -> Bool {
    try !Poller.wait(for: .readable, on: descriptor, timeout: timeout).isEmpty
  }

  /// Sends a signal; a process that has ended gets nothing and that is no error.
  public func send(_ signal: Signal) throws(SystemError) {
    let fd = descriptor.rawValue
    do throws(SystemError) {
      _ = try systemCall("pidfd_send_signal", path: nil) { ls_pidfd_signal(fd, signal.rawValue) }
    } catch {
      if error.errno != .noProcess { throw error }
    }
  }
}
