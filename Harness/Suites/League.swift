public import HarnessKit
public import Subjects

/// The same cases on several subjects, each result put into one word.
public struct League: Sendable {
  /// What a case came to, from the user's side.
  public enum Outcome: String, Sendable, CaseIterable {
    /// Nothing was struck, success was said, and it is true.
    case right
    /// A fault struck, success was said, and it is true.
    case retriedRight = "retried right"
    /// It did not say success, and left nothing wrong.
    case cleanError = "clean error"
    /// It did not say success though nothing was wrong.
    case falseAlarm = "false alarm"
    /// Success was said, and files are wrong or missing.
    case silentLoss = "silent loss"
    /// As before, by a subject that compares what it wrote.
    case falseVerified = "false verified"
    case hang
    case sourceTouched = "source touched"
    /// What stood on the destination before is gone or other.
    case harmed
    /// Parts of files stand under final names, or stray names are left.
    case litterLeft = "litter left"
    /// Our own engine came to something else than its script expects.
    case other
    case notExercised = "not exercised"
    case blocked
    case broken

    /// Losses of data: what a table shows in bold.
    public var isLoss: Bool {
      switch self {
      case .silentLoss, .falseVerified, .sourceTouched, .harmed: true
      default: false
      }
    }
  }

  /// One subject of the league.
  public struct Contestant: Sendable, Equatable {
    public let name: String
    /// Command line and version.
    public let identity: String
    /// nil for our own engine.
    public let tool: ToolSpec?

    public init(name: String, identity: String, tool: ToolSpec? = nil) {
      self.name = name
      self.identity = identity
      self.tool = tool
    }

    /// It looks at what it wrote before it says success.
    var verifies: Bool { tool?.verifies ?? true }
  }

  /// One result in one word, with the finding that decided it.
  public struct Cell: Sendable, Equatable {
    public let outcome: Outcome
    /// The verdict is a pass.
    public let isPass: Bool
    public let reason: String
  }

  public let contestants: [Contestant]
  /// Case ids without modes or tools, in the order of the scripts.
  public let cases: [(id: String, title: String)]
  private var cells: [String: [String: Cell]] = [:]

  public init(contestants: [Contestant], cases: [(id: String, title: String)]) {
    self.contestants = contestants
    self.cases = cases
  }

  /// Takes a result in.
  public mutating func add(_ result: CaseResult) {
    guard let contestant = contestants.first(where: { $0.name == result.subject }) else { return }
    let cell = Cell(
      outcome: Self.outcome(of: result, verifies: contestant.verifies),
      isPass: result.verdict == .pass, reason: result.reason)
    cells[Self.id(of: result.identity), default: [:]][contestant.name] = cell
  }

  /// nil for a case that did not run.
  public func cell(_ id: String, _ contestant: Contestant) -> Cell? { cells[id]?[contestant.name] }

  /// How many cases of a contestant came to an outcome.
  public func count(_ outcome: Outcome, of contestant: Contestant) -> Int {
    cells.values.count { $0[contestant.name]?.outcome == outcome }
  }

  /// A case's id without mode or tool.
  public static func id(of identity: CaseIdentity) -> String {
    "\(identity.script)/\(identity.slug)"
  }

  /// The exit code: 4 when a case is broken, 1 when our own engine failed one, 3 when a case is
  /// blocked, did not run, or our own engine was not exercised, else 0. What a tool does worse is
  /// a result and no failure.
  public var exitCode: Int32 {
    var codes: Set<Int32> = []
    for one in cases {
      for contestant in contestants {
        codes.insert(Self.code(cell(one.id, contestant), isOurs: contestant.tool == nil))
      }
    }
    return [4, 1, 3].first(where: codes.contains) ?? (codes.isEmpty ? 3 : 0)
  }

  private static func code(_ cell: Cell?, isOurs: Bool) -> Int32 {
    guard let cell else { return 3 }
    switch cell.outcome {
    case .broken: return 4
    case .blocked: return 3
    case _ where cell.isPass || !isOurs: return 0
    case .notExercised: return 3
    default: return 1
    }
  }

  // MARK: One word for a result

  /// The word for a result; where several oracles object the gravest finding decides.
  static func outcome(of result: CaseResult, verifies: Bool) -> Outcome {
    switch result.verdict {
    case .broken: return .broken
    case .blocked: return .blocked
    case .notExercised: return .notExercised
    case .pass: return passed(result)
    case .fail:
      let oracles = Set(result.findings.map(\.oracle))
      if oracles.contains("source untouched") { return .sourceTouched }
      if oracles.contains("truth") || oracles.contains("no silence") {
        return verifies ? .falseVerified : .silentLoss
      }
      if oracles.contains("nothing harmed") { return .harmed }
      if oracles.contains("bounded") { return .hang }
      if oracles.contains("no impostor") || oracles.contains("clean") { return .litterLeft }
      return oracles.contains("no false alarm") ? .falseAlarm : .other
    }
  }

  private static func passed(_ result: CaseResult) -> Outcome {
    let hasFired = result.rules.contains { $0.fired > 0 }
    // Rules that may or may not strike, and did not, show nothing.
    if !result.rules.isEmpty && !hasFired { return .notExercised }
    guard let last = result.endings.last, last == "exit 0" || last == "exit 5" else {
      return .cleanError
    }
    return hasFired ? .retriedRight : .right
  }
}
