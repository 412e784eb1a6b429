import FaultModel
import SystemIO

/// What a layer knows of an inode: its bytes and its attributes.
struct FileState {
  var bytes = FileBytes()
  var mode: UInt16
  /// Nanoseconds since 1970.
  var access: Int64
  var modification: Int64
  var change: Int64
  /// Who it was given to; nil: the user who mounted.
  var uid: UInt32?
  var gid: UInt32?
  var extendedAttributes: [BytePath: [UInt8]] = [:]
  /// Another number for each change of the bytes: the key of cached digests.
  var bytesVersion: UInt64 = 0
}

/// One inode of a MemoryVolume.
final class Node {
  let id: NodeID
  let kind: TreeEntry.Kind
  let linkText: BytePath?
  /// Shown as st_ino; 0 until the next lookup gives one.
  var inode: UInt64
  /// What users of the mount see.
  var state: FileState
  /// What a power cut leaves; nil when nothing of the inode was made durable.
  var durable: FileState?
  /// Where the bytes of a backed volume's file are.
  var backing: BackingFile?
  /// The entries of a folder.
  var table: DirectoryTable?
  /// The names of the inode: parent and folded key.
  var names: [Name] = []
  /// How many durable entries point here.
  var durableNames = 0
  /// References that the kernel holds.
  var lookups: UInt64 = 0
  var openHandles = 0
  /// Written, yet never to be durable.
  var lost = RangeList()
  /// Attributes that are never to be durable, until they change again.
  var losesAttributes = false
  /// The bytes or attributes changed since they last were durable.
  var isDirty = false
  /// The folders among the entries of a folder.
  var folderCount: UInt32 = 0
  /// What the next fsync or close has to say of an earlier write.
  var lateError: Errno?
  /// The next journal commit will look at the attributes.
  var isQueued = false

  struct Name: Equatable {
    let parent: NodeID
    let key: BytePath
  }

  init(id: NodeID, kind: TreeEntry.Kind, inode: UInt64, state: FileState, linkText: BytePath?) {
    self.id = id
    self.kind = kind
    self.inode = inode
    self.state = state
    self.linkText = linkText
    if kind == .directory { table = DirectoryTable() }
  }

  /// Nothing points here any more.
  var isGone: Bool { names.isEmpty && lookups == 0 && openHandles == 0 && durableNames == 0 }

  /// The bytes take room as long as a name or a handle leads to them.
  var takesRoom: Bool { id == MemoryVolume.rootID || !names.isEmpty || openHandles > 0 }
}
