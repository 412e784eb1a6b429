public import FaultModel
public import SystemIO

/// A volume as the runner finds it.
public struct MountedVolume: Sendable, Hashable {
  public let name: String
  /// Where its root is.
  public let mountPoint: BytePath

  public init(name: String, mountPoint: BytePath) {
    self.name = name
    self.mountPoint = mountPoint
  }
}

/// What the rig has done so far in a case.
public struct RigStatus: Sendable, Hashable {
  /// How often each rule struck, by rule id; none of a rule that did not.
  public let fired: [Int: Int]
  /// What the rig itself did to files.
  public let acts: [RigAct]
  /// Names in the folders that an ejection lays bare, by volume: evidence that a subject wrote
  /// past a mount. Only volumes with any.
  public let exposed: [String: [BytePath]]
  /// Acts that failed; the case is broken then.
  public let troubles: [String]
  /// The source files whose bytes were written since the last run began, by destination.
  public let written: [String: Set<BytePath>]

  public init(
    fired: [Int: Int], acts: [RigAct], exposed: [String: [BytePath]], troubles: [String],
    written: [String: Set<BytePath>] = [:]
  ) {
    self.written = written
    self.fired = fired
    self.acts = acts
    self.exposed = exposed
    self.troubles = troubles
  }
}
