import FaultModel
import SystemIO

/// A case whose destinations lose power at every step.
public struct CrashSchedule: Sendable {
  public let text: String
  /// The index of its base.
  public let base: Int
}

extension ExplorationBase {
  /// Of clean cases that share it one is enough, the smallest: mode, volumes and the words of the
  /// run.
  public var crashClass: String {
    let runs = scriptCase.statements.compactMap { statement in
      if case .run(let words) = statement {
        words.map(\.escaped).joined(separator: " ")
      } else {
        String?.none
      }
    }
    return ([mode.rawValue] + scriptCase.preamble.volumes.map { "\($0)" } + runs)
      .joined(separator: "\n")
  }

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
