import Exploration
import FaultModel
public import HarnessKit
import Subjects
import Synchronization

/// Explores cases: records what each asks of its volumes, strikes every operation with every legal
/// fault, one schedule each, and counts what comes of it.
public final class Explorer: Sendable {
  private let runner: SuiteRunner
  private let choice: ExplorationChoice
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  private struct State {
    var coverage = Coverage()
    /// Passes that no event told of yet.
    var pending = (count: 0, undetectable: 0)
    var told = ContinuousClock.now
    var results: [(id: String, verdict: Verdict)] = []
    var planned = 0
  }

  /// How the exploration ended.
  public struct End: Sendable {
    /// Cases and schedules that were judged and did not pass, and bases that were not recorded.
    public var results: [(id: String, verdict: Verdict)] = []
    /// Schedules that were planned.
    public var planned = 0
  }

  public init(runner: SuiteRunner, choice: ExplorationChoice) {
    self.runner = runner
    self.choice = choice
  }

  private var isOver: Bool {
    choice.seconds.map { ContinuousClock.now - start >= .seconds($0) } ?? false
  }

  /// A case with what was recorded of it.
  private struct Explored: Sendable {
    let planned: PlannedCase
    let base: ExplorationBase

    var cost: (Int, Int) { (base.scriptCase.rules.count, base.movedByteCount) }

    func identity(_ id: String) -> CaseIdentity {
      CaseIdentity(
        script: base.script, title: "\(base.title) \(id)", line: base.line,
        mode: planned.identity.mode, slug: "\(base.scriptCase.slug)-\(id)")
    }
  }

  /// Explores to the end, or until the stop flag is raised; blocks.
  public func explore(_ targets: [ExplorationTarget]) throws(RunError) -> End {
    for target in Self.joined(targets) {
      try explore(target)
      if !target.operations.isEmpty { state.withLock { $0.coverage.isWhole = false } }
    }
    let coverage = state.withLock { $0.coverage }
    if !runner.stop.isRaised { check(coverage) }
    runner.events.post(.explored(coverage))
    return state.withLock { End(results: $0.results, planned: $0.planned) }
  }

  /// Scripts that are explored alike share their classes: what one has reached, the next need not.
  private static func joined(_ targets: [ExplorationTarget]) -> [ExplorationTarget] {
    var joined: [ExplorationTarget] = []
    for target in targets {
      if let index = joined.firstIndex(where: {
        $0.operations == target.operations && $0.depth == target.depth
      }) {
        joined[index].cases += target.cases
      } else {
        joined.append(target)
      }
    }
    return joined
  }

  private func explore(_ target: ExplorationTarget) throws(RunError) {
    // Clean cases come first, and of these the ones that are over soonest: they stand for a class.
    let bases = try record(target.cases.filter(isExplored).compactMap(sequential))
      .sorted { $0.cost < $1.cost }
    var plan = ExplorationPlan(operations: target.operations, prunes: choice.prunes)
    for (index, explored) in bases.enumerated() { plan.add(explored.base, index: index) }
    plan.arrange(limit: choice.scheduleLimit)
    try run(plan, bases)
    if choice.depth ?? target.depth > 1, !isOver, !runner.stop.isRaised {
      try exploreSeconds(plan, bases)
    }
    // A sweep over crash states is no schedule of an operation.
    if target.operations.isEmpty, choice.scheduleLimit == nil { try crash(bases) }
  }

  // MARK: Crash states

  /// Every state after a crash of all destinations, for each clean case.
  private func crash(_ bases: [Explored]) throws(RunError) {
    var seen: Set<String> = []
    let crashes = bases.enumerated().compactMap { $0.element.base.crash($0.offset) }
      .filter { seen.insert(bases[$0.base].base.crashClass).inserted }
    state.withLock { $0.planned += crashes.count }
    runner.events.post(.schedulesPlanned(crashes.count))
    try runner.forEach(crashes, isOver: { self.isOver }) { (driver, crash) throws(RunError) in
      let base = bases[crash.base]
      switch self.planned(text: crash.text, base) {
      case .success(let planned):
        guard let result = try driver.drive(planned) else { return }
        self.state.withLock { state in
          state.coverage.crashStateCount += result.crashStates?.judged ?? 0
          state.results.append((result.identity.id, result.verdict))
        }
        self.runner.events.post(.caseFinished(result))
      case .failure(let failure):
        self.finish(broken: base.identity("crash"), failure.reason)
      }
    }
  }

  /// Two at once have no order, and a crash has its states.
  private func isExplored(_ planned: PlannedCase) -> Bool {
    let isPlain = !planned.scriptCase.statements.contains { statement in
      switch statement {
      case .runTwoAtOnce: true
      case .rule(let rule): if case .crash = rule.effect { true } else { false }
      default: false
      }
    }
    if !isPlain { runner.events.note("\(planned.identity.id) has no order to explore") }
    return isPlain
  }

  /// The case as it is explored; one that cannot be written so is no pass.
  private func sequential(_ planned: PlannedCase) -> PlannedCase? {
    do throws(ScriptError) {
      return try planned.sequential(choice.isGated)
    } catch {
      finish(broken: planned.identity, "cannot be written for its exploration: \(error)")
      return nil
    }
  }

  // MARK: Recording

  private func record(_ cases: [PlannedCase]) throws(RunError) -> [Explored] {
    let recorded = Mutex<[Int: Explored]>([:])
    try runner.forEach(Array(cases.enumerated()), isOver: { self.isOver }) {
      (driver, item) throws(RunError) in
      switch driver.record(item.element) {
      case .success(let recording):
        recorded.withLock {
          $0[item.offset] = Explored(
            planned: item.element,
            base: item.element.base(recording.operations, isGated: self.choice.isGated))
        }
        self.note(unstable: recording.unstable)
      case .failure(let failure):
        if self.runner.stop.isRaised { return }
        self.finish(broken: item.element.identity, failure.reason)
      }
    }
    return recorded.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
  }

  private func note(unstable: [String]) {
    state.withLock { $0.coverage.unaddressed += unstable.map { "\($0) (another in every run)" } }
  }

  /// Second faults: each first one is recorded with what the engine does about it.
  private func exploreSeconds(
    _ plan: ExplorationPlan, _ bases: [Explored]
  ) throws(RunError) {
    let firsts = plan.firsts
    let recorded = Mutex<[Int: Explored]>([:])
    try runner.forEach(Array(firsts.enumerated()), isOver: { self.isOver }) {
      (driver, item) throws(RunError) in
      let base = bases[item.element.base]
      do throws(CaseRunner.Failure) {
        let planned = try self.planned(text: item.element.text, base).get()
        let recording = try driver.record(planned).get()
        recorded.withLock {
          $0[item.offset] = Explored(
            planned: planned,
            base: planned.base(recording.operations, isGated: self.choice.isGated))
        }
      } catch {
        if self.runner.stop.isRaised { return }
        self.finish(broken: base.identity(item.element.id), error.reason)
      }
    }
    var seconds = plan.continued
    var pairBases: [Explored] = []
    for (offset, explored) in recorded.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
      seconds.addSecond(explored.base, index: pairBases.count, after: firsts[offset])
      pairBases.append(explored)
    }
    seconds.arrange(limit: choice.scheduleLimit)
    try run(seconds, pairBases)
  }

  // MARK: Running

  private func run(_ plan: ExplorationPlan, _ bases: [Explored]) throws(RunError) {
    state.withLock { state in
      state.coverage.merge(plan.coverage)
      state.planned += plan.schedules.count
    }
    runner.events.post(.schedulesPlanned(plan.schedules.count))
    let begin = ContinuousClock.now
    try runner.forEach(plan.schedules, isOver: { self.isOver }) {
      (driver, schedule) throws(RunError) in
      switch self.planned(text: schedule.text, bases[schedule.base]) {
      case .success(let planned):
        guard let result = try driver.drive(planned) else { return }
        self.finish(result, schedule)
      case .failure(let failure):
        self.count(.broken, schedule)
        self.finish(broken: bases[schedule.base].identity(schedule.id), failure.reason)
      }
    }
    flush()
    state.withLock { state in
      state.coverage.seconds += (ContinuousClock.now - begin) / .seconds(1)
      // What --minutes left out is no longer planned.
      if isOver { state.coverage.cutRest() }
    }
  }

  private func planned(
    text: String, _ explored: Explored
  ) -> Result<PlannedCase, CaseRunner.Failure> {
    let base = explored.base
    do throws(ScriptError) {
      let script = try ScriptParser.parse(text, name: base.script)
      guard let only = script.cases.first else {
        return .failure(CaseRunner.Failure(reason: "the schedule has no case"))
      }
      let identity = CaseIdentity(
        script: base.script, title: only.title, line: base.line,
        mode: explored.planned.identity.mode, slug: only.slug)
      return .success(explored.planned.with(script, only, identity: identity))
    } catch {
      return .failure(CaseRunner.Failure(reason: "the schedule does not parse: \(error)"))
    }
  }

  /// Passes that one event tells of, and how long it waits for them.
  private static let batch = 500
  private static let patience = Duration.seconds(2)

  private func count(_ verdict: Verdict, _ schedule: ExploredSchedule) {
    let isUndetectable = if case .undetectable = schedule.detectability { true } else { false }
    let isFull = state.withLock { state in
      state.coverage.add(verdict, at: schedule.place, isUndetectable: isUndetectable)
      guard verdict == .pass else { return false }
      state.pending.count += 1
      if isUndetectable { state.pending.undetectable += 1 }
      return state.pending.count >= Self.batch
        || ContinuousClock.now - state.told >= Self.patience
    }
    if isFull { flush() }
  }

  private func finish(_ result: CaseResult, _ schedule: ExploredSchedule) {
    count(result.verdict, schedule)
    guard result.verdict != .pass else { return }
    state.withLock { $0.results.append((result.identity.id, result.verdict)) }
    runner.events.post(.caseFinished(result))
  }

  private func finish(broken identity: CaseIdentity, _ reason: String) {
    state.withLock { $0.results.append((identity.id, .broken)) }
    runner.events.post(
      .caseFinished(CaseResult(identity: identity, verdict: .broken, reason: reason)))
  }

  private func flush() {
    let pending = state.withLock { state in
      defer {
        state.pending = (0, 0)
        state.told = ContinuousClock.now
      }
      return state.pending
    }
    if pending.count == 0 { return }
    runner.events.post(
      .schedulesPassed(count: pending.count, undetectable: pending.undetectable))
  }

  // MARK: The plan was carried out

  /// Every cell ran as often as planned, and every operation was struck; else the exploration
  /// itself is broken.
  private func check(_ coverage: Coverage) {
    for problem in coverage.problems {
      finish(
        broken: CaseIdentity(
          script: "exploration", title: "plan and execution", line: 0, mode: "all",
          slug: "plan-and-execution"), problem)
    }
  }
}

extension PlannedCase {
  /// The case as exploration runs it: one step after the other where the subject can.
  func sequential(_ isGated: Bool) throws(ScriptError) -> PlannedCase {
    var planned = self
    planned.isGated = isGated
    guard !isGated, let arguments = sequentialArguments else { return planned.plain }
    let text = ScheduleWords.text(
      ofScript: script.text, title: identity.title, arguments: arguments)
    let script = try ScriptParser.parse(text, name: script.name)
    return planned.with(script, script.cases[0])
  }

  fileprivate var sequentialArguments: String? {
    subject == OffloadSubject.name && tool == nil ? "--workers 1" : nil
  }

  /// What a plan is made of.
  func base(_ operations: [RecordedOperation], isGated: Bool) -> ExplorationBase {
    ExplorationBase(
      script: identity.script, title: identity.title, line: identity.line, mode: mode,
      text: script.text, scriptCase: scriptCase, operations: operations,
      sequentialArguments: isGated ? nil : sequentialArguments, subject: subject)
  }
}
