import Synchronization
import SystemIO

/// Counts what is done and says so at most twice a second, and when the last file is copied and when
/// it is verified.
final class ProgressMeter: Sendable {
  static let interval = Duration.milliseconds(500)
  /// The rate is that of this last stretch.
  static let window = Duration.seconds(10)
  /// Before this the time left would be a guess.
  static let settling = Duration.seconds(2)

  private struct State {
    var filesCopied = 0
    var filesVerified = 0
    var bytesCopied: Int64 = 0
    var bytesVerified: Int64 = 0
    var lastEvent: Duration?
    var start: Duration?
    var samples: [(time: Duration, bytes: Int64)] = []
  }

  private let clock: any Clock
  private let sink: EventSink
  /// Bytes to write and to read back on all destinations.
  private let totalByteCount: Int64
  private let fileCount: Int
  private let state = Mutex(State())

  init(clock: any Clock, sink: EventSink, fileCount: Int, totalByteCount: Int64) {
    self.clock = clock
    self.sink = sink
    self.fileCount = fileCount
    self.totalByteCount = totalByteCount
  }

  func addCopied(_ byteCount: Int) {
    update {
      $0.bytesCopied += Int64(byteCount)
      return false
    }
  }

  func addVerified(_ byteCount: Int) {
    update {
      $0.bytesVerified += Int64(byteCount)
      return false
    }
  }

  func countCopied() {
    update {
      $0.filesCopied += 1
      return $0.filesCopied == fileCount
    }
  }

  func countVerified() {
    update {
      $0.filesVerified += 1
      return $0.filesVerified == fileCount
    }
  }

  /// - Parameter body: counts; true when that has to be said at once.
  private func update(_ body: (inout State) -> Bool) {
    let now = clock.monotonic()
    let due = state.withLock { state -> OffloadEvent.Progress? in
      let isDue = body(&state)
      if !isDue, let last = state.lastEvent, now - last < Self.interval { return nil }
      state.lastEvent = now
      return event(&state, now)
    }
    if let due { sink.send(.progress(due)) }
  }

  private func event(_ state: inout State, _ now: Duration) -> OffloadEvent.Progress {
    let start = state.start ?? now
    state.start = start
    let done = state.bytesCopied + state.bytesVerified
    state.samples.append((now, done))
    state.samples.removeAll { now - $0.time > Self.window }
    let first = state.samples.first ?? (now, done)
    let seconds = Double((now - first.time).nanoseconds) / 1e9
    let rate = seconds > 0 ? Double(done - first.bytes) / seconds : 0
    let isSettled = now - start >= Self.settling && rate > 0
    return OffloadEvent.Progress(
      filesCopied: state.filesCopied, filesVerified: state.filesVerified,
      bytesCopied: state.bytesCopied, bytesVerified: state.bytesVerified, bytesPerSecond: rate,
      secondsLeft: isSettled ? Double(max(0, totalByteCount - done)) / rate : nil)
  }
}
