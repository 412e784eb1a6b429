import FaultFS
import FaultModel

/// What a case asks of its volumes, written down.
struct Recording: Sendable {
  let operations: [RecordedOperation]
  /// Operations that another run of the same case did not have, as text.
  let unstable: [String]
}

extension CaseRunner {
  /// Runs a case three times: once so that first-use probes are over and every target is known,
  /// and twice to see what comes again.
  func record(_ planned: PlannedCase) throws(Failure) -> Recording {
    let stage = try load(planned, isFresh: false)
    _ = try observe(stage, isAgain: false)
    let first = try observe(try load(planned, isFresh: false), isAgain: true)
    let second = try observe(try load(planned, isFresh: false), isAgain: true)
    let known = Set(first.map(\.address))
    let unstable = second.filter { !known.contains($0.address) }
    return Recording(
      operations: second.filter { known.contains($0.address) },
      unstable: unstable.map(\.address))
  }

  private func observe(
    _ stage: Stage, isAgain: Bool
  ) throws(Failure) -> [RecordedOperation] {
    try system("recording") { () throws(RigError) in try rig.observe(isAgain: isAgain) }
    _ = try play(stage.planned.scriptCase.steps, stage)
    return try system("recording") { () throws(RigError) in try rig.operations() }
  }
}

extension RecordedOperation {
  /// The words that name it.
  var address: String { "\(operation.rawValue) \(target.text) \(clauses)" }
}
