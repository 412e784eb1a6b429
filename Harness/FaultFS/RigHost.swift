import FaultModel
import SystemIO

/// What effects ask of the rig around the volumes.
///
/// All calls come from inside `serve`, on the loop's only thread, and return at once; what they
/// ask for is in force before the answer of the request that is being served leaves. The signal
/// of a kill is sent inside the call.
protocol RigHost: AnyObject {
  /// SIGKILL to the subject of the current run, if there is one.
  func killSubject()
  func terminateSubject()
  /// SIGSTOP now, SIGCONT when the time is over.
  func stopSubject(milliseconds: UInt64)
  func limitSubject(_ limit: Limit, _ value: UInt64)
  /// The mount goes away lazily and the folder below it shows; the rig calls `wasEjected`.
  func eject(volume: String)
  /// The mount comes back with what is on the medium, `other`'s when it is named; the rig calls
  /// `wasInserted` on the volume that is mounted.
  func insert(volume: String, other: String?)
  /// Unmounted and mounted again; the rig calls `wasRemounted`.
  func remount(volume: String)
}

/// Which state of a volume: what its user sees, or what a power cut would leave with nothing
/// unsynced kept.
public enum Layer: String, Sendable, Codable {
  case volatile, durable
}

/// A volume as the rig drives it. Requests of a mount that was detached never reach it: the
/// session layer answers them with `detachedError`.
protocol RigVolume: Served {
  var name: String { get }
  /// The answer for handles that are still open on a medium that is gone.
  var detachedError: Errno { get }
  /// The medium was pulled: everything that is not durable is lost.
  func wasEjected()
  /// Mounted again after an ejection: numbers and times as the persona says.
  func wasInserted()
  /// Unmounted cleanly and mounted again: numbers and times as the persona says.
  func wasRemounted()
  func snapshot(_ layer: Layer) throws(SystemError) -> TreeSnapshot
  /// The layer as it stands now and later, with raw names, no faults and no writes.
  func view(_ layer: Layer) -> any Served
}
