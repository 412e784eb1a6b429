import FaultModel
import SystemIO

/// What a recording says beyond one operation.
struct RecordingIndex {
  private var kinds: [Place: TreeEntry.Kind] = [:]
  private var listingCounts: [Place: Int] = [:]
  private var lastLookup: [Target: Int] = [:]
  private var lastStat: [Target: Int] = [:]
  private var lastWrites: [Target: Int] = [:]
  /// When a file was first known to be read back.
  private var checked: [Target: Int] = [:]
  private let givens: [String: BytePath]
  private var last: [Step: Int] = [:]
  private var ordinals: [RecordedOperation: Int] = [:]

  private struct Place: Hashable {
    let volume: String
    let path: BytePath
  }

  private struct Step: Hashable {
    let operation: FaultModel.Operation
    let target: Target

    init(_ recorded: RecordedOperation) {
      operation = recorded.operation
      target = recorded.target
    }
  }

  /// - `givens`: a file that stands on a volume before the run, by volume.
  init(_ operations: [RecordedOperation], givens: [String: BytePath] = [:]) {
    self.givens = givens
    for (ordinal, operation) in operations.enumerated() {
      ordinals[operation] = ordinal
      if case .path(let path) = operation.target.subject, let entry = operation.entry {
        kinds[Place(volume: operation.target.volume, path: path)] = entry
      }
      for path in operation.listed {
        listingCounts[Place(volume: operation.target.volume, path: path), default: 0] += 1
      }
      if operation.phases.contains("readback"), checked[operation.target] == nil {
        checked[operation.target] = ordinal
      }
      last[Step(operation)] = ordinal
      switch operation.operation {
      case .lookup: lastLookup[operation.target] = ordinal
      case .stat: lastStat[operation.target] = ordinal
      case .write where operation.kind == .file: lastWrites[operation.target] = ordinal
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

  /// Nothing later does the same to the same.
  func isLast(_ operation: RecordedOperation) -> Bool {
    last[Step(operation)] == ordinals[operation]
  }

  /// The name is asked for after this operation, or by it.
  func isLookedUpLater(_ operation: RecordedOperation) -> Bool {
    isLater(lastLookup, operation, Self.name(of: operation.target))
  }

  /// The inode is asked for its size and time after this operation, or by it.
  func isStatedLater(_ operation: RecordedOperation) -> Bool {
    isLater(lastStat, operation, operation.target)
  }

  private func isLater(
    _ last: [Target: Int], _ operation: RecordedOperation, _ target: Target
  ) -> Bool {
    guard let own = ordinals[operation], let last = last[target] else { return false }
    return last >= own
  }

  /// A copy's inode is known by its bytes, its name by the path that they are to have.
  private static func name(of target: Target) -> Target {
    guard case .content(.path(let path)) = target.subject else { return target }
    return Target(volume: target.volume, subject: .path(path))
  }

  /// Another file of the volume that a write may land in, as written: a given one, or one of the
  /// card that has bytes and is not read back yet, so that nothing is known of it.
  func bystander(of operation: RecordedOperation) -> String? {
    guard let own = ordinals[operation] else { return nil }
    let volume = operation.target.volume
    if let path = givens[volume] {
      return Target(volume: volume, subject: .path(path)).text
    }
    let other = lastWrites.filter { target, written in
      target != operation.target && target.volume == volume && written < own
        && checked[target].map { $0 > own } ?? true
    }.max { $0.value < $1.value }
    return other?.key.text
  }
}
