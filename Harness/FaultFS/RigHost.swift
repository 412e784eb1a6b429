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
  /// From now on the subject gets no more of a resource; false when that is not in force.
  func limitSubject(_ limit: Limit, _ value: UInt64) -> Bool
  /// The mount goes away lazily and the folder below it shows; the rig calls `wasEjected`.
  func eject(volume: String)
  /// The mount comes back with what is on the medium, `other`'s when it is named; the rig calls
  /// `wasInserted` on the volume that is mounted.
  func insert(volume: String, other: String?)
  /// Unmounted and mounted again; the rig calls `wasRemounted`.
  func remount(volume: String)
  /// The power of a volume was cut; a mount of which the kernel keeps something is made anew.
  func powerWasCut(volume: String)
  /// Where a backed store keeps the files of a volume.
  func backingFolder(of volume: String) -> BytePath
  /// The backing folders are the rig's own and are emptied for each case; else they are somebody's,
  /// and what lies in them is shown.
  var ownsBackingFolders: Bool { get }
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
  /// Names in the root of which the kernel may hold an entry.
  var knownRootNames: [BytePath] { get }
  /// The layer as it stands now and later, with raw names, no faults and no writes.
  func view(_ layer: Layer) -> any Served
}

/// Everything behind the mounts of one rig: the volumes of a case, its rules with their counters,
/// phases and trace. Volumes of one case share it, since a rule on one may wait for a phase on
/// another. Used by the loop's thread only.
protocol RigStore: AnyObject {
  /// Makes the volumes of a case anew and fills them from its card and the `given`s before its
  /// first run. Mounts may stay, so the numbers of nodes and handles must never come again in the
  /// life of the store; only the root is always 1. What the kernel still says of earlier cases
  /// (RELEASE, FORGET, calls on old nodes) is for numbers that nobody knows: no error in the store.
  ///
  /// - Throws: a sentence for the operator (an unknown persona, an unreadable card).
  func load(_ scriptCase: ScriptCase) throws(RigError)
  /// Brings volumes and rules back to what the last load made; the same as to load once more, and
  /// faster.
  func reset() throws(RigError)
  /// The volumes of the case that are no aliases, in the script's order.
  var volumes: [any RigVolume] { get }
  /// `nth` and `every` count over a whole volume instead of each inode: gate mode.
  var countsAcrossVolumes: Bool { get set }
  func arm(_ ruleIDs: Set<Int>) throws(RigError)
  /// Every rule falls silent; counters stay.
  func disarm()
  /// The n-th `given` of the case, from 0, between runs.
  func apply(givenOrdinal: Int) throws(RigError)
  func beginRun()
  /// The phase `done`.
  func endRun(claimed: Bool)
  /// Records what a crash of the named volumes may leave, from now on to the end of the run.
  func record(_ names: Set<String>, keep: CrashSubset) throws(RigError)
  /// The states of what was recorded; ends the recording.
  func crashStates(tearsLastWrite: Bool) throws(RigError) -> CrashStateList
  /// Brings the destinations to a state of that list.
  ///
  /// - Returns: the unsynced changes that it keeps.
  func install(crashState: Int) throws(RigError) -> [String]
  /// The source files whose bytes were written in the run, by destination.
  var written: [String: Set<BytePath>] { get }
  /// How often each rule struck that was in force at some time.
  var fired: [Int: Int] { get }
  var acts: [RigAct] { get }
  var trace: [TraceRecord] { get }
  /// Writes down every request from now on until the next load.
  func observe(isAgain: Bool)
  /// What was written down.
  var operations: [RecordedOperation] { get }
  /// To read all that the volumes hold may take longer than a sign of life may be missing.
  var isHeavy: Bool { get }
  /// The same of a load.
  func isHeavy(_ scriptCase: ScriptCase) -> Bool
  /// An answer of the last case told the kernel that an operation does not exist: it never asks
  /// again on that mount.
  var hasTaughtKernel: Bool { get }
}

/// The rig could not do what it was asked; the text is for the operator.
public struct RigError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

/// One request as the trace keeps it.
public struct TraceRecord: Sendable, Hashable {
  /// From 0 in the case.
  public let ordinal: Int
  public let volume: String
  /// The operation's name, with what it was done on in canonical names: `<tmp#1>`.
  public let text: String
  /// The n-th caller thread of the case, from 1.
  public let thread: Int
  /// The answer: `ok`, a count or an errno's name.
  public let result: String
  /// The rules that struck.
  public let rules: [Int]

  public init(
    ordinal: Int, volume: String, text: String, thread: Int, result: String, rules: [Int]
  ) {
    self.ordinal = ordinal
    self.volume = volume
    self.text = text
    self.thread = thread
    self.result = result
    self.rules = rules
  }
}
