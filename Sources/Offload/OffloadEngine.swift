import Synchronization
public import SystemIO

/// Copies a card to its destinations and proves every copy.
///
/// One engine runs one job at a time. Everything happens on the caller's thread and on threads of
/// the engine's own; nothing runs on the cooperative pool.
public final class OffloadEngine: Sendable {
  private let job: CopyJob
  private let clock: any Clock
  private let ids: IDSource
  private let sink: EventSink
  private let isRunning = Atomic(false)
  private let cancelCause = Mutex<CancelCause?>(nil)
  /// The same as a flag that is cheap to ask for each chunk.
  private let isCancelled = Atomic(false)

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - random: where the engine's own names come from; seeded in tests.
  ///   - events: gets one event at a time, on any thread of the engine; while it runs nothing else
  ///     is delivered.
  public init(
    job: CopyJob, clock: any Clock = SystemClock(),
    random: any RandomNumberGenerator & Sendable = SystemRandom(),
    events: @escaping @Sendable (OffloadEvent) -> Void = { _ in }
  ) {
    self.job = job
    self.clock = clock
    ids = IDSource(random)
    sink = EventSink(events)
  }

  /// Runs the job and blocks until it has ended, with every thread of it.
  ///
  /// - Throws: only what is wrong with the job or the machine; a refusal and every failure of a
  ///   disk is an outcome.
  public func run() throws(OffloadError) -> OffloadOutcome {
    try check()
    guard isRunning.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
    else { throw .operationAlreadyInProgress }
    defer { isRunning.store(false, ordering: .releasing) }
    let run = OffloadRun(
      job: job, clock: clock, ids: ids, sink: sink,
      isCancelled: { [self] in isCancelled.load(ordering: .relaxed) },
      cancelCause: { [self] in cancelCause.withLock { $0 } })
    let outcome = try run.run()
    sink.send(.finished(outcome))
    return outcome
  }

  /// Asks the run to stop after the chunk at hand; any thread may call it, also before `run`.
  ///
  /// What is verified stays and is reported; everything unfinished is removed.
  public func cancel(_ cause: CancelCause) {
    cancelCause.withLock { $0 = $0 ?? cause }
    isCancelled.store(true, ordering: .relaxed)
  }

  private func check() throws(OffloadError) {
    if job.destinations.isEmpty { throw .noDestination }
    for path in [job.source] + job.destinations where !path.isAbsolute {
      throw .relativePath(path)
    }
    if let count = job.workerCount, !(1...Workers.bound).contains(count) {
      throw .badSetting("workers: 1 to \(Workers.bound)")
    }
    if job.headroomByteCount < 0 { throw .badSetting("the headroom is less than nothing") }
  }
}

/// How many threads copy files that are not large, and how much each takes at once.
enum Workers {
  static let bound = 64
  /// Enough that a disk has something to do while others hash; more would mostly wait for locks.
  static let usual = 8
  /// Descriptors that one file may hold, and those that a run needs beside its files.
  private static let descriptorsPerFile = 8
  private static let descriptorsOfRun = 32

  /// The number that was asked for, or the usual one as far as the limit on descriptors allows.
  static func count(_ wanted: Int?, destinations: Int) -> Int {
    if let wanted { return wanted }
    let room = max(0, Resources.descriptorLimit - descriptorsOfRun)
    return max(1, min(usual, room / (descriptorsPerFile * max(1, destinations))))
  }

  /// What each of so many workers may take at once, within the limit on descriptors.
  static func batch(_ workerCount: Int, destinations: Int) -> BatchBound {
    let room = max(0, Resources.descriptorLimit - descriptorsOfRun)
    return BatchBound(destinations: destinations, descriptorCount: room / workerCount)
  }

  /// Directories that each tree keeps open: a few for one worker, else enough for all of them.
  static func openDirectories(_ workerCount: Int) -> Int {
    workerCount == 1 ? 3 : workerCount + 8
  }
}
