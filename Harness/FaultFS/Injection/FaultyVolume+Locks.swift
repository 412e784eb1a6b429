import FaultModel
import Glibc
import SystemIO

/// Locks, on mounts that get them (`FuseSession.Options.hasLocks`).
extension FaultyVolume {
  /// How long a lock waits before it is looked at again.
  static let lockWait = Duration.milliseconds(2)

  func answerLock(_ call: Request.Call) -> Reply {
    switch call {
    case .lock(let node, _, let lock):
      guard store.attributes(of: node) != nil else { return .error(.stale) }
      return locks.set(lock, on: node) ? .done : .error(.wouldBlock)
    case .lockTest(let node, _, let lock): return .heldLock(locks.obstacle(to: lock, on: node))
    default: return .error(.invalid)
    }
  }

  /// True for a lock that waits, unless a rule answers it.
  func mustWait(_ call: Request.Call, _ decision: Decision) -> Bool {
    guard case .lock(let node, _, let lock) = call, lock.waits, decision.strikes.isEmpty else {
      return false
    }
    return locks.obstacle(to: lock, on: node) != nil
  }

  /// A close ends the locks that came by it, whatever it is answered.
  func endLocks(with request: Request) {
    guard let owner = request.lockOwner else { return }
    locks.release(owner, on: request.call.node)
  }
}

extension ScriptCase {
  /// A rule strikes locks, or waits for one: then they come to the volumes.
  var concernsLocks: Bool {
    rules.contains { rule in
      switch rule.effect {
      case .fail(let operations, _, _, _, _), .delay(let operations, _, _),
        .hang(let operations, _, _):
        if operations.contains(.lock) { return true }
      default: break
      }
      return rule.clauses.points.contains { point in
        if case .operation(.lock, _, _) = point { true } else { false }
      }
    }
  }
}

extension Clauses {
  /// The moments that the rule waits for.
  fileprivate var points: [Point] {
    var points = between.map { [$0.first, $0.second] } ?? []
    switch timing {
    case .before(let point), .after(let point): points.append(point)
    case nil: break
    }
    return points
  }
}
