public import HarnessKit
import Synchronization
import SystemIO

/// Runs planned cases on one rig a job and tells the event stream.
public final class SuiteRunner: Sendable {
  let settings: RunSettings
  let events: EventStream
  private let folders: CaseFolders
  let stop: StopFlag

  public init(
    settings: RunSettings, directory: Run.Directory, events: EventStream, stop: StopFlag
  ) {
    self.settings = settings
    self.events = events
    self.stop = stop
    folders = CaseFolders(in: directory)
  }

  /// Runs the cases to their end, or until the stop flag is raised; blocks.
  ///
  /// - Returns: id and verdict of each case that was judged.
  /// - Throws: when the run's folder cannot be written, or no thread can be had.
  public func run(_ cases: [PlannedCase]) throws(RunError) -> [(id: String, verdict: Verdict)] {
    let results = Mutex<[(id: String, verdict: Verdict)]>([])
    try forEach(cases) { (driver, planned) throws(RunError) in
      self.events.post(.caseStarted(planned.identity))
      guard let result = try driver.drive(planned) else { return }
      results.withLock { $0.append((result.identity.id, result.verdict)) }
      self.events.post(.caseFinished(result))
    }
    return results.withLock { $0 }
  }

  /// Hands out items to the jobs, each with its own rig and subject, until none is left, `isOver`
  /// says so or the stop flag is raised; blocks.
  func forEach<Item: Sendable>(
    _ items: [Item], isOver: @escaping @Sendable () -> Bool = { false },
    _ body: @escaping @Sendable (CaseDriver, Item) throws(RunError) -> Void
  ) throws(RunError) {
    if items.isEmpty { return }
    for line in WorkFolder.sweep() { events.note(line) }
    let held = try Self.makeWorkFolder(isOpen: settings.isolation.account != nil)
    let work = held.path
    defer { removeWorkFolder(work) }
    let queue = Queue(items)
    var threads: [Thread] = []
    for job in 0..<max(1, min(settings.jobs, items.count)) {
      do throws(SystemError) {
        threads.append(
          try Thread(name: "job-\(job)") { [self] in
            bind(job)
            let folder = work.appending(BytePath("job-\(job)"))
            let driver = CaseDriver(settings: settings, folders: folders, stop: stop, work: folder)
            defer { driver.close() }
            do throws(RunError) {
              try makeFolder(folder)
              while !stop.isRaised, !isOver(), let item = queue.next() { try body(driver, item) }
            } catch {
              queue.end(error)
            }
          })
      } catch {
        if threads.isEmpty { throw .system(error) }
        events.note("job \(job) cannot start: \(error)")
      }
    }
    for thread in threads { thread.join() }
    if let failure = queue.failure { throw failure }
  }

  /// Items that several jobs take from.
  private final class Queue<Item: Sendable>: Sendable {
    private let items: [Item]
    private let state = Mutex((next: 0, failure: RunError?.none))

    init(_ items: [Item]) { self.items = items }

    func next() -> Item? {
      state.withLock { state in
        guard state.next < items.count, state.failure == nil else { return nil }
        state.next += 1
        return items[state.next - 1]
      }
    }

    func end(_ failure: RunError) {
      state.withLock { if $0.failure == nil { $0.failure = failure } }
    }

    var failure: RunError? { state.withLock { $0.failure } }
  }

  /// One core for the job's thread, its rig and its subject, which answer each other in turn.
  private func bind(_ job: Int) {
    do throws(SystemError) {
      try Thread.bindCurrent(turn: job)
    } catch {
      events.note("job \(job) runs on any core: \(error)")
    }
  }

  private func makeFolder(_ path: BytePath) throws(RunError) {
    do throws(SystemError) {
      try FileSystem.makeDirectories(path)
    } catch {
      throw .system(error)
    }
  }

  // MARK: The folder on this machine

  /// - `isOpen`: another user finds its way through.
  private static func makeWorkFolder(isOpen: Bool) throws(RunError) -> WorkFolder {
    do throws(SystemError) {
      return try WorkFolder.make("custody-run-", isOpen: isOpen)
    } catch {
      throw .system(error)
    }
  }

  /// Removes the folder, never with a mount below it.
  private func removeWorkFolder(_ work: BytePath) {
    do throws(SystemError) {
      let mounts = try MountTable.current().entries.map(\.mountPoint)
        .filter { $0.bytes.starts(with: work.bytes) }
      if mounts.isEmpty {
        try ScratchFolder.remove(work)
      } else {
        let names = mounts.map(\.escaped).joined(separator: ", ")
        events.note("left behind: \(work.escaped), since these are still mounted: \(names)")
      }
    } catch {
      events.note("left behind: \(work.escaped): \(error)")
    }
  }
}

extension EventStream {
  func note(_ text: String) { post(.note(text)) }
}
