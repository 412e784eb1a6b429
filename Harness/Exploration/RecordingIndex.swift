import FaultModel
import SystemIO

/// What a recording says beyond one operation.
struct RecordingIndex {
  private var kinds: [Place: TreeEntry.Kind] = [:]
  private var listingCounts: [Place: Int] = [:]
  private var lastLookup: [Target: Int] = [:]
  private var lastStat: [Target: Int] = [:]
  private var ordinals: [RecordedOperation: Int] = [:]

  private struct Place: Hashable {
    let volume: String
    let path: BytePath
  }

  init(_ operations: [RecordedOperation]) {
    for (ordinal, operation) in operations.enumerated() {
      ordinals[operation] = ordinal
      if case .path(let path) = operation.target.subject, let entry = operation.entry {
        kinds[Place(volume: operation.target.volume, path: path)] = entry
      }
      for path in operation.listed {
        listingCounts[Place(volume: operation.target.volume, path: path), default: 0] += 1
      }
      switch operation.operation {
      case .lookup: lastLookup[operation.target] = ordinal
      case .stat: lastStat[operation.target] = ordinal
      default: break
      }
    }
  }

  func kind(of path: BytePath, on volume: String) -> TreeEntry.Kind? {
    kinds[Place(volume: volume, path: path)]
  }

  func listings(of path: BytePath, on volume: String) -> Int {
    listingCounts[Place(volume: volume, path: path)] ?? 0
  }

  /// The name is asked for after this operation, or by it.
  func isLookedUpLater(_ operation: RecordedOperation) -> Bool {
    guard let own = ordinals[operation], let last = lastLookup[operation.target] else {
      return false
    }
    return last >= own
  }

  /// The inode is asked for its size and time after this operation, or by it.
  func isStatedLater(_ operation: RecordedOperation) -> Bool {
    guard let own = ordinals[operation], let last = lastStat[operation.target] else {
      return false
    }
    return last >= own
  }
}
