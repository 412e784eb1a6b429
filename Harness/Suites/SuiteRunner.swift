public import HarnessKit
import Synchronization
import SystemIO

/// Runs planned cases on one rig a job and tells the event stream.
public final class SuiteRunner: Sendable {
  private let settings: RunSettings
  private let events: EventStream
  private let folders: CaseFolders
  private let stop: StopFlag
  private let state = Mutex(State())

  private struct State {
    var next = 0
    var results: [(id: String, verdict: Verdict)] = []
    var failure: RunError?
  }

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
    let work = try Self.makeWorkFolder()
    defer { removeWorkFolder(work) }
    var threads: [Thread] = []
    for job in 0..<max(1, min(settings.jobs, cases.count)) {
      do throws(SystemError) {
        threads.append(
          try Thread(name: "job-\(job)") { [self] in
            bind(job)
            loop(cases, work.appending(BytePath("job-\(job)")))
          })
      } catch {
        if threads.isEmpty { throw .system(error) }
        events.note("job \(job) cannot start: \(error)")
      }
    }
    for thread in threads { thread.join() }
    let (results, failure) = state.withLock { ($0.results, $0.failure) }
    if let failure { throw failure }
    return results
  }

  /// One core for the job's thread, its rig and its subject, which answer each other in turn.
  private func bind(_ job: Int) {
    do throws(SystemError) {
      try Thread.bindCurrent(turn: job)
    } catch {
      events.note("job \(job) runs on any core: \(error)")
    }
  }

  private func loop(_ cases: [PlannedCase], _ work: BytePath) {
    let driver = CaseDriver(settings: settings, folders: folders, stop: stop, work: work)
    defer { driver.close() }
    do throws(RunError) {
      try makeFolder(work)
      while let planned = take(cases) {
        events.post(.caseStarted(planned.identity))
        guard let result = try driver.drive(planned) else { break }
        state.withLock { $0.results.append((result.identity.id, result.verdict)) }
        events.post(.caseFinished(result))
      }
    } catch {
      state.withLock { if $0.failure == nil { $0.failure = error } }
    }
  }

  private func makeFolder(_ path: BytePath) throws(RunError) {
    do throws(SystemError) {
      try FileSystem.makeDirectories(path)
    } catch {
      throw .system(error)
    }
  }

  /// The next case; nil when none is left, or the run has to end.
  private func take(_ cases: [PlannedCase]) -> PlannedCase? {
    if stop.isRaised { return nil }
    return state.withLock { state in
      guard state.next < cases.count, state.failure == nil else { return nil }
      state.next += 1
      return cases[state.next - 1]
    }
  }

  // MARK: The folder on this machine

  private static func makeWorkFolder() throws(RunError) -> BytePath {
    do throws(SystemError) {
      let base = try FileSystem.resolve(Environment.value("TMPDIR") ?? BytePath("/tmp"))
      let folder = try PinnedDirectory.open(base)
      var random = SystemRandomNumberGenerator()
      let name = BytePath("custody-run-\(String(random.next() as UInt64, radix: 16))")
      _ = try folder.makeDirectory(name, mode: 0o700, tolerant: false)
      return base.appending(name)
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
