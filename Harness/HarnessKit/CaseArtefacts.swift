public import FaultModel
public import SystemIO

/// Everything that an oracle may look at once a case is over.
public struct CaseArtefacts: Sendable {
  /// The script's case, its preamble merged.
  public let scriptCase: ScriptCase
  public let mode: Mode
  /// What `src` held, by the generator, before any fault (source truth).
  public let plannedSource: PlannedTree
  /// Each volume right before the first run.
  public var before: [String: TreeSnapshot]
  /// Each run in order, with the volumes as they stood after it.
  public var runs: [RunRecord]
  /// How often each rule struck, by rule id.
  public let fired: [Int: Int]
  /// What the rig itself did to files (scripts.md decision 7).
  public var acts: [RigAct]
  /// The folders under the mount points and the run's scratch folders, before and after.
  public let surroundings: Surroundings
  /// Each volume's persona as the case has it: `facts` is what the subject was told (the script's
  /// `facts` word laid over the row; `facts real` is type `fuse`, level `cached`) and `barriers`
  /// what the script's word says.
  public let personas: [String: Persona]

  public init(
    scriptCase: ScriptCase, mode: Mode, plannedSource: PlannedTree,
    before: [String: TreeSnapshot], runs: [RunRecord], fired: [Int: Int], acts: [RigAct],
    surroundings: Surroundings, personas: [String: Persona] = [:]
  ) {
    self.scriptCase = scriptCase
    self.mode = mode
    self.plannedSource = plannedSource
    self.before = before
    self.runs = runs
    self.fired = fired
    self.acts = acts
    self.surroundings = surroundings
    self.personas = personas
  }

  /// The volumes as they stood right before a run: its own record of that, else what the run
  /// before it left, else what stood before the first one.
  public func state(beforeRun index: Int) -> [String: TreeSnapshot] {
    if let own = runs[index].before { return own }
    return index == 0 ? before : runs[index - 1].volatile
  }
}

/// One run of the subject.
public struct RunRecord: Sendable {
  /// What the script expects of this run.
  public let expectations: [Expectation]
  public let ending: Ending
  public let report: SubjectReport
  public let seconds: Double
  /// Destination volume names in the order given to the subject.
  public let destinations: [String]
  /// Each volume right before this run; nil when nothing happened to it since the state before
  /// (`CaseArtefacts.state(beforeRun:)`). Needed after a `given` or a rule between two runs.
  public var before: [String: TreeSnapshot]?
  /// The layer that the subject sees, by volume name.
  public var volatile: [String: TreeSnapshot]
  /// What would be left after a power cut with nothing kept, by volume name.
  public var durable: [String: TreeSnapshot]
  /// Descriptors, threads, children, mounts and temporary files beyond the baseline, one line each.
  public let leaks: [String]
  /// The source files whose bytes were written in this run, by destination.
  public var written: [String: Set<BytePath>]
  /// The last lines of the subject's standard error.
  public let log: String
  /// Nobody read the subject's output to its end (`limit subject stdout`): the report cannot be
  /// whole.
  public let outputWasCut: Bool
  public let claims: Claims

  public init(
    expectations: [Expectation], ending: Ending, report: SubjectReport, seconds: Double,
    destinations: [String], volatile: [String: TreeSnapshot], durable: [String: TreeSnapshot],
    leaks: [String], log: String, before: [String: TreeSnapshot]? = nil,
    outputWasCut: Bool = false, written: [String: Set<BytePath>] = [:],
    claims: Claims = .report
  ) {
    self.claims = claims
    self.before = before
    self.outputWasCut = outputWasCut
    self.written = written
    self.expectations = expectations
    self.ending = ending
    self.report = report
    self.seconds = seconds
    self.destinations = destinations
    self.volatile = volatile
    self.durable = durable
    self.leaks = leaks
    self.log = log
  }

  /// What the subject says by this run.
  public enum Claims: Sendable, Equatable {
    /// What its report says, row by row.
    case report
    /// It has no report: exit 0 says that every regular file of the source stands on these
    /// destinations, as everybody sees them or on the medium; any other code says nothing of any
    /// file.
    case exitCode(claimed: [String], onMedium: Bool = false)
  }

  /// How the process ended.
  public enum Ending: Sendable, Equatable {
    case exited(Int32)
    /// Killed by this signal; `byRig` when a rule asked for it.
    case signalled(Int32, byRig: Bool)
    /// Still alive at its deadline, then killed.
    case deadline
  }
}

/// What a subject says of its own work, read with the harness's own code.
///
/// A killed subject has no report (`isPresent` is false), but the rows that it had announced as
/// final before it died stand in `rows` all the same: they are claims.
public struct SubjectReport: Sendable, Equatable {
  /// What the subject says of one file on one destination.
  public struct Row: Sendable, Equatable {
    /// The subject's own verdict of the file.
    public enum Outcome: String, Sendable { case verified, copiedUnverified, failed }

    /// Below the source's root.
    public var path: BytePath
    /// A destination volume's name.
    public var destination: String
    public var outcome: Outcome
    /// `direct`, `evicted`, `cached` or `not read`.
    public var level: String
    /// Why it failed, as the subject says it; empty when it did not.
    public var cause: String
    /// When it was heard of, by the monotonic clock; nil for a row that was in no stream.
    public var time: Duration?

    public init(
      path: BytePath, destination: String, outcome: Outcome, level: String, cause: String,
      time: Duration? = nil
    ) {
      self.time = time
      self.path = path
      self.destination = destination
      self.outcome = outcome
      self.level = level
      self.cause = cause
    }
  }

  /// False when the subject left no report at all (killed, or a tool without one).
  public var isPresent: Bool
  /// `verified`, `copiedNotVerified`, `failed`, `refused` or `interrupted`; empty without report.
  public var verdict: String
  public var rows: [Row]
  public var warnings: [String]
  /// Problems that belong to no row, a refusal's reason among them.
  public var problems: [String]
  /// Paths that the subject says it left behind, as volume name and path below its root.
  public var leftBehind: [Place]

  /// A path on a volume.
  public struct Place: Hashable, Sendable {
    public let volume: String
    public let path: BytePath

    public init(volume: String, path: BytePath) {
      self.volume = volume
      self.path = path
    }
  }

  public init(
    isPresent: Bool = false, verdict: String = "", rows: [Row] = [], warnings: [String] = [],
    problems: [String] = [], leftBehind: [Place] = []
  ) {
    self.isPresent = isPresent
    self.verdict = verdict
    self.rows = rows
    self.warnings = warnings
    self.problems = problems
    self.leftBehind = leftBehind
  }
}

/// Folders of the machine that the subject must not touch, as listings.
public struct Surroundings: Sendable, Equatable {
  /// What appeared, vanished or changed in the folders that an ejection lays bare.
  public var parentChanges: [String]
  /// What is left in the subject's scratch HOME, TMPDIR and working folder.
  public var scratchLitter: [String]

  public init(parentChanges: [String] = [], scratchLitter: [String] = []) {
    self.parentChanges = parentChanges
    self.scratchLitter = scratchLitter
  }
}
