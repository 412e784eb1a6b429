public import HarnessKit
import Synchronization
import Wire

/// `report.json`: the run, its summary and every case (docs/report-schema.md).
public final class JSONReport: Recorder {
  /// The format that `reportVersion` names.
  public static let version = 1

  private let directory: Run.Directory
  private let state = Mutex(State())

  private struct State {
    var start: RunStart?
    var cases: [JSON] = []
    var notes: [JSON] = []
    var coverage: JSON = .null
  }

  public init(in directory: Run.Directory) {
    self.directory = directory
  }

  public func record(_ event: Event) throws(RunError) {
    let finished: [UInt8]? = state.withLock { state in
      switch event.kind {
      case .runStarted(let start): state.start = start
      case .caseFinished(let result): state.cases.append(.object(result.members))
      case .note(let text): state.notes.append(.text(text))
      case .runFinished(let summary):
        let report: JSON = [
          "reportVersion": JSON(Self.version),
          "run": state.start.map { .object($0.members) } ?? .null,
          "summary": .object(summary.members),
          "notes": .array(state.notes),
          "exploration": state.coverage,
          "cases": .array(state.cases),
        ]
        return report.encoded(pretty: true) + [0x0a]
      case .explored(let coverage): state.coverage = coverage.json
      case .caseStarted, .schedulesPlanned, .schedulesPassed: break
      }
      return nil
    }
    if let finished { try directory.write(finished, to: "report.json") }
  }
}
