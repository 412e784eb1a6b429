import Glibc

/// Time as engines see it, so that tests can run on a time of their own.
public protocol Clock: Sendable {
  /// Wall time; may jump.
  func now() -> Timestamp
  /// Time since an unnamed start; never goes back.
  func monotonic() -> Duration
  /// Blocks the calling thread.
  func sleep(_ duration: Duration)
}

/// The kernel's clocks.
public struct SystemClock: Clock {
  public init() {}

  public func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }

  public func monotonic() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  public func sleep(_ duration: Duration) {
    var deadline = (monotonic() + duration).timespec
    // The call returns its errno; a signal handler's end is no reason to wake.
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
  }
}

/// A clock that stands still until a test moves it; a sleep moves it too.
public final class ManualClock: Clock {
  private let state: Monitor<(wall: Timestamp, monotonic: Duration)>

  public init(now: Timestamp = Timestamp(seconds: 1_700_000_000)) {
    state = Monitor((wall: now, monotonic: .zero))
  }

  public func now() -> Timestamp { state.read { $0.wall } }

  public func monotonic() -> Duration { state.read { $0.monotonic } }

  public func sleep(_ duration: Duration) { advance(by: duration) }

  /// Moves both times forward.
  public func advance(by duration: Duration) {
    state.update {
      $0.wall = $0.wall + duration
      $0.monotonic += duration
    }
  }
}

extension Duration {
  /// Whole nanoseconds, cut off, at most 292 years.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    if overflow || overflowed { return seconds < 0 ? .min : .max }
    return sum
  }

  var timespec: Glibc.timespec {
    let clamped = Swift.max(0, nanoseconds)
    return Glibc.timespec(
      tv_sec: Int(clamped / 1_000_000_000), tv_nsec: Int(clamped % 1_000_000_000))
  }
}
