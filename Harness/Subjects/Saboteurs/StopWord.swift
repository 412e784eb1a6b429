import Glibc
import SystemIO

/// SIGTERM as the saboteurs hear it: a word between two blocks, not a death.
final class StopWord {
  private let signals: SignalQueue
  private var wasHeard = false

  init(_ signals: consuming SignalQueue) {
    self.signals = signals
  }

  /// True from the moment on that it was said.
  var wasSaid: Bool {
    if !wasHeard, let signal = try? signals.next(timeout: .zero) { wasHeard = signal == .terminate }
    return wasHeard
  }
}

/// A timer that interrupts a call that takes long.
enum Alarm {
  private static let microseconds = 200_000

  /// Makes a call and returns true when the timer ended it.
  static func isInterrupted(_ call: () -> CInt) -> Bool {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    // Without SA_RESTART a call that is interrupted says so.
    sigaction(SIGALRM, &action, nil)
    var timer = itimerval(
      it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: microseconds))
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    let isInterrupted = call() < 0 && errno == EINTR
    timer.it_value.tv_usec = 0
    setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    return isInterrupted
  }
}

/// Descriptors that stay open until the job's end.
final class KeptFiles {
  private var numbers: [CInt] = []

  deinit {
    for number in numbers { _ = FileDescriptor(owning: number) }
  }

  func keep(_ file: borrowing FileDescriptor) throws(SystemError) {
    numbers.append(try file.duplicate().release())
  }
}
