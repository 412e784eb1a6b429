public import FaultModel

/// What the command line says about an exploration.
public struct ExplorationChoice: Sendable {
  /// Faults at once; nil for what the script says, 1 where it says nothing.
  public var depth: Int?
  /// The most schedules of each depth; nil for all.
  public var scheduleLimit: Int?
  /// No schedule begins later; nil for no end.
  public var seconds: Double?
  /// One schedule stands for its class (docs/exploration.md).
  public var prunes = true
  /// Requests of the subject's threads come in an order that the seed chooses.
  public var isGated = false

  public init() {}
}

/// Cases that are explored together: those of one script.
public struct ExplorationTarget: Sendable {
  public var cases: [PlannedCase]
  /// Only these operations are struck; empty for all.
  public var operations: Set<FaultModel.Operation>
  public var depth: Int

  public init(cases: [PlannedCase], operations: Set<FaultModel.Operation>, depth: Int) {
    self.cases = cases
    self.operations = operations
    self.depth = depth
  }
}
