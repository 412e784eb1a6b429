import FaultModel
import SystemIO

/// Waits for a point: a phase of a file, or an operation.
final class PointWatch {
  let phase: Phase?
  let operation: OperationBits
  /// nil: on any volume that the phase or operation can be on.
  let volume: String?
  let matcher: TargetMatcher?
  private let nth: Int?
  private var counts: [UInt64: Int] = [:]
  /// The point was passed at least once.
  private(set) var isReached = false

  init(
    phase: Phase?, operation: OperationBits, volume: String?, matcher: TargetMatcher?, nth: Int?
  ) {
    self.phase = phase
    self.operation = operation
    self.volume = volume
    self.matcher = matcher
    self.nth = nth
  }

  /// Counts a matching operation; true when it is the one that is waited for.
  func counts(_ inode: UInt64) -> Bool {
    guard let nth else { return true }
    let count = counts[inode, default: 0] + 1
    counts[inode] = count
    return count == nth
  }

  func wasPassed() { isReached = true }

  /// As it was made.
  func reset() {
    counts = [:]
    isReached = false
  }
}

/// Something that the request being served is about to bring about.
struct Moment {
  let phase: Phase
  /// The file; nil while it is only a name.
  var node: NodeID?
  /// The source file that has this final name.
  var source: Int?
}
