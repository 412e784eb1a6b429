import FaultModel
import SystemIO

/// A store of files as the kernel and the injector see it: what a file system of this persona does
/// when nothing is wrong.
///
/// All calls come from the rig's loop. Node ids are never used twice, also not across `load`.
protocol Volume: AnyObject {
  var persona: Persona { get }
  var names: NameFolding { get }

  /// Does what a request asks. Bytes of a read are valid until the next call.
  func perform(_ call: Request.Call) -> Reply

  // MARK: Looking, without a trace in times or reference counts

  func attributes(of node: NodeID) -> Attributes?
  /// The paths below the root under which the inode is found; empty when it has no name.
  func paths(of node: NodeID) -> [BytePath]
  /// A name as listings show it, by any spelling; nil when it is missing.
  func listedName(of name: BytePath, in parent: NodeID) -> BytePath?
  /// Names in the root of inodes to which the kernel holds references.
  var knownRootNames: [BytePath] { get }
  func child(of parent: NodeID, named name: BytePath) -> NodeID?
  func node(at path: BytePath) -> NodeID?
  /// The answer of a lookup that finds this inode; nil for one that is gone.
  func entry(of node: NodeID) -> Reply?
  /// At most `count` bytes as they are now.
  func bytes(of node: NodeID, at offset: UInt64, count: Int) -> [UInt8]
  /// True when a barrier on the file or folder would make something durable.
  func hasUnsynced(_ node: NodeID) -> Bool

  // MARK: Conditions

  var isFull: Bool { get set }
  var isReadOnly: Bool { get set }
  /// Reads give what the medium holds instead of what was written.
  var readsDurable: Bool { get set }
  /// Nanoseconds that the volume's clock is ahead of where it would be.
  func moveClock(milliseconds: Int64)

  // MARK: What never becomes durable

  /// A range that was written stays out of the durable layer.
  func lose(_ node: NodeID, _ range: ByteRange)
  /// All unsynced bytes and attributes of a file, or all unsynced entries of a folder.
  func loseUnsynced(_ node: NodeID)
  func loseAttributes(_ node: NodeID)
  func loseName(_ name: BytePath, in parent: NodeID)

  /// The last bytes of a file are gone, from both layers.
  func cutTail(of node: NodeID, by byteCount: UInt64)

  // MARK: The whole

  /// Replaces everything by a planned tree, durable at once.
  func load(_ tree: PlannedTree) throws(SystemError)
  func snapshot(_ layer: Layer) throws(SystemError) -> TreeSnapshot
  func view(_ layer: Layer) -> any Served
  /// Writes everything that is not lost, as a clean unmount does.
  func syncAll()
  /// Brings the volatile layer to what is durable; handles and references of the kernel are void.
  func dropVolatile()
  /// What another mount of the same medium changes: numbers and times as the persona says.
  func mountAnew()

  // MARK: Acts of the rig: at once on both layers

  func act(_ act: StoreAct, at path: BytePath) throws(Errno)
  /// Overwrites bytes of a file in the volatile layer, without a change of times.
  func overwrite(_ node: NodeID, at offset: UInt64, with data: UnsafeRawBufferPointer)
}

/// What somebody other than the subject does to a name.
enum StoreAct {
  case change(Change, restoreTimes: Bool)
  /// Another inode of the same size and times takes the name.
  case swap(SwapBytes)
  /// A file, folder, link or fifo of the plan appears; what stood there is removed.
  case plant(PlannedEntry)
}
