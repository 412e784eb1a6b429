import FaultModel
import Glibc
import SystemIO

/// A volume in memory, the same at every run: bytes, times, inode numbers and listing order.
///
/// Two layers. *Volatile* is what users of the mount see. *Durable* is what a power cut leaves when
/// nothing unsynced is kept:
/// - fsync and fdatasync of a file make its bytes, size and attributes durable.
/// - fsync of a folder makes its entries durable as they are then. An entry whose inode was never
///   synced leads to an empty file.
/// - Barriers `strict` (ext4, xfs, btrfs: a journal) and `apfs` (fsync stands for F_FULLFSYNC,
///   since Linux has no other) also write all entries and attributes of the whole volume at each
///   fsync, but no bytes of other files. `weak` and `fat` do not: there a new file needs the fsync
///   of its folder. `ignored` writes nothing, whatever is asked.
/// - Nothing else becomes durable, close and time included; a clean remount writes all.
///
/// Space is counted in blocks of 4 KiB; files take what is allocated (personas without holes: all
/// up to the size), folders one block, names none. Times come from a virtual clock that moves one
/// millisecond with each request that changes something.
final class MemoryVolume: Volume {
  private(set) var persona: Persona
  private(set) var names: NameFolding
  private(set) var times: TimeKeeping
  private(set) var barriers: Barriers
  private(set) var capacityBlocks: UInt64
  let digests: DigestCache
  /// Where the bytes are in store `backed`; nil in memory.
  let backing: BackingFolder?
  /// The backing folder is the rig's own: a load empties it. Else its files are taken over.
  let ownsBacking: Bool
  var isFull = false
  var isReadOnly = false
  /// Reads give what the medium holds, zeros where it holds nothing yet: cache policy `lying`.
  var readsDurable = false
  /// Logs what a crash may leave or lose, while somebody wants to know.
  var recorder: CrashRecorder?

  static let rootID: NodeID = 1
  /// The inode number of the root where numbers are places.
  private static let rootCluster: UInt64 = 0xffff_ffff
  /// 2026-07-11T00:00:00Z: later than every card.
  static let firstMoment: Int64 = 1_783_728_000_000_000_000
  /// What a volume without a capacity shows.
  static let unlimitedBlocks: UInt64 = 1 << 28

  private(set) var root: Node
  private var nodes: ContiguousArray<Node?> = []
  /// The id of the first place of `nodes`.
  private var firstID: NodeID
  var handles: [HandleID: OpenFile] = [:]
  private var lastHandle: HandleID
  private var lastInode: UInt64 = 1
  private var lastVersion: UInt64 = 0
  var now = MemoryVolume.firstMoment
  private var clockShift: Int64 = 0
  var usedBlocks: UInt64 = 0
  /// Folders with entries that are not durable.
  var pendingFolders: Set<NodeID> = []
  /// Inodes with attributes that no journal commit has seen.
  var dirtyAttributes: [NodeID] = []
  /// Where the bytes of reads are put.
  private(set) var scratch = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 1 << 17, alignment: 64)

  struct OpenFile {
    let node: NodeID
    let flags: Int32
  }

  /// `numbering` keeps the numbers of several volumes apart.
  init(
    persona: Persona, capacity: UInt64? = nil, barriers: Barriers? = nil,
    digests: DigestCache = DigestCache(), numbering: UInt64 = 0,
    backing: BackingFolder? = nil, ownsBacking: Bool = true
  ) {
    self.backing = backing
    self.ownsBacking = ownsBacking
    self.persona = persona
    self.barriers = barriers ?? persona.barriers
    self.digests = digests
    names = NameFolding(rules: persona.names)
    times = TimeKeeping(rules: persona.times)
    capacityBlocks = Self.blocks(capacity)
    firstID = numbering << Self.numberingShift + 2
    lastHandle = numbering << Self.numberingShift
    root = Self.makeRoot()
  }

  private static let numberingShift: UInt64 = 40

  private static func blocks(_ capacity: UInt64?) -> UInt64 {
    capacity.map { $0 / UInt64(Page.blockByteCount) } ?? unlimitedBlocks
  }

  /// Becomes another file system, empty.
  func become(_ persona: Persona, capacity: UInt64?, barriers: Barriers?) {
    self.persona = persona
    self.barriers = barriers ?? persona.barriers
    names = NameFolding(rules: persona.names)
    times = TimeKeeping(rules: persona.times)
    capacityBlocks = Self.blocks(capacity)
    reset()
  }

  deinit { scratch.deallocate() }

  private static func makeRoot() -> Node {
    let state = FileState(
      mode: 0o755, access: firstMoment, modification: firstMoment, change: firstMoment)
    let root = Node(id: rootID, kind: .directory, inode: 1, state: state, linkText: nil)
    root.durable = state
    root.lookups = 1
    return root
  }

  /// Forgets everything; node and handle ids go on, so that late requests of the kernel find
  /// nothing instead of something else.
  func reset() {
    clear()
    recorder = nil
    lastInode = 1
    lastVersion = 0
    now = Self.firstMoment
    clockShift = 0
    isFull = false
    isReadOnly = false
    digests.forgetVersions(of: self)
  }

  /// Takes every node away but an empty root; clock and versions go on.
  func clear() {
    firstID += NodeID(nodes.count)
    nodes = []
    root = Self.makeRoot()
    handles = [:]
    usedBlocks = 0
    pendingFolders = []
    dirtyAttributes = []
    backing?.forgetPlaces()
  }

  // MARK: Nodes

  func find(_ id: NodeID) -> Node? {
    if id == Self.rootID { return root }
    guard id >= firstID, id - firstID < NodeID(nodes.count) else { return nil }
    return nodes[Int(id - firstID)]
  }

  /// The node of a request: ESTALE for one that the kernel still knows and the volume does not.
  func node(_ id: NodeID) throws(Errno) -> Node {
    guard let node = find(id) else { throw .stale }
    return node
  }

  func folder(_ id: NodeID) throws(Errno) -> Node {
    let node = try node(id)
    if node.kind != .directory { throw .notDirectory }
    return node
  }

  func file(_ id: NodeID) throws(Errno) -> Node {
    let node = try node(id)
    if node.kind == .directory { throw .isDirectory }
    if node.kind != .file { throw .invalid }
    return node
  }

  var everyNode: [Node] { [root] + nodes.compactMap { $0 } }

  func makeNode(_ kind: TreeEntry.Kind, mode: UInt16, linkText: BytePath? = nil) -> Node {
    let time = times.modification(now)
    var state = FileState(
      mode: shownMode(mode, kind), access: times.access(now), modification: time, change: now)
    times.changed(&state, now: now)
    lastInode += 1
    let node = Node(
      id: firstID + NodeID(nodes.count), kind: kind, inode: lastInode, state: state,
      linkText: linkText)
    nodes.append(node)
    queueAttributes(node)
    recorder?.made(node)
    return node
  }

  /// Leaves the attributes to the next journal commit.
  func queueAttributes(_ node: Node) {
    node.isDirty = true
    if node.isQueued || !hasJournal { return }
    node.isQueued = true
    dirtyAttributes.append(node.id)
  }

  /// Barriers write the names and attributes of the whole volume.
  var hasJournal: Bool { barriers == .strict || barriers == .apfs }

  /// Volumes that keep no modes show the same for all.
  func shownMode(_ mode: UInt16, _ kind: TreeEntry.Kind) -> UInt16 {
    switch persona.modes {
    case .kept: mode & 0o7777
    case .ignored, .onlyPermissionsIgnored, .fails: persona.shownMode
    }
  }

  func freeIfGone(_ node: Node) {
    guard node.isGone, node.id != Self.rootID, node.id >= firstID else { return }
    nodes[Int(node.id - firstID)] = nil
  }

  /// Keeps only the nodes for which `isKept` holds.
  func prune(_ isKept: (Node) -> Bool) {
    for index in nodes.indices {
      if let node = nodes[index], !isKept(node) { nodes[index] = nil }
    }
  }

  /// The number shown for a node; given anew after it was taken away.
  func shownInode(_ node: Node) -> UInt64 {
    if case .firstCluster = persona.inodes {
      // Both numbers are no other inode's.
      if node.id == Self.rootID { return Self.rootCluster }
      if node.kind == .file, node.state.bytes.byteCount == 0 {
        node.inode = 0
        return 1
      }
    }
    if node.inode == 0 {
      lastInode += 1
      node.inode = lastInode
    }
    return node.inode
  }

  func nextVersion() -> UInt64 {
    lastVersion += 1
    return lastVersion
  }

  /// Something changes. A backed volume goes by the real clock, since real tools look at it.
  func tick() {
    now += 1_000_000
    if backing != nil { now = max(now, Self.realMoment + clockShift) }
  }

  private static var realMoment: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func moveClock(milliseconds: Int64) {
    now += milliseconds * 1_000_000
    clockShift += milliseconds * 1_000_000
  }

  // MARK: Handles

  func openHandle(_ node: Node, flags: Int32) -> HandleID {
    lastHandle += 1
    handles[lastHandle] = OpenFile(node: node.id, flags: flags)
    // A file that was unlinked between its lookup and its open takes room again.
    if !node.takesRoom { usedBlocks += room(of: node) }
    node.openHandles += 1
    return lastHandle
  }

  func closeHandle(_ id: HandleID) {
    guard let handle = handles.removeValue(forKey: id), let node = find(handle.node) else { return }
    node.openHandles -= 1
    if node.openHandles == 0, !node.names.isEmpty {
      removeKept(node)
    } else if !node.takesRoom {
      usedBlocks -= room(of: node)
    }
    freeIfGone(node)
  }

  // MARK: Room

  var freeBlocks: UInt64 {
    isFull || usedBlocks >= capacityBlocks ? 0 : capacityBlocks - usedBlocks
  }

  func room(of node: Node) -> UInt64 {
    switch node.kind {
    case .directory: persona.entryRoom == .none ? 0 : 1
    case .file:
      persona.isSparse
        ? node.state.bytes.blocks : FileBytes.blocks(of: node.state.bytes.byteCount)
    default: 0
    }
  }

  func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer {
    if scratch.count < count {
      scratch.deallocate()
      scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    }
    return UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
  }
}
