/// Names of what belongs to one run of the harness.
public enum Run {
  /// What a run came to.
  public struct Summary: Sendable, Equatable {
    /// Cases by verdict, those excused by the allowed file left out.
    public private(set) var counts: [Verdict: Int]
    /// Cases whose verdict the allowed file excuses.
    public private(set) var allowed: Int
    /// What makes the run fail beside its cases: an allowed case that passed, an unknown id.
    public var problems: [String]
    /// The signal that ended the run early; nil for a run that came to its end.
    public var signal: Int32?
    /// Cases that were planned and not run.
    public var notRun: Int
    public var seconds: Double
    /// The exit code by the rule of a verb for which a failed case is a result (`league`); nil for
    /// the rule of all others.
    public var ruled: Int32?

    public init(
      counts: [Verdict: Int] = [:], allowed: Int = 0, problems: [String] = [],
      signal: Int32? = nil, notRun: Int = 0, seconds: Double = 0
    ) {
      self.counts = counts
      self.allowed = allowed
      self.problems = problems
      self.signal = signal
      self.notRun = notRun
      self.seconds = seconds
    }

    /// Counts one more result.
    public mutating func add(_ result: CaseResult) {
      if result.verdict != .pass, result.allowed != nil {
        allowed += 1
      } else {
        counts[result.verdict, default: 0] += 1
      }
    }

    /// Counts passes that have no result of their own.
    public mutating func add(passes count: Int) { counts[.pass, default: 0] += count }

    public subscript(verdict: Verdict) -> Int { counts[verdict] ?? 0 }

    /// Cases that ran.
    public var judged: Int { counts.values.reduce(allowed, +) }

    /// The exit code of the verb, by the precedence of the documentation: 130 or 143 interrupted,
    /// 4 broken, 1 a fail, 3 blocked, not exercised or nothing judged, 0 pass. (2, a usage or
    /// script error, ends a verb before there is a run.)
    public var exitCode: Int32 {
      if let signal { return 128 + signal }
      if let ruled { return ruled }
      if self[.broken] > 0 { return 4 }
      if self[.fail] > 0 || !problems.isEmpty { return 1 }
      if self[.blocked] > 0 || self[.notExercised] > 0 || self[.pass] == 0 { return 3 }
      return 0
    }
  }
}
