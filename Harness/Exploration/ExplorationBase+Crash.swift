import FaultModel

/// A case whose destinations lose power at every step.
public struct CrashSchedule: Sendable {
  public let text: String
  /// The index of its base.
  public let base: Int
}

extension ExplorationBase {
  /// The case with every state after a crash of its destinations; nil for one that is not clean, or
  /// whose destinations are not in memory.
  public func crash(_ index: Int) -> CrashSchedule? {
    let destinations = scriptCase.preamble.destinations
    guard traits.cleanOutcome != nil, mode != .quick, !destinations.isEmpty,
      destinations.allSatisfy({ $0.store == .memory && $0.alias == nil && $0.cache == .none })
    else { return nil }
    let names = destinations.map(\.name).joined(separator: ",")
    return CrashSchedule(
      text: schedule.text(
        id: "crash", adding: ["crash \(names) at every op keep subsets"], expecting: .recovery),
      base: index)
  }
}
