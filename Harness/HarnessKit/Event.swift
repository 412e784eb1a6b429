/// One thing that happened in a run: the only stream that console, reports and tools read.
///
/// `events.jsonl` in the run's folder holds the events as JSON lines (docs/report-schema.md).
public struct Event: Sendable, Equatable {
  /// The format that `version` in each run's first line names.
  public static let version = 1

  /// From 0, without gaps as the stream saw them; a gap in a file is an event left out.
  public let ordinal: Int
  /// Seconds since the run began.
  public let seconds: Double
  public let kind: Kind

  /// What happened.
  public enum Kind: Sendable, Equatable {
    case runStarted(RunStart)
    case caseStarted(CaseIdentity)
    case caseFinished(CaseResult)
    /// Something that a person should know and that belongs to no case.
    case note(String)
    /// An exploration has planned so many schedules more.
    case schedulesPlanned(Int)
    /// Schedules of an exploration passed; those that no engine can see are among them.
    case schedulesPassed(count: Int, undetectable: Int)
    /// What an exploration came to.
    case explored(Coverage)
    case runFinished(Run.Summary)
  }

  public init(ordinal: Int, seconds: Double, kind: Kind) {
    self.ordinal = ordinal
    self.seconds = seconds
    self.kind = kind
  }
}

/// What a run set out to do, and with what.
public struct RunStart: Sendable, Equatable {
  /// The verb of `harness`: `fault`, `gate`, `replay`.
  public var verb: String
  /// The build id of the harness, which the subject's own must equal.
  public var build: String
  /// `uname -srm` of the machine.
  public var kernel: String
  public var commandLine: [String]
  public var seed: UInt64
  /// Path, build id and version of each subject.
  public var subjects: [String]
  /// Cases that are to run.
  public var planned: Int
  /// The wall clock at the start, RFC 3339 in UTC.
  public var startedAt: String

  public init(
    verb: String, build: String, kernel: String, commandLine: [String], seed: UInt64,
    subjects: [String], planned: Int, startedAt: String
  ) {
    self.verb = verb
    self.build = build
    self.kernel = kernel
    self.commandLine = commandLine
    self.seed = seed
    self.subjects = subjects
    self.planned = planned
    self.startedAt = startedAt
  }
}

/// Which case, in which mode.
public struct CaseIdentity: Hashable, Sendable {
  /// The script's name: `exfat`.
  public let script: String
  public let title: String
  /// The line of the case in its script, from 1.
  public let line: Int
  /// The mode's word.
  public let mode: String
  /// The title as a file name: lower case, one hyphen for every other run of characters.
  public let slug: String

  public init(script: String, title: String, line: Int, mode: String, slug: String) {
    self.script = script
    self.title = title
    self.line = line
    self.mode = mode
    self.slug = slug
  }

  /// `exfat/links-refused@standard`: what reports, `--case` and the allowed file name.
  public var id: String { "\(script)/\(slug)@\(mode)" }
}

/// How a case ended.
public struct CaseResult: Sendable, Equatable {
  public var identity: CaseIdentity
  public var verdict: Verdict
  /// One line; empty for a pass.
  public var reason: String
  public var findings: [Finding]
  /// Every rule of the case with how often it struck.
  public var rules: [RuleCount]
  public var seconds: Double
  public var seed: UInt64
  /// The subject's name.
  public var subject: String
  /// The case as the script has it, line by line.
  public var schedule: [String]
  /// Things worth saying that change no verdict.
  public var notes: [String]
  /// How each run of the subject ended: `exit 0`, `signal 9 by a rule`, `deadline`.
  public var endings: [String] = []
  /// Why the verdict is excused: the reason in `FaultScripts/allowed`; nil when it is not.
  public var allowed: String?
  /// How many runs of the same case came to this verdict; nil when it ran once.
  public var repeats: Repeats?
  /// What the case tried of the states after a crash; nil when it tried none.
  public var crashStates: CrashStates?
  /// Below the run's folder; nil for a pass, or past the limit on case folders.
  public var folder: String?

  public init(
    identity: CaseIdentity, verdict: Verdict, reason: String = "", findings: [Finding] = [],
    rules: [RuleCount] = [], seconds: Double = 0, seed: UInt64 = 0, subject: String = "",
    schedule: [String] = [], notes: [String] = [], allowed: String? = nil,
    repeats: Repeats? = nil, folder: String? = nil, crashStates: CrashStates? = nil
  ) {
    self.crashStates = crashStates
    self.identity = identity
    self.verdict = verdict
    self.reason = reason
    self.findings = findings
    self.rules = rules
    self.seconds = seconds
    self.seed = seed
    self.subject = subject
    self.schedule = schedule
    self.notes = notes
    self.allowed = allowed
    self.repeats = repeats
    self.folder = folder
  }

  /// Nothing that a person must act on: a pass, or an exception that is written down.
  public var isGreen: Bool { verdict == .pass || allowed != nil }

  /// How often a rule of the case fired.
  public struct RuleCount: Sendable, Equatable {
    /// Line in the script, from 1.
    public var line: Int
    public var text: String
    public var fired: Int
    /// The rule says `maybe`: it need not fire.
    public var isOptional: Bool

    public init(line: Int, text: String, fired: Int, isOptional: Bool) {
      self.line = line
      self.text = text
      self.fired = fired
      self.isOptional = isOptional
    }
  }

  /// How many states after a crash a case tried.
  public struct CrashStates: Sendable, Equatable {
    /// Moments at which a crash was thought of.
    public var points: Int
    /// Sets of unsynced changes that were looked at.
    public var generated: Int
    /// States that can be told apart.
    public var unique: Int
    /// Those from which the subject was run again, up to the first that did not pass.
    public var judged: Int

    public init(points: Int, generated: Int, unique: Int, judged: Int) {
      self.points = points
      self.generated = generated
      self.unique = unique
      self.judged = judged
    }

    /// One line for people.
    public var text: String {
      "\(points) crash points, \(generated) states generated, \(unique) unique, \(judged) judged"
    }
  }

  /// How many of the runs of a case agree with its first verdict.
  public struct Repeats: Sendable, Equatable {
    public var agreeing: Int
    public var of: Int

    public init(agreeing: Int, of: Int) {
      self.agreeing = agreeing
      self.of = of
    }
  }
}
