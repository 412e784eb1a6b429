public import SystemIO

/// The verdict of a whole run.
public enum RunVerdict: String, Sendable, Hashable, CaseIterable {
  /// Every file on every destination is verified.
  case verified
  /// All copied, but not all verified: quick mode, or a level that proves no medium.
  case copiedNotVerified
  case failed
  /// Nothing was written.
  case refused
  /// Cancelled; finished copies stay.
  case interrupted
}

/// Who asked a run to stop.
public enum CancelCause: Sendable, Hashable {
  case interrupt, terminate

  /// 128 and the signal's number, as shells count.
  public var exitCode: Int32 { self == .interrupt ? 130 : 143 }
}

/// The result of a run: what the report says too.
public struct OffloadOutcome: Sendable {
  public let verdict: RunVerdict
  /// As the command exits: 0, 1, 3, 5, 6, 130 or 143 (docs/offload.md, "Exit codes").
  public let exitCode: Int32
  /// One row for each file and destination, sorted by path; then those of files that appeared on
  /// the source meanwhile.
  public let rows: RowList
  public let warnings: [String]
  /// Why the run is not a success, beyond the rows.
  public let problems: [String]
  /// Everything of ours that is left on a destination and is no copy.
  public let leftBehind: [BytePath]
  /// The saved report; nil when there is none.
  public let report: BytePath?
  /// Why an asked report is missing.
  public let reportProblem: String?

  public init(
    verdict: RunVerdict, exitCode: Int32, rows: RowList, warnings: [String] = [],
    problems: [String] = [], leftBehind: [BytePath] = [], report: BytePath? = nil,
    reportProblem: String? = nil
  ) {
    self.verdict = verdict
    self.exitCode = exitCode
    self.rows = rows
    self.warnings = warnings
    self.problems = problems
    self.leftBehind = leftBehind
    self.report = report
    self.reportProblem = reportProblem
  }
}
