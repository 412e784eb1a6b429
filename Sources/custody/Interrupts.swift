import CommandLineKit
import Glibc
import Offload
import SystemIO

/// Ctrl-C and SIGTERM: the first one stops the running copy in good order, a later one leaves at
/// once. With no copy running, the first one leaves.
final class Interrupts: Sendable {
  /// Signals closer together than this are one wish: `timeout`, shells and supervisors signal a
  /// process and then its group.
  private static let oneWish = Duration.seconds(1)

  private struct State {
    var cancel: (@Sendable (CancelCause) -> Void)?
    var cause: CancelCause?
    var since: Duration = .zero
  }

  private let state = Monitor(State())
  private let console: any Console
  private let clock: any Clock

  /// Blocks the signals in the calling thread and starts the thread that waits for them.
  init(console: any Console, clock: any Clock = SystemClock()) throws(SystemError) {
    self.console = console
    self.clock = clock
    let signals = try SignalQueue([.interrupt, .terminate])
    let watcher = Watcher(signals: signals)
    _ = try SystemIO.Thread(name: "signals") { [self] in
      while let signal = watcher.next() { take(signal) }
    }
  }

  /// What stopped this process; nil while nothing did.
  var cause: CancelCause? { state.read { $0.cause } }

  /// Runs a body that `cancel` can stop; a signal that came before stops it at its beginning.
  func whileCancellable<Result>(
    _ cancel: @escaping @Sendable (CancelCause) -> Void, _ body: () -> Result
  ) -> Result {
    let earlier = state.update { state in
      state.cancel = cancel
      return state.cause
    }
    if let earlier { cancel(earlier) }
    defer { state.update { $0.cancel = nil } }
    return body()
  }

  private func take(_ signal: Signal) {
    let cause: CancelCause = signal == .interrupt ? .interrupt : .terminate
    let now = clock.monotonic()
    let (cancel, isAgain, isEcho) = state.update { state in
      let isAgain = state.cause != nil
      let isEcho = isAgain && now - state.since < Self.oneWish
      if !isAgain {
        state.cause = cause
        state.since = now
      }
      return (state.cancel, isAgain, isEcho)
    }
    if isEcho { return }
    guard let cancel, !isAgain else {
      if cancel != nil {
        console.complain("custody: left at once; a later run clears what this one left behind")
      }
      // Not exit(): its handlers may wait for threads that hang on a stalled disk.
      _exit(cause.exitCode)
    }
    console.complain("custody: stopping; once more to leave at once")
    cancel(cause)
  }
}

/// The signals' queue in a box that a thread's closure can hold.
private final class Watcher: Sendable {
  private let signals: SignalQueue

  init(signals: consuming SignalQueue) {
    self.signals = signals
  }

  func next() -> Signal? { try? signals.next() }
}
