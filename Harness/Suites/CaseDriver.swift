import Exploration
import FaultFS
import FaultModel
import HarnessKit
import Subjects
import SystemIO

/// Brings one case to its result: attempts, repeats in fresh processes, the case's folder.
///
/// One driver belongs to one job: it owns a rig and a subject, and starts them again after a
/// failure.
final class CaseDriver {
  private let settings: RunSettings
  private let folders: CaseFolders
  private let stop: StopFlag
  private let work: BytePath
  private let cache: CaseRunner.Cache
  private var rig: RigClient?
  private var subject: (name: String, value: any Subject)?

  /// The most attempts at a case whose verdicts differ, and the seconds after which no further one
  /// begins.
  static let attemptLimit = 10
  static let repeatSeconds = 120.0

  init(settings: RunSettings, folders: CaseFolders, stop: StopFlag, work: BytePath) {
    self.settings = settings
    self.folders = folders
    self.stop = stop
    self.work = work
    cache = CaseRunner.Cache(trees: TreeBuilder(cards: settings.cards))
  }

  /// Runs a case; nil when the run was told to end meanwhile.
  func drive(_ planned: PlannedCase) throws(RunError) -> CaseResult? {
    let start = ContinuousClock.now
    let sample = Sample(seed: settings.seed, id: planned.identity.id)
    let looksOutside = { (verdict: Verdict) in
      verdict == .fail || verdict == .notExercised || sample.isSeenOutside
    }
    let first = attempt(planned, isFresh: false, looksOutside)
    if stop.isRaised { return nil }
    var attempts = [first]
    // What a broken engine leaks shows in a worker only: its fresh process says nothing new.
    let isSampled = sample.isRepeated && first.verdict == .pass && planned.caughtBy == nil
    if first.verdict.isDoubtful || isSampled {
      repeat {
        attempts.append(attempt(planned, isFresh: true, looksOutside))
        if stop.isRaised { return nil }
      } while needsMore(attempts, since: start)
    }
    var result = Self.conclusion(of: attempts, planned)
    result.seconds = (ContinuousClock.now - start) / .seconds(1)
    result.seed = planned.scriptCase.preamble.seed
    settings.allowed.excuse(&result)
    if result.verdict != .pass {
      let shown = attempts.first { $0.verdict != .pass } ?? first
      result.folder = try writeFolder(planned, shown, result.verdict)
    }
    return result
  }

  /// Attempts go on while their verdicts differ, up to the limits.
  private func needsMore(_ attempts: [CaseAttempt], since start: ContinuousClock.Instant) -> Bool {
    let isMixed = attempts.contains { $0.verdict != attempts[0].verdict }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return isMixed && attempts.count < Self.attemptLimit && seconds < Self.repeatSeconds
      && !attempts.contains { $0.verdict == .broken }
  }

  /// The result of all attempts: the first one was a worker's, where a worker would do.
  ///
  /// Equal verdicts stand. Where fresh processes differ among themselves the failure is real and
  /// marked with how often it came. Where they all agree against the worker, the harness or the
  /// worker's state is at fault: *broken*.
  static func conclusion(of attempts: [CaseAttempt], _ planned: PlannedCase) -> CaseResult {
    let first = attempts[0]
    let shown =
      attempts.first { $0.verdict == .broken }
      ?? attempts.first { $0.verdict != .pass } ?? first
    var result = CaseResult(
      identity: planned.identity, verdict: shown.verdict, reason: shown.reason,
      findings: shown.findings,
      rules: planned.scriptCase.rules.map { rule in
        CaseResult.RuleCount(
          line: rule.line, text: rule.text, fired: shown.fired[rule.id] ?? 0,
          isOptional: rule.clauses.maybe)
      },
      subject: planned.subject, schedule: planned.scriptCase.schedule, notes: shown.notes,
      crashStates: shown.crashStates)
    result.endings = shown.endings
    guard attempts.count > 1 else { return result }
    let agreeing = attempts.count { $0.verdict == shown.verdict }
    result.repeats = CaseResult.Repeats(agreeing: agreeing, of: attempts.count)
    let fresh = attempts.dropFirst()
    let freshAgree = fresh.allSatisfy { $0.verdict == fresh.first?.verdict }
    let isWorkerFirst = !planned.scriptCase.needsFreshProcess && planned.tool == nil
    if shown.verdict != .broken, agreeing < attempts.count, freshAgree, isWorkerFirst {
      result.verdict = .broken
      result.reason =
        "worker and fresh process disagree: \(first.verdict.rawValue) against "
        + "\(fresh.first?.verdict.rawValue ?? "") (\(fresh.count)x); \(shown.reason)"
    }
    return result
  }

  // MARK: Attempts

  /// What a case asks of its volumes; a sentence when that cannot be found out.
  func record(_ planned: PlannedCase) -> Result<Recording, CaseRunner.Failure> {
    do throws(CaseRunner.Failure) {
      return .success(try makeRunner(planned).record(planned))
    } catch {
      close()
      return .failure(error)
    }
  }

  /// The one state at which a sweep over crash states fails; nil when there is none, or it cannot
  /// be found out.
  func pin(_ planned: PlannedCase) -> CrashPin? {
    do throws(CaseRunner.Failure) {
      return try makeRunner(planned).pin(planned)
    } catch {
      close()
      return nil
    }
  }

  private func makeRunner(_ planned: PlannedCase) throws(CaseRunner.Failure) -> CaseRunner {
    do {
      return CaseRunner(
        rig: try currentRig(), subject: try currentSubject(planned),
        cache: cache, work: work,
        isolation: settings.isolation,
        deadlineSeconds: Saboteur.named(planned.subject)?.deadlineSeconds
          ?? settings.deadlineSeconds, stop: stop)
    } catch let error as SubjectFailure where error.isBlocked {
      throw CaseRunner.Failure(reason: error.description, verdict: .blocked)
    } catch {
      throw CaseRunner.Failure(reason: "\(error)")
    }
  }

  /// One attempt, whatever comes of it.
  func judge(_ planned: PlannedCase, isFresh: Bool = false) -> CaseAttempt {
    attempt(planned, isFresh: isFresh) { _ in false }
  }

  private func attempt(
    _ planned: PlannedCase, isFresh: Bool, _ looksOutside: (Verdict) -> Bool
  ) -> CaseAttempt {
    let runner: CaseRunner
    do throws(CaseRunner.Failure) {
      runner = try makeRunner(planned)
    } catch {
      return CaseAttempt(verdict: error.verdict, reason: error.reason)
    }
    let attempt = runner.attempt(planned, isFresh: isFresh, looksOutside: looksOutside)
    if attempt.verdict == .broken || attempt.isInterrupted { close() }
    return attempt
  }

  private func currentRig() throws(RigError) -> RigClient {
    if let rig { return rig }
    let started = try RigClient.start(
      harness: settings.harness, workFolder: work.appending("rig"), cards: settings.cards.folders,
      owner: settings.isolation.account.map { ($0.uid, $0.gid) })
    rig = started
    return started
  }

  private func currentSubject(_ planned: PlannedCase) throws(SubjectFailure) -> any Subject {
    let name = planned.subject
    if let subject, subject.name == name { return subject.value }
    subject?.value.finish()
    subject = nil
    let made: any Subject
    if let tool = planned.tool {
      made = try ToolSubject(tool)
    } else {
      made = try settings.makeSubject(name)
    }
    subject = (name, made)
    return made
  }

  /// Ends rig and subject; the next attempt starts new ones.
  func close() {
    subject?.value.finish()
    subject = nil
    // What a dead rig leaves, its watchdog takes away.
    try? rig?.shutdown()
    rig = nil
  }

  // MARK: Evidence

  private func writeFolder(
    _ planned: PlannedCase, _ attempt: CaseAttempt, _ verdict: Verdict
  ) throws(RunError) -> String? {
    let replay = settings.replay(of: planned, verdict: verdict)
    return try folders.write(
      CaseFolders.Contents(
        replay: replay.json.encoded(pretty: true) + [0x0a], trace: attempt.trace,
        log: attempt.log, before: attempt.before, after: attempt.after),
      id: planned.identity.id)
  }
}

extension Verdict {
  /// A verdict that another process must confirm.
  var isDoubtful: Bool { self == .fail || self == .notExercised }
}
