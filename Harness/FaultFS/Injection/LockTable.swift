import Glibc

/// Whose a lock is: a process's files for fcntl(2), an open file for flock(2). The two kinds take no
/// notice of one another.
struct LockOwner: Hashable {
  let id: UInt64
  /// By flock(2).
  let isWhole: Bool
}

/// A lock as it is asked for.
struct LockRequest {
  let owner: LockOwner
  /// F_RDLCK, F_WRLCK or F_UNLCK.
  let type: Int32
  let range: Range<UInt64>
  let process: Int32
  /// Until it can be had, instead of EAGAIN.
  let waits: Bool
}

/// The advisory locks of one mount (man 2 fcntl, man 2 flock).
///
/// Two processes that wait for each other's locks wait for ever, as on NFS: nobody says EDEADLK.
struct LockTable {
  struct Held: Equatable {
    let owner: LockOwner
    let isExclusive: Bool
    var range: Range<UInt64>
    let process: Int32
  }

  private var held: [NodeID: [Held]] = [:]

  var isEmpty: Bool { held.isEmpty }

  /// The first lock of another owner that is in the way; nil for one that can be had.
  func obstacle(to lock: LockRequest, on node: NodeID) -> Held? {
    if lock.type == F_UNLCK { return nil }
    return held[node]?.first { other in
      other.owner != lock.owner && other.owner.isWhole == lock.owner.isWhole
        && (other.isExclusive || lock.type == F_WRLCK) && other.range.overlaps(lock.range)
    }
  }

  /// Takes or gives back; false when another's lock is in the way.
  ///
  /// A lock by flock(2) that changes its kind is given back first, and lost when the other kind
  /// cannot be had.
  mutating func set(_ lock: LockRequest, on node: NodeID) -> Bool {
    if lock.owner.isWhole, lock.type != F_UNLCK {
      let isKept = held[node]?.contains {
        $0.owner == lock.owner && $0.isExclusive == (lock.type == F_WRLCK)
      }
      if isKept == true { return true }
      clear(lock.owner, lock.range, on: node)
    }
    if obstacle(to: lock, on: node) != nil { return false }
    clear(lock.owner, lock.range, on: node)
    if lock.type != F_UNLCK { add(lock, on: node) }
    return true
  }

  /// The end of an owner's locks on a file: fcntl's at any close, flock's at the last.
  mutating func release(_ owner: LockOwner, on node: NodeID) {
    clear(owner, 0..<UInt64.max, on: node)
  }

  /// Cuts a range out of an owner's locks.
  private mutating func clear(_ owner: LockOwner, _ range: Range<UInt64>, on node: NodeID) {
    guard let locks = held[node] else { return }
    let rest = locks.flatMap { lock -> [Held] in
      guard lock.owner == owner, lock.range.overlaps(range) else { return [lock] }
      var parts: [Held] = []
      for part in [
        lock.range.lowerBound..<max(lock.range.lowerBound, range.lowerBound),
        min(lock.range.upperBound, range.upperBound)..<lock.range.upperBound,
      ] where !part.isEmpty {
        var left = lock
        left.range = part
        parts.append(left)
      }
      return parts
    }
    held[node] = rest.isEmpty ? nil : rest
  }

  /// Joins it with locks of the same kind that it touches, as F_GETLK shows them.
  private mutating func add(_ lock: LockRequest, on node: NodeID) {
    let isExclusive = lock.type == F_WRLCK
    var range = lock.range
    var others: [Held] = []
    for other in held[node] ?? [] {
      let touches =
        other.owner == lock.owner && other.isExclusive == isExclusive
        && (other.range.upperBound == range.lowerBound
          || range.upperBound == other.range.lowerBound)
      if touches {
        range =
          min(
            range.lowerBound, other.range.lowerBound)..<max(
            range.upperBound, other.range.upperBound)
      } else {
        others.append(other)
      }
    }
    others.append(
      Held(owner: lock.owner, isExclusive: isExclusive, range: range, process: lock.process))
    held[node] = others
  }
}
