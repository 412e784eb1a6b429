import Exploration
import FaultFS
import FaultModel
import HarnessKit

/// Cases that try every state after a crash: one recorded run, many recoveries.
extension CaseRunner {
  /// Runs the case up to its recorded run, then for each state that a crash could have left of it
  /// the rest of the steps, and judges each; ends at the first that does not pass.
  ///
  /// A saboteur is followed to the first state at which its oracle objects.
  func sweep(
    _ sweep: CrashSweep, _ stage: Stage, _ looksOutside: (Verdict) -> Bool
  ) throws(Failure) -> CaseAttempt {
    let steps = stage.planned.scriptCase.steps.split(at: sweep)
    let runs = try play(steps.before, stage)
    // Two at once are struck together.
    let recorded = runs.suffix(steps.before.last?.runCount ?? 1)
    if recorded.isEmpty { throw Failure(reason: "the case has no run") }
    if let wrong = try judgeRecorded(stage, runs, sweep, looksOutside) { return wrong }
    let list = try system("crash states") { () throws(RigError) in try rig.crashStates() }
    if sweep.isAtEveryPoint {
      // A machine that comes up again has no other faults.
      try system("disarm") { () throws(RigError) in try rig.disarm() }
    }
    let armed = sweep.isAtEveryPoint ? [] : steps.before.armed
    var counts = CaseResult.CrashStates(
      points: list.points, generated: list.generated, unique: list.states.count, judged: 0)
    var last = CaseAttempt.broken("no state was found after the crash")
    for (index, state) in list.states.enumerated() {
      if stop.isRaised { throw Failure(reason: "interrupted") }
      let kept = try system("crash") { () throws(RigError) in
        try rig.install(crashState: index)
      }
      let tree = try snapshots(stage.stores, .volatile)
      let isKilled = sweep.isAtEveryPoint && !state.isClaimed
      let struck = recorded.map { run in
        isKilled ? run.killed(leaving: tree, at: state.time) : run.leaving(tree)
      }
      let all =
        runs.dropLast(struck.count) + struck + (try play(steps.after, stage, armed: armed))
      let isLast = index == list.states.count - 1
      last = try judge(stage, Array(all)) { verdict in
        (isLast || verdict != .pass) && looksOutside(verdict)
      }
      counts.judged += 1
      last.crashStates = counts
      guard last.verdict != .pass else { continue }
      last.crashState = state
      last.reason = "state \(index), \(state.text(kept)): \(last.reason)"
      if isFinal(last, stage) { return last }
    }
    return last
  }

  /// The words of a rule that bring up the one state at which a sweep fails; nil when it does not,
  /// or not behind a request.
  ///
  /// The case runs three times to count its requests, and once more to be struck.
  func pin(_ planned: PlannedCase) throws(Failure) -> CrashPin? {
    guard let sweep = planned.scriptCase.crashSweep, sweep.isAtEveryPoint else { return nil }
    _ = try record(planned)
    let stage = try load(planned, isFresh: false)
    try system("recording") { () throws(RigError) in try rig.observe(isAgain: true) }
    let attempt = try self.sweep(sweep, stage) { _ in false }
    guard attempt.verdict == .fail, let state = attempt.crashState else { return nil }
    if state.isClaimed { return CrashPin(moment: "after done", kept: state.kept) }
    let operations = try system("recording") { () throws(RigError) in try rig.operations() }
    guard operations.indices.contains(state.operationCount - 1) else { return nil }
    let last = operations[state.operationCount - 1]
    return last.isShadowed ? nil : CrashPin(moment: "after \(last.point)", kept: state.kept)
  }

  /// Nothing that comes later can change what is said of the subject.
  private func isFinal(_ attempt: CaseAttempt, _ stage: Stage) -> Bool {
    guard attempt.verdict == .fail, let oracle = stage.planned.caughtBy else { return true }
    return attempt.findings.contains { $0.oracle == oracle }
  }

  /// The recorded run itself; nil when nothing is wrong with it, and states are to be tried.
  private func judgeRecorded(
    _ stage: Stage, _ runs: [RunRecord], _ sweep: CrashSweep, _ looksOutside: (Verdict) -> Bool
  ) throws(Failure) -> CaseAttempt? {
    if !sweep.isAtEveryPoint {
      let status = try system("status") { () throws(RigError) in try rig.status() }
      if status.fired[sweep.rule] ?? 0 > 0 { return nil }
      return try judge(stage, runs, looksOutside: looksOutside)
    }
    var attempt = try judge(stage, runs, excusing: sweep.rule) { verdict in
      verdict != .pass && looksOutside(verdict)
    }
    if attempt.verdict == .pass || !isFinal(attempt, stage) { return nil }
    attempt.reason = "before any crash: \(attempt.reason)"
    return attempt
  }
}

extension RunRecord {
  /// The same run, struck by a crash at a moment: it has said what was heard of it by then, and
  /// leaves no report.
  func killed(leaving tree: [String: TreeSnapshot], at time: Duration) -> RunRecord {
    var said = SubjectReport()
    said.rows = report.rows.filter { $0.time.map { $0 < time } ?? false }
    return RunRecord(
      expectations: expectations.filter(\.isUndetectable), ending: .signalled(9, byRig: true),
      report: said, seconds: seconds, destinations: destinations, volatile: tree,
      durable: tree, leaks: [],
      log: log, before: before, written: written,
      claims: claims.withoutWords)
  }

  /// The same run with its claims, and what a crash left of its work.
  func leaving(_ tree: [String: TreeSnapshot]) -> RunRecord {
    RunRecord(
      expectations: expectations, ending: ending, report: report, seconds: seconds,
      destinations: destinations, volatile: tree, durable: tree, leaks: leaks, log: log,
      before: before, outputWasCut: outputWasCut, written: written, claims: claims)
  }
}

extension RunRecord.Claims {
  /// What a subject says that was killed before it could say anything.
  fileprivate var withoutWords: RunRecord.Claims {
    if case .exitCode(_, let onMedium) = self {
      .exitCode(claimed: [], onMedium: onMedium)
    } else {
      .report
    }
  }
}
