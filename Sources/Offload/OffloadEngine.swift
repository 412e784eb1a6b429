public import SystemIO

/// Copies a card to its destinations and proves every copy.
public final class OffloadEngine: Sendable {
  private let job: CopyJob
  private let sink: @Sendable (OffloadEvent) -> Void

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - events: gets one event at a time, on any thread of the engine; it must not block long.
  public init(
    job: CopyJob, clock: any Clock = SystemClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandom(),
    events: @escaping @Sendable (OffloadEvent) -> Void = { _ in }
  ) {
    self.job = job
    sink = events
  }

  /// Runs the job on the caller's thread and blocks until it ends.
  ///
  /// - Throws: only what is wrong with the job or the machine; a refusal and every failure of a
  ///   disk is an outcome.
  public func run() throws(OffloadError) -> OffloadOutcome {
    guard !job.destinations.isEmpty else { throw .noDestination }
    let outcome = OffloadOutcome(verdict: .refused, exitCode: 3, rows: RowList())
    sink(.finished(outcome))
    return outcome
  }

  /// Asks the run to stop after the chunk at hand; any thread may call it, also before `run`.
  public func cancel(_ cause: CancelCause) {}
}
