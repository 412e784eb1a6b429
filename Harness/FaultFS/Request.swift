import FaultModel
import SystemIO

/// One request of the kernel, decoded: what the session layer hands to a volume.
///
/// `data` points into the receive buffer and is valid only while the request is served; a held
/// request owns a copy.
struct Request {
  /// Identifies the request for its answer and for INTERRUPT.
  let unique: UInt64
  /// Thread id of the caller, for per-thread addresses.
  let thread: Int32
  let call: Call
  /// Whose locks end with a FLUSH or a RELEASE; nil where none may.
  var lockOwner: LockOwner?

  /// The node ids are those that the volume gave out in its entries; 1 is the root.
  enum Call {
    case lookup(parent: NodeID, name: BytePath)
    case getattr(NodeID, handle: HandleID?)
    case setattr(NodeID, handle: HandleID?, AttributeChange)
    case readlink(NodeID)
    case mknod(parent: NodeID, name: BytePath, mode: UInt32)
    case mkdir(parent: NodeID, name: BytePath, mode: UInt32)
    case unlink(parent: NodeID, name: BytePath)
    case rmdir(parent: NodeID, name: BytePath)
    case symlink(parent: NodeID, name: BytePath, text: BytePath)
    case rename(
      parent: NodeID, name: BytePath, newParent: NodeID, newName: BytePath, flags: UInt32)
    case link(NodeID, newParent: NodeID, newName: BytePath)
    case open(NodeID, flags: Int32)
    case create(parent: NodeID, name: BytePath, mode: UInt32, flags: Int32)
    case read(NodeID, HandleID, offset: UInt64, count: Int)
    case write(NodeID, HandleID, offset: UInt64, data: UnsafeRawBufferPointer)
    /// close(2) of one descriptor.
    case flush(NodeID, HandleID)
    case release(NodeID, HandleID)
    case fsync(NodeID, HandleID, dataOnly: Bool)
    case opendir(NodeID)
    /// `offset` is a cookie of an earlier entry, 0 at the start.
    case readdir(NodeID, HandleID, offset: UInt64, count: Int)
    case releasedir(NodeID, HandleID)
    case fsyncdir(NodeID, HandleID)
    case statfs(NodeID)
    case setxattr(NodeID, name: BytePath, value: [UInt8], flags: Int32)
    case getxattr(NodeID, name: BytePath, count: Int)
    case listxattr(NodeID, count: Int)
    case removexattr(NodeID, name: BytePath)
    case access(NodeID, mask: Int32)
    case lseek(NodeID, HandleID, offset: UInt64, whence: Int32)
    case fallocate(NodeID, HandleID, mode: Int32, offset: UInt64, count: UInt64)
    case copyFileRange(
      NodeID, HandleID, offset: UInt64, to: NodeID, HandleID, toOffset: UInt64, count: UInt64)
    /// No volume here knows any; only rules answer otherwise.
    case ioctl(NodeID, HandleID, command: UInt32)
    /// Takes, changes or gives back a lock.
    case lock(NodeID, HandleID, LockRequest)
    /// Asks which lock is in the way (F_GETLK).
    case lockTest(NodeID, HandleID, LockRequest)
    /// The second half of a copy_file_range from another volume of the same mount.
    case receive(NodeID, HandleID, offset: UInt64, data: UnsafeRawBufferPointer)
    case forget(NodeID, lookups: UInt64)
  }
}

typealias NodeID = UInt64
typealias HandleID = UInt64

/// The fields that a SETATTR carries; nil leaves a field as it is. Times in nanoseconds since 1970.
struct AttributeChange {
  var mode: UInt16?
  var uid: UInt32?
  var gid: UInt32?
  var byteCount: UInt64?
  var access: Time?
  var modification: Time?

  enum Time {
    case now
    case at(Int64)
  }
}

/// What a volume answers.
enum Reply {
  case error(Errno)
  case entry(Attributes)
  case attributes(Attributes)
  case opened(HandleID)
  case created(Attributes, HandleID)
  /// Bytes of a read; the session layer sends them before the call returns.
  case data(UnsafeRawBufferPointer)
  case text([UInt8])
  case written(Int)
  case listing([ListedEntry])
  case statistics(Statistics)
  case offset(UInt64)
  /// The size that an xattr call asked for.
  case size(Int)
  /// The lock that is in the way; nil when there is none.
  case heldLock(LockTable.Held?)
  case done
  /// For requests that the kernel wants no answer to.
  case nothing
}

extension Reply {
  var isError: Bool { if case .error = self { true } else { false } }
}

struct Attributes: Sendable {
  var node: NodeID
  /// Shown as st_ino; nodes keep their id while the number shown may change.
  var inode: UInt64
  var kind: TreeEntry.Kind
  var mode: UInt16
  var byteCount: UInt64
  var blocks: UInt64
  var linkCount: UInt32
  /// nil: the user who mounted.
  var uid: UInt32?
  var gid: UInt32?
  var access: Int64
  var modification: Int64
  var change: Int64
}

/// One entry of a listing; the session layer packs as many as fit into the caller's buffer.
struct ListedEntry {
  var name: BytePath
  var inode: UInt64
  /// nil shows DT_UNKNOWN.
  var kind: TreeEntry.Kind?
  /// The cookie that continues after this entry.
  var nextOffset: UInt64
}

struct Statistics: Sendable {
  var blockSize: UInt32
  var blocks: UInt64
  var freeBlocks: UInt64
  var files: UInt64
  var freeFiles: UInt64
  var longestName: UInt32
  var isReadOnly: Bool
}

/// How a volume settles a request.
enum Settlement {
  case reply(Reply)
  /// Answer later: the session layer keeps the request (with a copy of its data) and serves it
  /// again at `until`, or answers EINTR when the caller is interrupted. Boxed: a moment of the
  /// library has no size that the compiler knows, and each reply would go by it.
  indirect case hold(until: ContinuousClock.Instant)
}

/// What the session layer serves: a volume with its faults.
protocol Served: AnyObject {
  func serve(_ request: Request) -> Settlement
  /// The names of a call as they are the same in every run; empty where it has none.
  func canonical(_ call: Request.Call) -> [UInt8]
}

extension Served {
  func canonical(_ call: Request.Call) -> [UInt8] { [] }
}
