import CFuseShims
import FaultModel
import Glibc
import SystemIO

/// The process that a run's kill, stop and limit rules strike; held by descriptor, so that a
/// process id that is taken again is never struck.
final class RigSubject {
  let pid: Int32
  private let process: FileDescriptor

  /// nil when there is no such process.
  init?(pid: Int32) {
    let number = ff_process_open(pid)
    guard number >= 0 else { return nil }
    process = FileDescriptor(owning: number)
    self.pid = pid
  }

  /// Readable once the process has ended.
  var descriptor: CInt { process.rawValue }

  var isAlive: Bool {
    guard let events = try? Poller.wait(for: .readable, on: process, timeout: .zero) else {
      return false
    }
    return events.isEmpty
  }

  /// Sends a signal to the process, or to all of its group when it leads one: once to each.
  func signal(_ signal: Signal) {
    guard isAlive else { return }
    if getpgid(pid) == pid {
      Glibc.kill(-pid, signal.rawValue)
    } else {
      _ = ff_signal(process.rawValue, signal.rawValue)
    }
  }

  /// Sets a limit and returns the errno, 0 for none.
  func limit(_ limit: Limit, _ value: UInt64) -> CInt {
    switch limit {
    case .descriptors: ff_limit(pid, 0, value)
    case .memory: ff_limit(pid, 1, value)
    // The runner holds the other end of the subject's output and closes it.
    case .stdout: 0
    }
  }
}
