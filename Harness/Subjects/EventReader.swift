import FaultModel
import HarnessKit
import SystemIO
import Wire

/// Makes a report of the JSON events that a subject prints, with a reader of its own.
///
/// Nothing a subject prints can trap it: what is no event becomes a problem of the report.
struct EventReader {
  private(set) var report = SubjectReport()
  /// The exit code that the worker's last event of the job names.
  private(set) var exitCode: Int32?
  private let destinations: [(volume: String, path: BytePath)]
  private var unreadable = 0

  /// The longest event, in bytes.
  static let lineLimit = 4 << 20
  /// So many unreadable lines are quoted; the rest is counted.
  private static let quoteLimit = 5

  init(destinations: [(volume: String, path: BytePath)]) {
    self.destinations = destinations
  }

  /// Takes one line of the subject's standard output.
  mutating func take(_ line: [UInt8]) {
    if line.isEmpty { return }
    let limits = JSON.Limits(depth: 16, byteCount: Self.lineLimit)
    guard let event = try? JSON.parse(line, limits: limits), let name = event["event"]?.text else {
      return refuse(line, "no event")
    }
    switch name {
    case "row": row(event, line)
    case "warning": report.warnings.append(event["message"]?.text ?? "")
    case "finished": finished(event, line)
    case "exit": exitCode = event["exit"]?.int.flatMap { Int32(exactly: $0) }
    // What else a subject tells is for people; a later version may tell more.
    default: break
    }
  }

  /// Takes note of a line that was cut, since it was longer than the limit.
  mutating func takeOverlongLine() {
    refuse([], "an event of more than \(Self.lineLimit) bytes")
  }

  /// Closes the report: the lines that could not be read are part of it.
  mutating func finish() {
    if unreadable > Self.quoteLimit {
      report.problems.append("\(unreadable) unreadable lines in the subject's output")
    }
  }

  private mutating func row(_ event: JSON, _ line: [UInt8]) {
    guard let bytes = event["path"]?.bytes, let path = BytePath(bytes), !bytes.isEmpty,
      let index = event["destination"]?.int, destinations.indices.contains(index),
      let text = event["outcome"]?.text, let outcome = Self.outcome(text)
    else { return refuse(line, "no row") }
    report.rows.append(
      SubjectReport.Row(
        path: path, destination: destinations[index].volume, outcome: outcome,
        level: event["level"]?.text ?? "", cause: event["cause"]?.text ?? "",
        time: SystemClock().monotonic()))
  }

  private static func outcome(_ text: String) -> SubjectReport.Row.Outcome? {
    text == "checksumMismatch" ? .failed : SubjectReport.Row.Outcome(rawValue: text)
  }

  private mutating func finished(_ event: JSON, _ line: [UInt8]) {
    guard let verdict = event["verdict"]?.text else { return refuse(line, "no verdict") }
    report.isPresent = true
    report.verdict = verdict
    report.problems += event["problems"]?.array?.compactMap(\.text) ?? []
    if let text = event["reportProblem"]?.text { report.problems.append(text) }
    report.leftBehind = (event["leftBehind"]?.array ?? []).compactMap { value in
      value.bytes.flatMap { BytePath($0) }.map(place)
    }
  }

  /// The volume that holds an absolute path; the volume's name is empty outside all of them.
  private func place(_ path: BytePath) -> SubjectReport.Place {
    let names = path.components
    let holder = destinations.filter { names.starts(with: $0.path.components) }
      .max { $0.path.components.count < $1.path.components.count }
    guard let holder else { return SubjectReport.Place(volume: "", path: path) }
    let rest = names.dropFirst(holder.path.components.count)
    let below = rest.reduce(BytePath("")) { $0.appending($1) }
    return SubjectReport.Place(volume: holder.volume, path: below)
  }

  private mutating func refuse(_ line: [UInt8], _ what: String) {
    unreadable += 1
    guard unreadable <= Self.quoteLimit else { return }
    let quote = BytePath(line.prefix(80).filter { $0 != 0 }).map(\.escaped) ?? ""
    report.problems.append("unreadable line in the subject's output, \(what): \(quote)")
  }
}

/// The envelope of a worker's line.
struct JobLine {
  let job: Int?
  let isExit: Bool

  /// nil for what is no event.
  init?(_ line: [UInt8]) {
    guard let value = try? JSON.parse(line, limits: JSON.Limits(depth: 16)),
      let event = value["event"]?.text
    else { return nil }
    job = value["job"]?.int
    isExit = event == "exit"
  }
}
