public import FaultModel
public import SystemIO

/// What a subject is asked to do in one run.
public struct SubjectTask: Sendable {
  /// Mount point of the source.
  public let source: BytePath
  /// Destinations in order: the volume's name and its mount point.
  public let destinations: [(volume: String, path: BytePath)]
  public let mode: Mode
  /// Bytes that must stay free.
  public let headroom: UInt64
  /// A facts file to hand over (`--volume-facts`); nil for `facts real`.
  public let factsFile: BytePath?
  /// Arguments of the script's `run` line.
  public let extraArguments: [BytePath]
  /// HOME, TMPDIR and working folder of the subject, empty when it starts.
  public let scratch: BytePath
  public let deadlineSeconds: Double
  /// A process of its own even where a worker would do (kills, deadlines, repeats).
  public let needsFreshProcess: Bool
  /// After so many bytes nobody reads the subject's standard output any more, so that its next
  /// write there fails; nil for no limit. Needs a process of its own.
  public let outputLimit: Int?
  public let isolation: Isolation

  public init(
    source: BytePath, destinations: [(volume: String, path: BytePath)], mode: Mode,
    headroom: UInt64, factsFile: BytePath?, extraArguments: [BytePath], scratch: BytePath,
    deadlineSeconds: Double, needsFreshProcess: Bool, outputLimit: Int? = nil,
    isolation: Isolation = Isolation()
  ) {
    self.isolation = isolation
    self.source = source
    self.destinations = destinations
    self.mode = mode
    self.headroom = headroom
    self.factsFile = factsFile
    self.extraArguments = extraArguments
    self.scratch = scratch
    self.deadlineSeconds = deadlineSeconds
    self.needsFreshProcess = needsFreshProcess
    self.outputLimit = outputLimit
  }
}

/// An engine under test.
public protocol Subject: AnyObject, Sendable {
  /// As `harness list subjects` prints it.
  var name: String { get }
  /// Path, build id and version, for every report.
  var identity: String { get }
  /// Starts a run.
  ///
  /// `ready` is called with the process id, which kill and stop rules strike, once the process
  /// exists and before it does anything on a volume: a worker has its id already, a fresh process
  /// waits to be let go. What `ready` throws ends the process and is passed on.
  func start(
    _ task: SubjectTask, ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) -> any SubjectRun
  /// Ends the worker, if there is one.
  func finish()
}

/// A run that is under way.
public protocol SubjectRun: AnyObject, Sendable {
  var processID: Int32 { get }
  /// Blocks until the run is over or its deadline has passed, then kills what is left of it.
  func wait() throws(SubjectFailure) -> SubjectOutcome
}

/// How a subject's run ended and what it said.
public struct SubjectOutcome: Sendable {
  public let ending: RunRecord.Ending
  public let report: SubjectReport
  public let leaks: [String]
  public let log: String
  public let claims: RunRecord.Claims

  public init(
    ending: RunRecord.Ending, report: SubjectReport, leaks: [String], log: String,
    claims: RunRecord.Claims = .report
  ) {
    self.claims = claims
    self.ending = ending
    self.report = report
    self.leaks = leaks
    self.log = log
  }
}

/// The harness could not drive its subject: the case is *broken*, or *blocked* when something is
/// missing that the subject or the case needs.
public struct SubjectFailure: Error, Sendable, CustomStringConvertible {
  public let description: String
  public let isBlocked: Bool

  public init(_ description: String) {
    self.description = description
    isBlocked = false
  }

  /// What is missing.
  public init(missing description: String) {
    self.description = description
    isBlocked = true
  }
}
