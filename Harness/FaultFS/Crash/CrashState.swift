/// The states that a crash could have left in a recorded run.
public struct CrashStateList: Sendable, Hashable {
  /// Moments at which a crash was thought of.
  public var points: Int
  /// Sets of unsynced changes that were looked at.
  public var generated: Int
  /// Those that can be told apart, in the order of their first points.
  public var states: [CrashState]

  public init(points: Int, generated: Int, states: [CrashState]) {
    self.points = points
    self.generated = generated
    self.states = states
  }
}

/// One state of all volumes after a crash; its place in the list is its number.
public struct CrashState: Sendable, Hashable {
  /// The first crash point that leaves it, from 0.
  public let point: Int
  /// What came right before.
  public let moment: String
  /// The subject had ended then, and its report stands.
  public let isClaimed: Bool
  /// Which of the changes that were unsynced it has, as numbers from 1.
  public let kept: [Int]
  public let pending: Int
  /// The requests that were recorded by then, the one right before the crash included; 0 where
  /// none are.
  public let operationCount: Int
  /// The last moment at which the power may have gone to leave it, by the monotonic clock.
  public internal(set) var time: Duration

  public init(
    point: Int, moment: String, isClaimed: Bool, kept: [Int], pending: Int, operationCount: Int = 0,
    time: Duration = .zero
  ) {
    self.time = time
    self.operationCount = operationCount
    self.point = point
    self.moment = moment
    self.isClaimed = isClaimed
    self.kept = kept
    self.pending = pending
  }

  /// One line: where the crash came and what it kept.
  public func text(_ changes: [String]) -> String {
    let list = changes.isEmpty ? "" : ": " + changes.joined(separator: "; ")
    return
      "crash point \(point), \(moment), \(kept.count) of \(pending) unsynced changes kept\(list)"
  }
}
