import FaultModel
import SystemIO

/// What the runner does in one case, in order: the statements of the script with their meaning
/// (scripts.md, decisions 12 and 16).
enum CaseStep: Equatable {
  /// These rules come into force together; those before the first run stand before it.
  case arm([Int])
  /// The n-th `given` of the case, from 0, between two runs.
  case given(Int)
  case disarm
  /// A run, or two at once, with what the script expects of it.
  case run(arguments: [BytePath], atOnce: Int, expectations: [Expectation])
}

/// A rule that asks for every state after a crash.
struct CrashSweep: Equatable {
  let rule: Int
  /// The run is recorded to its end; else the crash comes once, where the rule says.
  let isAtEveryPoint: Bool
}

extension [CaseStep] {
  /// The steps up to the run that is recorded, and those that follow for each state.
  ///
  /// A run is recorded once the rule is armed. When no run follows it, it is done again with the
  /// same words, to recover.
  func split(at sweep: CrashSweep) -> (before: [CaseStep], after: [CaseStep]) {
    let armed = firstIndex { step in
      if case .arm(let rules) = step { rules.contains(sweep.rule) } else { false }
    }
    guard let armed, let run = self[armed...].firstIndex(where: \.isRun) else { return (self, []) }
    let rest = Array(self[(run + 1)...])
    if rest.contains(where: \.isRun) { return (Array(self[...run]), rest) }
    return (Array(self[...run]), rest + [self[run]])
  }
}

extension [CaseStep] {
  /// The rules in force at their end.
  var armed: Set<Int> {
    reduce(into: []) { armed, step in
      switch step {
      case .arm(let rules): armed.formUnion(rules)
      case .disarm: armed = []
      case .given, .run: break
      }
    }
  }
}

extension CaseStep {
  var isRun: Bool { runCount > 0 }

  /// How many subjects it runs.
  var runCount: Int { if case .run(_, let atOnce, _) = self { atOnce } else { 0 } }
}

extension ScriptCase {
  /// The steps of the case. Without a `run` line there is one run after everything else; an
  /// `expect` belongs to the run before it, or to the first one when none came yet. What is to
  /// recover runs once more, and the words are for that run.
  var steps: [CaseStep] {
    var steps: [CaseStep] = []
    var pendingRules: [Int] = []
    var early: [Expectation] = []
    var givens = 0
    var lastRun: Int?

    func flush() {
      if !pendingRules.isEmpty { steps.append(.arm(pendingRules)) }
      pendingRules = []
    }
    func run(_ arguments: [BytePath], atOnce: Int) {
      flush()
      steps.append(
        .run(
          arguments: arguments, atOnce: atOnce,
          expectations: lastRun == nil ? early : []))
      lastRun = steps.count - 1
    }

    for statement in statements {
      switch statement {
      case .rule(let rule): pendingRules.append(rule.id)
      case .given:
        if lastRun != nil {
          flush()
          steps.append(.given(givens))
        }
        givens += 1
      case .disarm:
        flush()
        steps.append(.disarm)
      case .run(let arguments): run(arguments, atOnce: 1)
      case .runTwoAtOnce: run([], atOnce: 2)
      case .expect(let expectation):
        guard let index = lastRun, case .run(let arguments, let atOnce, let others) = steps[index]
        else {
          early.append(expectation)
          continue
        }
        steps[index] = .run(
          arguments: arguments, atOnce: atOnce, expectations: others + [expectation])
      }
    }
    if lastRun == nil {
      let again = early
      if recovers(early) { early = early.filter(\.isUndetectable) }
      run([], atOnce: 1)
      if recovers(again) {
        steps.append(.run(arguments: [], atOnce: 1, expectations: again))
      }
    } else {
      flush()
    }
    return steps
  }

  private func recovers(_ expectations: [Expectation]) -> Bool {
    expectations.contains(.recovery) || crashSweep?.isAtEveryPoint == true
  }

  /// The crash whose states are tried one by one: the first rule of the case that asks for them.
  var crashSweep: CrashSweep? {
    for rule in rules {
      guard case .crash(_, let keep) = rule.effect else { continue }
      if rule.clauses.atEveryOperation { return CrashSweep(rule: rule.id, isAtEveryPoint: true) }
      if keep.needsLog { return CrashSweep(rule: rule.id, isAtEveryPoint: false) }
    }
    return nil
  }

  /// A file or folder that its owner may not read by its mode, or not write on a destination; nil
  /// when the case has none.
  var barringGiven: Given? {
    statements.lazy.compactMap { if case .given(let given) = $0 { given } else { nil } }
      .first { given in
        guard let mode = given.mode else { return false }
        let needed: UInt16 = given.isDirectory ? 0o500 : 0o400
        return mode & needed != needed || given.volume != "src" && mode & 0o200 == 0
      }
  }

  /// The subject is killed, stopped, limited or has to be waited for: a process of its own.
  var needsFreshProcess: Bool {
    statements.contains { statement in
      switch statement {
      case .runTwoAtOnce: return true
      case .rule(let rule):
        switch rule.effect {
        case .crash: return !rule.clauses.atEveryOperation
        case .killSubject, .terminateSubject, .stopSubject, .limitSubject: return true
        case .hang: return true
        default: return false
        }
      default: return false
      }
    }
  }
}

/// What a run gets little of, by the rules that are armed when it begins.
struct SubjectLimits {
  /// How many bytes of its output are read; nil for all.
  let output: Int?
  /// The subject may die for want of memory, which is the rig's doing.
  let mayKill: Bool

  init(of scriptCase: ScriptCase, under armed: Set<Int>) {
    var output: Int?
    var mayKill = false
    for rule in scriptCase.rules where armed.contains(rule.id) {
      switch rule.effect {
      case .limitSubject(.stdout, let count): output = min(output ?? .max, Int(clamping: count))
      case .limitSubject(.memory, _): mayKill = true
      default: break
      }
    }
    self.output = output
    self.mayKill = mayKill
  }
}

extension Expectation {
  /// What nobody can see in one run nobody can see in the next.
  var isUndetectable: Bool { if case .undetectable = self { true } else { false } }
}
