import FaultModel
public import HarnessKit
import Synchronization

/// `junit.xml` for CI servers: one suite a script, one test case a case and mode.
///
/// A case that failed, was not exercised or was blocked is a `failure`, a broken one an `error`,
/// and only a case excused by the allowed file is `skipped`. Seed, schedule and fired counts stand
/// in the suite's properties and again in each case's `system-out`, since readers drop either.
public final class JUnitReport: Recorder {
  private let directory: Run.Directory
  private let state = Mutex(State())

  private struct State {
    var start: RunStart?
    var results: [CaseResult] = []
    var coverage: Coverage?
  }

  public init(in directory: Run.Directory) {
    self.directory = directory
  }

  public func record(_ event: Event) throws(RunError) {
    let finished: [UInt8]? = state.withLock { state in
      switch event.kind {
      case .runStarted(let start): state.start = start
      case .caseFinished(let result): state.results.append(result)
      case .runFinished(let summary):
        return Array(
          Self.document(state.start, state.results, summary, state.coverage).utf8)
      case .explored(let coverage): state.coverage = coverage
      case .caseStarted, .note, .schedulesPlanned, .schedulesPassed: break
      }
      return nil
    }
    if let finished { try directory.write(finished, to: "junit.xml") }
  }

  static func document(
    _ start: RunStart?, _ results: [CaseResult], _ summary: Run.Summary,
    _ coverage: Coverage? = nil
  ) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let counts = Counts(results)
    let extra = summary.problems.count + (summary.signal == nil ? 0 : 1)
    let explored = coverage?.operations ?? []
    text += "<testsuites name=\"harness \(XML.escaped(start?.verb ?? ""))\""
    text +=
      " tests=\"\(results.count + extra + explored.count)\" failures=\"\(counts.failures + extra)\""
    text += " errors=\"\(counts.errors)\" time=\"\(Text.junitSeconds(summary.seconds))\">\n"
    for (name, members) in suites(results) { text += suite(name, members, start) }
    if let coverage { text += exploration(coverage, explored) }
    if extra > 0 { text += runSuite(summary) }
    return text + "</testsuites>\n"
  }

  private struct Counts {
    var failures = 0
    var errors = 0
    var skipped = 0

    init(_ results: [CaseResult]) {
      for result in results {
        switch Outcome(result) {
        case .passed: break
        case .failure: failures += 1
        case .error: errors += 1
        case .skipped: skipped += 1
        }
      }
    }
  }

  private enum Outcome {
    case passed, failure, error, skipped

    init(_ result: CaseResult) {
      switch result.verdict {
      case .pass: self = .passed
      case _ where result.allowed != nil: self = .skipped
      case .fail, .notExercised, .blocked: self = .failure
      case .broken: self = .error
      }
    }
  }

  /// Results by script, scripts in the order in which they first came.
  private static func suites(_ results: [CaseResult]) -> [(String, [CaseResult])] {
    var order: [String] = []
    var members: [String: [CaseResult]] = [:]
    for result in results {
      if members[result.identity.script] == nil { order.append(result.identity.script) }
      members[result.identity.script, default: []].append(result)
    }
    return order.map { ($0, members[$0] ?? []) }
  }

  private static func suite(
    _ name: String, _ results: [CaseResult], _ start: RunStart?
  ) -> String {
    let counts = Counts(results)
    let seconds = results.reduce(0) { $0 + $1.seconds }
    var text = "  <testsuite name=\"\(XML.escaped(name))\" tests=\"\(results.count)\""
    text += " failures=\"\(counts.failures)\" errors=\"\(counts.errors)\""
    text += " skipped=\"\(counts.skipped)\" time=\"\(Text.junitSeconds(seconds))\""
    if let start { text += " timestamp=\"\(XML.escaped(String(start.startedAt.prefix(19))))\"" }
    text += ">\n    <properties>\n"
    if let start {
      text += property("build", start.build) + property("kernel", start.kernel)
      for subject in start.subjects { text += property("subject", subject) }
    }
    for result in results {
      for (key, value) in facts(result) {
        text += property("\(result.identity.slug)@\(result.identity.mode) \(key)", value)
      }
    }
    text += "    </properties>\n"
    for result in results { text += testCase(result) }
    return text + "  </testsuite>\n"
  }

  private static func property(_ name: String, _ value: String) -> String {
    "      <property name=\"\(XML.escaped(name))\" value=\"\(XML.escaped(value))\"/>\n"
  }

  /// Seed, schedule and fired counts.
  private static func facts(_ result: CaseResult) -> [(String, String)] {
    let fired = result.rules.map { "\($0.fired)x \($0.text)" }.joined(separator: "\n")
    return [
      ("seed", String(result.seed)),
      ("schedule", result.schedule.joined(separator: "\n")),
      ("fired", fired),
    ]
  }

  private static func testCase(_ result: CaseResult) -> String {
    let identity = result.identity
    var text = "    <testcase name=\"\(XML.escaped("\(identity.title) @\(identity.mode)"))\""
    text += " classname=\"\(XML.escaped(identity.script))\""
    text += " time=\"\(Text.junitSeconds(result.seconds))\">\n"
    let message = XML.escaped(result.reason)
    let type = XML.escaped(result.verdict.rawValue)
    let body = result.findings.map { "\($0.oracle): \($0.summary)" }.joined(separator: "\n")
    switch Outcome(result) {
    case .passed: break
    case .failure:
      text += "      <failure type=\"\(type)\" message=\"\(message)\">\(XML.escaped(body))"
      text += "</failure>\n"
    case .error:
      text += "      <error type=\"\(type)\" message=\"\(message)\">\(XML.escaped(body))</error>\n"
    case .skipped:
      let reason = XML.escaped("allowed: \(result.allowed ?? "")")
      text += "      <skipped type=\"\(type)\" message=\"\(reason)\">\(message)</skipped>\n"
    }
    var output = facts(result).map { "\($0): \($1)" }
    output.insert("case: \(identity.id)", at: 0)
    if let repeats = result.repeats { output.append("repeats: \(repeats.agreeing)/\(repeats.of)") }
    if let states = result.crashStates { output.append("crash states: \(states.text)") }
    output += result.notes.map { "note: \($0)" }
    if let folder = result.folder { output.append("replay: \(folder)/replay.json") }
    text += "      <system-out>\(XML.escaped(output.joined(separator: "\n")))</system-out>\n"
    return text + "    </testcase>\n"
  }

  /// One test case an operation: schedules that did not pass have their own among the others.
  private static func exploration(_ coverage: Coverage, _ explored: [Operation]) -> String {
    var text = "  <testsuite name=\"exploration\" tests=\"\(explored.count)\" failures=\"0\""
    text += " errors=\"0\" skipped=\"0\" time=\"\(Text.junitSeconds(coverage.seconds))\">\n"
    for operation in explored {
      let row = coverage.row(operation)
      let output =
        "\(row.run) of \(row.planned) schedules run, \(row.passed) passed, "
        + "\(row.undetectable) undetectable, \(row.failed) failed, "
        + "\(row.notExercised) not exercised"
      text += "    <testcase name=\"\(XML.escaped(operation.rawValue))\" classname=\"exploration\""
      text += " time=\"0.000\">\n      <system-out>\(XML.escaped(output))</system-out>\n"
      text += "    </testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  /// What fails a run beside its cases, so that no reader takes it for green.
  private static func runSuite(_ summary: Run.Summary) -> String {
    var lines = summary.problems
    if let signal = summary.signal {
      lines.append("interrupted by signal \(signal), \(summary.notRun) cases not run")
    }
    var text = "  <testsuite name=\"run\" tests=\"\(lines.count)\""
    text += " failures=\"\(lines.count)\" errors=\"0\" skipped=\"0\" time=\"0.000\">\n"
    for line in lines {
      text += "    <testcase name=\"\(XML.escaped(line))\" classname=\"run\" time=\"0.000\">\n"
      text += "      <failure type=\"run\" message=\"\(XML.escaped(line))\"/>\n    </testcase>\n"
    }
    return text + "  </testsuite>\n"
  }
}
