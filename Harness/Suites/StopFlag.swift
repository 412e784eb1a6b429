import Synchronization
public import SystemIO

/// Says that the run must end early, and ends what it waits for.
public final class StopFlag: Sendable {
  private let state = Mutex(State())

  private struct State {
    var signal: Signal?
    /// Subjects that are running now.
    var processes: [Int32: ProcessHandle] = [:]
  }

  public init() {}

  /// The signal that asked for the end; nil while the run goes on.
  public var signal: Signal? { state.withLock { $0.signal } }

  var isRaised: Bool { signal != nil }

  /// Asks for the end: running subjects are killed, so that whoever waits for one goes on.
  public func raise(_ signal: Signal) {
    state.withLock { state in
      state.signal = signal
      // One that cannot be killed has its deadline still.
      for process in state.processes.values { try? process.send(.kill) }
    }
  }

  /// Notes a subject that is about to run; it is killed at once when the end was asked for.
  func enter(_ process: Int32) throws(SystemError) {
    let handle = try ProcessHandle(process)
    try state.withLock { (state) throws(SystemError) in
      state.processes[process] = handle
      if state.signal != nil { try handle.send(.kill) }
    }
  }

  func leave(_ process: Int32) {
    state.withLock { _ = $0.processes.removeValue(forKey: process) }
  }
}
