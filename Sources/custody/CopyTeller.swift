import CommandLineKit
import Offload
import SystemIO

/// A copy told to a person: a progress line, the files that failed, and one last line.
final class CopyTeller: CopyListener {
  /// More than this are counted, not listed; the report has them all.
  private static let listed = 20
  /// So many files are named for a cause that several of one destination share.
  private static let listedOfOneCause = 3

  private struct State {
    var line: ProgressLine?
    var started: OffloadEvent.Started?
    var isBegun = false
    var verified = 0
    var unverified = 0
    var failed = 0
    var reused = 0
    var weakest: VerificationLevel?
    var causes: [Cause] = []
  }

  /// Failures that have their destination and cause in common: a full disk fails many files.
  private struct Cause {
    let destination: Int
    let text: String
    var paths: [BytePath]
    var count: Int
  }

  private let console: any Console
  private let job: CopyJob
  private let isQuiet: Bool
  private let clock: any Clock
  private let begin: Duration
  private let state: Monitor<State>

  init(console: any Console, job: CopyJob, isQuiet: Bool, clock: any Clock = SystemClock()) {
    self.console = console
    self.job = job
    self.isQuiet = isQuiet
    self.clock = clock
    begin = clock.monotonic()
    var state = State()
    if !isQuiet, let terminal = console.progressTerminal {
      state.line = ProgressLine(output: .standardError, terminal: terminal)
    }
    self.state = Monitor(state)
  }

  func take(_ event: OffloadEvent) {
    state.update { state in
      switch event {
      case .started(let started): state.started = started
      case .progress(let progress): tell(progress, &state)
      case .row(let row): tell(row, &state)
      case .warning(let text):
        state.line?.clear()
        console.complain("custody: warning: \(text)")
      case .finished(let outcome):
        state.line?.clear()
        tell(outcome, state)
      }
    }
  }

  /// Said when the copying begins: preflight may still refuse after the manifest stands.
  private func tellBeginning(_ started: OffloadEvent.Started) {
    let size = ByteCount.text(UInt64(clamping: started.byteCount))
    let targets = started.destinations.map(\.escaped).joined(separator: ", ")
    console.complain(
      "Copying \(count(started.fileCount, "file")), \(size), from \(started.source.escaped) to "
        + "\(targets) (\(started.mode.rawValue))")
  }

  private func tell(_ progress: OffloadEvent.Progress, _ state: inout State) {
    guard let started = state.started else { return }
    if !isQuiet && !state.isBegun { tellBeginning(started) }
    state.isBegun = true
    let (total, _) = UInt64(clamping: started.byteCount)
      .multipliedReportingOverflow(by: UInt64(started.destinations.count))
    // The engine's pace counts what is read back as well.
    let left = progress.secondsLeft.map { Duration.seconds(Int64(min($0.rounded(.up), 1e9))) }
    state.line?.update(
      ProgressLine.State(
        verb: "copied", done: UInt64(clamping: progress.filesCopied),
        total: UInt64(clamping: started.fileCount),
        bytes: (UInt64(clamping: progress.bytesCopied), total),
        pace: (progress.bytesPerSecond, left),
        notes: job.mode.verifies ? ["\(progress.filesVerified) verified"] : []),
      at: clock.monotonic())
  }

  private func tell(_ row: FileRow, _ state: inout State) {
    if row.isReused { state.reused += 1 }
    if row.outcome != .failed {
      state.weakest = min(state.weakest ?? row.level, row.level)
    }
    switch row.outcome {
    case .verified: state.verified += 1
    case .copiedUnverified: state.unverified += 1
    case .failed, .checksumMismatch:
      state.failed += 1
      gather(row, &state.causes)
    }
  }

  private func gather(_ row: FileRow, _ causes: inout [Cause]) {
    let same = causes.firstIndex { $0.destination == row.destination && $0.text == row.cause }
    if let same {
      causes[same].count += 1
      if causes[same].paths.count < Self.listedOfOneCause { causes[same].paths.append(row.path) }
    } else if causes.count < Self.listed {
      causes.append(
        Cause(destination: row.destination, text: row.cause, paths: [row.path], count: 1))
    }
  }

  private func tell(_ causes: [Cause], of all: Int) {
    for cause in causes {
      for path in cause.paths {
        console.complain("FAILED \(path.escaped) on \(place(cause.destination)): \(cause.text)")
      }
      let rest = cause.count - cause.paths.count
      if rest > 0 { console.complain("... and \(rest) more on it for the same cause") }
    }
    let rest = all - causes.reduce(0) { $0 + $1.count }
    if rest > 0 { console.complain("... and \(rest) more failed; see the report") }
  }

  private func place(_ destination: Int) -> String {
    let folders = job.destinations
    return folders.indices.contains(destination)
      ? folders[destination].escaped : "destination \(destination)"
  }

  private func tell(_ outcome: OffloadOutcome, _ state: State) {
    tell(state.causes, of: state.failed)
    for problem in outcome.problems { console.complain("custody: \(problem)") }
    for path in outcome.leftBehind.prefix(Self.listed) {
      console.complain("left behind: \(path.escaped)")
    }
    if outcome.leftBehind.count > Self.listed {
      let rest = outcome.leftBehind.count - Self.listed
      console.complain("... and \(rest) more left behind; see the report")
    }
    if let problem = outcome.reportProblem {
      console.complain("custody: the report is missing: \(problem)")
    }
    console.show(summary(outcome, state) + "\n")
    if let report = outcome.report { console.show("Report: \(report.escaped)\n") }
  }

  private func summary(_ outcome: OffloadOutcome, _ state: State) -> String {
    let all = state.verified + state.unverified + state.failed
    let time = TimeSpan.text(clock.monotonic() - begin)
    switch outcome.verdict {
    case .verified:
      let level = state.weakest.map { ", read back \($0.words)" } ?? ""
      let reused = state.reused > 0 ? "; \(state.reused) there already" : ""
      return
        "VERIFIED: \(count(all, "copy", "copies")) of \(files(state)) in \(time)\(level)\(reused)"
    case .copiedNotVerified:
      let why = job.mode.verifies ? "nothing proves that they were read from the medium" : "quick"
      return "COPIED, NOT VERIFIED: \(state.unverified) of \(count(all, "copy", "copies")) (\(why))"
    case .failed:
      return state.failed > 0
        ? "FAILED: \(state.failed) of \(count(all, "copy", "copies")); "
          + "\(state.verified) verified, \(state.unverified) copied"
        : "FAILED: see above"
    case .refused: return "REFUSED: nothing was written"
    case .interrupted:
      return "INTERRUPTED: \(state.verified + state.unverified) of "
        + "\(count(all, "copy", "copies")) done; run it again to finish"
    }
  }

  private func files(_ state: State) -> String {
    let size = ByteCount.text(UInt64(clamping: state.started?.byteCount ?? 0))
    return "\(count(state.started?.fileCount ?? 0, "file")) (\(size))"
  }

  private func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }
}

extension VerificationLevel {
  /// How a person says it.
  fileprivate var words: String {
    switch self {
    case .direct: "by direct I/O"
    case .evicted: "after its cache was proven empty"
    case .cached: "from a cache"
    case .notRead: "not at all"
    }
  }
}
