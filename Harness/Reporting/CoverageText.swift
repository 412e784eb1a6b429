import FaultModel
public import HarnessKit
import Synchronization

/// The coverage of an exploration as text: a summary that fits a screen, and the whole matrix in
/// `coverage.txt`.
public final class CoverageText: Recorder {
  private let directory: Run.Directory

  public init(in directory: Run.Directory) {
    self.directory = directory
  }

  public func record(_ event: Event) throws(RunError) {
    guard case .explored(let coverage) = event.kind else { return }
    let lines = Self.summary(coverage) + [""] + Self.matrix(coverage)
    try directory.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "coverage.txt")
  }

  /// A row an operation.
  static func summary(_ coverage: Coverage) -> [String] {
    let total = coverage.total
    var lines = [
      "explored \(coverage.baseCount) cases: \(total.run) of \(total.planned) schedules run, "
        + "\(coverage.prunedCount) pruned, \(Int(coverage.perMinute)) a minute",
      row("operation", ["recorded", "schedules", "pass", "unseen", "fail", "idle"]),
    ]
    for operation in coverage.operations {
      let cell = coverage.row(operation)
      let counts = [
        coverage.recorded[operation] ?? 0, cell.run, cell.passed, cell.undetectable,
        cell.failed + cell.other, cell.notExercised,
      ]
      lines.append(row(operation.rawValue, counts.map(String.init)))
    }
    if coverage.pairCount > 0 { lines.append("  of them \(coverage.pairCount) with two faults") }
    if coverage.crashStateCount > 0 {
      lines.append("  and \(coverage.crashStateCount) states after a crash")
    }
    if coverage.cutCount > 0 { lines.append("  left out by a limit: \(coverage.cutCount)") }
    lines.append("  never asked for: " + names(coverage.neverReached))
    if coverage.isWhole, coverage.cutCount == 0, !coverage.neverStruck.isEmpty {
      lines.append("  asked for and never struck: " + names(coverage.neverStruck))
    }
    if !coverage.unaddressed.isEmpty {
      lines.append("  requests that no rule strikes alone: \(coverage.unaddressed.count)")
    }
    return lines
  }

  private static func names(_ operations: [Operation]) -> String {
    operations.isEmpty ? "none" : operations.map(\.rawValue).joined(separator: " ")
  }

  private static func row(_ name: String, _ columns: [String]) -> String {
    "  " + name.padded(to: 15) + columns.map { $0.padded(to: -11) }.joined()
  }

  /// A line a cell.
  static func matrix(_ coverage: Coverage) -> [String] {
    var lines = ["operation x fault: planned, run, pass, unseen, fail, idle"]
    for (place, cell) in coverage.cells.sorted(by: { $0.key < $1.key }) {
      let counts = [
        cell.planned, cell.run, cell.passed, cell.undetectable, cell.failed + cell.other,
        cell.notExercised,
      ]
      lines.append(
        "  " + place.operation.rawValue.padded(to: 15) + place.fault.padded(to: 20)
          + counts.map { String($0).padded(to: -9) }.joined())
    }
    lines += coverage.unaddressed.map { "no rule strikes alone: \($0)" }
    return lines
  }
}

extension String {
  /// Blanks behind up to a width, or before for a negative one.
  fileprivate func padded(to width: Int) -> String {
    let blanks = String(repeating: " ", count: max(1, abs(width) - count))
    return width < 0 ? blanks + self : self + blanks
  }
}
