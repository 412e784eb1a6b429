public import SystemIO

/// What a rule does when it strikes. Adding a fault is adding a case here; the compiler then
/// points at the one switch in FaultFS that must carry it out.
public enum Effect: Hashable, Sendable {
  /// The operation answers an errno. `forced` allows an errno that the operation cannot give.
  case fail(Set<Operation>, Target, Errno, forced: Bool, FailureKind)
  /// Fewer bytes than asked: `byteCount`, or half when nil. Zero is an early end of file.
  case short(DataOperation, Target, byteCount: UInt64?)
  /// The full count is acknowledged, only the first `byteCount` (512 when nil) are stored.
  case tornWrite(Target, byteCount: UInt64?)
  /// Other bytes than the right ones are returned or stored.
  case corrupt(Transfer, Target, Corruption)
  /// Acknowledged, never happens.
  case drop(Set<Operation>, Target)
  /// Visible in the volatile layer, never durable.
  case lose(Set<Operation>, Target)
  /// The bytes go to another offset of the same file or into another file.
  case misdirectWrite(Target, Misdirection)
  /// The answer is what it was before the last change: once for each inode, or for a while that
  /// begins with the first such answer.
  case stale(Operation, Target, milliseconds: UInt64?)
  /// The request is held for a while, then carried out.
  case delay(Set<Operation>, Target, milliseconds: UInt64)
  /// The request is held; an interrupt is answered with EINTR.
  case hang(Set<Operation>, Target, milliseconds: UInt64)
  /// Another inode takes the name.
  case swapInode(Target, bytes: SwapBytes)
  /// The entry is missing from a listing.
  case hide(Target)
  /// The entry stands twice in a listing.
  case duplicate(Target)
  case full(volume: String)
  case readOnly(volume: String)
  /// The medium is pulled: the volatile layer is lost and the empty parent folder shows.
  case eject(volume: String)
  /// The medium is put back; `other` names the volume that comes in its place.
  case insert(volume: String, other: String?)
  /// Unmounted and mounted again: caches are cold, inode numbers as the persona says.
  case remount(volume: String)
  case crash(volumes: [String], CrashSubset)
  /// Somebody else changes the file.
  case change(Target, Change, restoreTimes: Bool)
  /// A field of stat, statfs or a directory entry says something else.
  case report(Report)
  case killSubject
  case terminateSubject
  case stopSubject(milliseconds: UInt64)
  case limitSubject(Limit, UInt64)
  /// The volume's clock jumps.
  case clock(volume: String, milliseconds: Int64)
}

/// What remains of an operation that answers an error.
public enum FailureKind: Hashable, Sendable {
  /// Nothing happened.
  case plain
  /// It was done all the same; only the answer is an error.
  case performed
  /// (fsync) The dirty data is marked clean and is gone; the next fsync says success.
  case forgetting
  /// (close) The last bytes of what was written are gone.
  case losing(lastBytes: UInt64)
}

/// What can come back with fewer bytes than asked.
public enum DataOperation: String, Hashable, Sendable { case read, write, copyrange }

/// The direction in which bytes are spoilt.
public enum Transfer: String, Hashable, Sendable { case read, write }

/// How bytes are spoilt.
public enum Corruption: String, Hashable, Sendable {
  case zeros, junk, flip
  /// The two halves of the range change places.
  case swapped
}

/// Where bytes land that belong elsewhere.
public enum Misdirection: Hashable, Sendable {
  /// A byte offset in the same file.
  case offset(UInt64)
  /// The same offset in another file.
  case target(Target)
}

/// What the inode holds that takes the name.
public enum SwapBytes: String, Hashable, Sendable { case same, different }

/// What of the unsynced work a power cut leaves: each allowed part, all or nothing.
public enum CrashSubset: Hashable, Sendable {
  case subsets, all, none
  /// These of the changes that are unsynced then, with what they cannot stand without: ascending
  /// numbers from 1 in the order of the changes, those of the first volume first.
  case only([Int])

  /// A state is chosen from a log of the volumes, which a backed store has not.
  public var needsLog: Bool {
    switch self {
    case .subsets, .only: true
    case .all, .none: false
    }
  }
}

/// What somebody else does to a file.
public enum Change: Hashable, Sendable {
  case write(ByteRange)
  case append(UInt64)
  case truncate(UInt64)
  case replace
  case symlink(BytePath)
  case remove
  case add
}

/// A field that says something else. Values of stat and directory entries come in one form:
/// decimal bytes, nanoseconds since 1970 or permission bits, or the word of a kind.
public enum Report: Hashable, Sendable {
  case stat(Target, field: String, value: String)
  case readdir(Target, field: String, value: String)
  case statfs(volume: String, field: String, value: UInt64)
  /// A range that lseek calls a hole or data against the truth.
  case lseek(Target, hole: Bool, ByteRange)
}

/// A resource of which the subject gets little.
public enum Limit: String, Hashable, Sendable { case descriptors, memory, stdout }

/// A half-open range of bytes: `offset+count` in a script.
public struct ByteRange: Hashable, Sendable {
  public let offset: UInt64
  public let count: UInt64

  public init(offset: UInt64, count: UInt64) {
    self.offset = offset
    self.count = count
  }
}
