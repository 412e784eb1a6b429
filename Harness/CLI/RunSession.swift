import BuildIdentity
import CommandLineKit
import Glibc
import HarnessKit
import Reporting
import Subjects
import Suites
import Synchronization
import SystemIO

/// One run of the harness from its checks to its exit code.
struct RunSession {
  let verb: String
  let options: RunOptions
  let library: SuiteLibrary
  let console: Console
  /// The user that subjects run as; nil for this one.
  var account: Account?
  /// Hears of everything that happens, after the usual recorders.
  var listener: (any Recorder)?
  /// The verb's own rule for the exit code, once every case has run. A run with one is told of
  /// by the verb: of its cases only the live line is shown.
  var rule: (@Sendable () -> Int32)?

  /// The subject's seconds for one run unless the command line says otherwise.
  static let deadlineSeconds = 60.0

  /// What is explored after the cases.
  struct Exploration {
    var targets: [ExplorationTarget]
    var choice: ExplorationChoice
  }

  /// How a run ended.
  struct End {
    var code: Int32
    /// Cases that were judged.
    var results: [(id: String, verdict: Verdict)] = []
  }

  /// Runs the cases and writes the report.
  ///
  /// - `allowed`: the excused verdicts; a run that is not whole (`isWhole` false) cannot say that a
  ///   line of it is stale.
  func run(
    _ planned: [PlannedCase], allowed: AllowedCases = AllowedCases(), isWhole: Bool = false,
    deadlineSeconds: Double = Self.deadlineSeconds, exploration: Exploration? = nil
  ) -> End {
    let cases = planned.filter { options.admits($0.identity.id) }
    let targets = (exploration?.targets ?? []).map { target in
      var target = target
      target.cases.removeAll { !options.admits($0.identity.id) }
      return target
    }
    if cases.isEmpty, targets.allSatisfy({ $0.cases.isEmpty }) {
      console.complain("harness \(verb): no case to run")
      return End(code: planned.isEmpty ? ExitCode.blocked : ExitCode.usage)
    }
    do {
      // First of all, so that every later thread inherits the blocked signals.
      let signals = try SignalQueue([.interrupt, .terminate])
      let here = try FileSystem.currentDirectory()
      try Machine.check(jobs: options.jobs, folder: here)
      let subjects = try subjects(of: cases)
      let directory = try Run.Directory.create(
        verb: verb, stamp: Stamp.fileName, chosen: options.report)
      let events = EventStream(try recorders(directory))
      let stop = StopFlag()
      let settings = try settings(
        cases + targets.flatMap(\.cases), allowed, deadlineSeconds)
      events.post(.runStarted(start(cases, subjects, settings)))
      if let problem = Enclosure.problem {
        events.post(.note("subjects run without namespaces of their own: \(problem)"))
      }
      let runner = SuiteRunner(
        settings: settings, directory: directory, events: events, stop: stop)
      let outcome = Outcome()
      let thread = try Thread(name: "run") {
        outcome.set(
          Result { () throws(RunError) in
            var end = Outcome.Run(results: try runner.run(cases))
            guard let exploration else { return end }
            let explored = try Explorer(runner: runner, choice: exploration.choice)
              .explore(targets)
            end.results += explored.results
            end.planned = explored.planned
            return end
          })
      }
      while outcome.value == nil {
        guard let signal = try signals.next(timeout: .milliseconds(50)) else { continue }
        if stop.signal != nil { leave(signal) }
        console.complain("\nharness: stopping; once more to leave at once")
        stop.raise(signal)
      }
      thread.join()
      return finish(events, stop, outcome, cases, isWhole ? allowed : AllowedCases())
    } catch let error as Machine.Missing {
      console.complain("harness \(verb): blocked: \(error)")
      return End(code: ExitCode.blocked)
    } catch let error as SubjectFailure {
      console.complain("harness \(verb): broken: \(error)")
      return End(code: ExitCode.broken)
    } catch let error as RunError {
      console.complain("harness \(verb): \(error)")
      return End(code: ExitCode.usage)
    } catch {
      console.complain("harness \(verb): \(error)")
      return End(code: ExitCode.broken)
    }
  }

  /// The second signal: the rigs' watchdogs clean up after us.
  private func leave(_ signal: Signal) -> Never {
    console.complain("harness: left at once; the report is not complete")
    _exit(128 + signal.rawValue)
  }

  private func finish(
    _ events: EventStream, _ stop: StopFlag, _ outcome: Outcome, _ cases: [PlannedCase],
    _ allowed: AllowedCases
  ) -> End {
    var end = End(code: ExitCode.broken)
    var summary = events.summary
    summary.signal = stop.signal?.rawValue
    summary.notRun = max(0, cases.count - summary.judged)
    switch outcome.value {
    case .success(let run):
      end.results = run.results
      summary.notRun = max(0, cases.count + run.planned - summary.judged)
      if stop.signal == nil { summary.problems = allowed.problems(after: run.results) }
    case .failure(let error): summary.problems.append("\(error)")
    case nil: break
    }
    if stop.signal == nil { summary.ruled = rule?() }
    events.post(.runFinished(summary))
    if let failure = events.failure {
      console.complain("harness: the report is not whole: \(failure)")
      if let signal = stop.signal { end.code = 128 + signal.rawValue }
      return end
    }
    if case .failure = outcome.value, stop.signal == nil { return end }
    end.code = summary.exitCode
    return end
  }

  private func recorders(_ directory: Run.Directory) throws(RunError) -> [any Recorder] {
    let terminal = RunTerminal(
      options.hasJSON || rule != nil ? .standardError : .standardOutput,
      hasColor: options.hasColor, isQuiet: options.isQuiet, isMute: rule != nil)
    var recorders: [any Recorder] = [try EventLog(in: directory)]
    if options.hasJSON {
      recorders.append(EventLines { OutputStream.standardOutput.write($0) })
    }
    recorders += [
      TerminalRecorder(output: terminal, folder: directory.shownPath.escaped),
      CoverageText(in: directory), JSONReport(in: directory), JUnitReport(in: directory),
    ]
    if let listener { recorders.append(listener) }
    return recorders
  }

  /// Every subject with path, build or version. Saboteurs come with the shipped engine, whose
  /// build must fit even where they alone run.
  private func subjects(of cases: [PlannedCase]) throws(SubjectFailure) -> [String] {
    var lines: [String] = []
    if cases.contains(where: { $0.tool == nil }) {
      lines.append("\(OffloadSubject.name): \(try subject(OffloadSubject.name).identity)")
    }
    var known: [ToolSpec] = []
    for tool in cases.compactMap(\.tool) where !known.contains(tool) {
      known.append(tool)
      lines.append("\(tool.name): \((try? ToolSubject(tool))?.identity ?? "missing")")
    }
    return lines
  }

  private func start(
    _ cases: [PlannedCase], _ subjects: [String], _ settings: RunSettings
  ) -> RunStart {
    RunStart(
      verb: verb, build: settings.build, kernel: settings.kernel,
      commandLine: ["harness"] + CommandLine.rawArguments.map { BytePath($0)?.escaped ?? "" },
      seed: settings.seed, subjects: subjects,
      planned: cases.count, startedAt: Stamp.now)
  }

  func settings(
    _ cases: [PlannedCase], _ allowed: AllowedCases, _ deadlineSeconds: Double
  ) throws(SystemError) -> RunSettings {
    let custody = options.custody
    return RunSettings(
      harness: try FileSystem.readLink("/proc/self/exe"), cards: library.cards,
      makeSubject: { name throws(SubjectFailure) in
        try SubjectCatalogue.make(name, custody: custody)
      },
      allowed: allowed, deadlineSeconds: options.deadlineSeconds ?? deadlineSeconds,
      jobs: options.jobs, seed: options.seed ?? cases[0].scriptCase.preamble.seed,
      build: BuildIdentity.current, kernel: Machine.kernel,
      isolation: Isolation(isEnclosed: Enclosure.problem == nil, account: account))
  }

  private func subject(_ name: String) throws(SubjectFailure) -> any Subject {
    try SubjectCatalogue.make(name, custody: options.custody)
  }
}

/// What the run's thread came to.
private final class Outcome: Sendable {
  /// Verdicts by id, and the schedules that were planned further to the cases.
  struct Run: Sendable {
    var results: [(id: String, verdict: Verdict)]
    var planned = 0
  }

  typealias Value = Result<Run, RunError>
  private let state = Mutex<Value?>(nil)

  var value: Value? { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = value } }
}

/// The wall clock as text, in UTC.
enum Stamp {
  /// RFC 3339: `2026-07-11T12:00:00Z`.
  static var now: String { text("%Y-%m-%dT%H:%M:%SZ") }

  /// For file names: `20260711-120000`.
  static var fileName: String { text("%Y%m%d-%H%M%S") }

  private static func text(_ format: String) -> String {
    var seconds = time_t(SystemClock().now().seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
