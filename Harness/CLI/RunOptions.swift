import CommandLineKit
import FaultModel
import SystemIO

/// What all verbs that run cases take.
struct RunOptions {
  static let report = Parameter.option(
    "--report", "DIR", .path,
    "write the report into this folder, which must be new, empty or an earlier run")
  static let seed = Parameter.option("--seed", "N", .number, "use this seed for every case")
  static let filter = Parameter.option(
    "--case", "GLOB", .text, repeats: true,
    "run only cases whose id matches, such as 'exfat/full-*@standard'")
  static let mode = Parameter.option(
    "--mode", "MODE", .oneOf(Mode.allCases.map(\.rawValue)), repeats: true,
    "run only in this mode of the engine")
  static let jobs = Parameter.option("--jobs", "N", .number, "rigs at once, 1 unless said")
  static let deadline = Parameter.option(
    "--deadline", "TIME", .duration, "the most time for one run of a subject, 60s unless said")
  static let custody = Parameter.option(
    "--custody", "PATH", .path, "judge this custody instead of the one beside harness")
  static let json = Parameter.flag("--json", "write events as JSON lines to standard output")
  static let quiet = Parameter.flag("--quiet", "show only trouble and the closing line")
  static let noColor = Parameter.flag("--no-color", "never use colours; NO_COLOR does the same")

  static let rows = [
    report.row, seed.row, filter.row, mode.row, jobs.row, deadline.row, custody.row, json.row,
    quiet.row, noColor.row,
  ]

  /// Rigs that are allowed at once; each has its own mounts and memory.
  static let jobLimit: UInt64 = 64

  let report: BytePath?
  let seed: UInt64?
  var filters: [Glob]
  let modes: [Mode]?
  let jobs: Int
  let deadlineSeconds: Double?
  let custody: BytePath?
  var hasJSON: Bool
  let isQuiet: Bool
  let hasColor: Bool

  init(_ values: Arguments) throws(UsageError) {
    report = values[Self.report]
    seed = values[Self.seed]
    filters = values.all(Self.filter).map { Glob($0) }
    let modes = values.all(Self.mode).compactMap { Mode(rawValue: $0) }
    self.modes = modes.isEmpty ? nil : modes
    let jobs = values[Self.jobs, default: 1]
    guard (1...Self.jobLimit).contains(jobs) else {
      throw UsageError("harness: --jobs: \(jobs) is not between 1 and \(Self.jobLimit)")
    }
    self.jobs = Int(jobs)
    deadlineSeconds = values[Self.deadline].map { $0 / .seconds(1) }
    custody = values[Self.custody]
    hasJSON = values.has(Self.json)
    isQuiet = values.has(Self.quiet)
    hasColor = !values.has(Self.noColor)
  }

  /// True when the filters let the case run: an id, or its end from the slug on, with or without
  /// its mode.
  func admits(_ id: String) -> Bool {
    if filters.isEmpty { return true }
    let whole = BytePath(id)
    let withoutMode = BytePath(String(id.prefix { $0 != "@" }))
    return filters.contains { filter in
      filter.matchesSuffix(of: whole) || filter.matchesSuffix(of: withoutMode)
    }
  }
}
