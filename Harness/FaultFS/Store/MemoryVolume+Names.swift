import FaultModel
import Glibc
import SystemIO

/// Names: found, made, moved and removed.
extension MemoryVolume {
  func lookUp(_ name: BytePath, in parent: NodeID) throws(Errno) -> Reply {
    let parent = try folder(parent)
    let key = try names.find(name)
    guard let entry = parent.table?.entries[key], let node = find(entry.node) else {
      throw .noSuchFile
    }
    return .entry(hand(node))
  }

  /// The attributes of a node to which the kernel gets one more reference.
  private func hand(_ node: Node) -> Attributes {
    node.lookups += 1
    return attributes(of: node)
  }

  func create(
    _ name: BytePath, in parent: NodeID, _ mode: UInt32, _ flags: Int32
  ) throws(Errno) -> Reply {
    let folder = try folder(parent)
    let folded = try names.fold(name)
    if let entry = folder.table?.entries[folded.key], let node = find(entry.node) {
      if flags & O_EXCL != 0 { throw .fileExists }
      if node.kind == .directory { throw .isDirectory }
      if flags & O_TRUNC != 0, flags & O_ACCMODE != O_RDONLY, node.kind == .file {
        if isReadOnly { throw .readOnly }
        tick()
        try setSize(node, to: 0)
      }
      return .created(hand(node), openHandle(node, flags: flags))
    }
    if persona.entryRoom == .filesAndFolders, !isReadOnly, freeBlocks == 0 { throw .noSpace }
    let node = try add(.file, folded, to: folder, mode: mode)
    return .created(hand(node), openHandle(node, flags: flags))
  }

  func makeFolder(_ name: BytePath, in parent: NodeID, _ mode: UInt32) throws(Errno) -> Reply {
    let folder = try folder(parent)
    let folded = try names.fold(name)
    if folder.table?.entries[folded.key] != nil { throw .fileExists }
    if persona.entryRoom != .none, !isReadOnly, freeBlocks == 0 { throw .noSpace }
    return .entry(hand(try add(.directory, folded, to: folder, mode: mode)))
  }

  func makeSpecial(_ name: BytePath, in parent: NodeID, _ mode: UInt32) throws(Errno) -> Reply {
    let kind: TreeEntry.Kind =
      switch mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG), 0: .file
      case UInt32(S_IFIFO): .fifo
      default: .other
      }
    if kind != .file, let error = persona.nodeError { throw error }
    // The mounts are `nodev`, and no tree has devices.
    let isDevice = [UInt32(S_IFCHR), UInt32(S_IFBLK)].contains(mode & UInt32(S_IFMT))
    if isDevice { throw .notPermitted }
    let folder = try folder(parent)
    let folded = try names.fold(name)
    return .entry(hand(try add(kind, folded, to: folder, mode: mode)))
  }

  func makeSymlink(
    _ name: BytePath, in parent: NodeID, _ text: BytePath
  ) throws(Errno) -> Reply {
    if let error = persona.symlinkError { throw error }
    let folder = try folder(parent)
    let folded = try names.fold(name)
    return .entry(hand(try add(.symlink, folded, to: folder, mode: 0o777, linkText: text)))
  }

  private func add(
    _ kind: TreeEntry.Kind, _ folded: NameFolding.Folded, to folder: Node, mode: UInt32,
    linkText: BytePath? = nil
  ) throws(Errno) -> Node {
    if isReadOnly { throw .readOnly }
    if folder.table?.entries[folded.key] != nil { throw .fileExists }
    if folder.names.isEmpty, folder.id != Self.rootID { throw .noSuchFile }
    tick()
    let node = makeNode(kind, mode: UInt16(truncatingIfNeeded: mode & 0o7777), linkText: linkText)
    do throws(Errno) {
      try makeBacked(node, folded.stored, in: folder)
    } catch {
      freeIfGone(node)
      throw error
    }
    insert(folded, in: folder, node)
    return node
  }

  /// Gives a node a name and counts its room if this is its first.
  func insert(_ folded: NameFolding.Folded, in folder: Node, _ node: Node) {
    if !node.takesRoom { usedBlocks += room(of: node) }
    folder.table?.insert(folded.key, name: folded.stored, node: node.id)
    node.names.append(Node.Name(parent: folder.id, key: folded.key))
    if node.kind == .directory { folder.folderCount += 1 }
    touchFolder(folder)
    recorder?.changed(folded.key, in: folder, group: now)
  }

  /// Takes a name away; the inode stays while handles or the durable layer hold it.
  @discardableResult
  func remove(_ key: BytePath, from folder: Node) -> Node? {
    guard let entry = folder.table?.remove(key) else { return nil }
    touchFolder(folder)
    recorder?.changed(key, in: folder, group: now)
    guard let node = find(entry.node) else { return nil }
    if node.kind == .directory { folder.folderCount -= 1 }
    if let index = node.names.firstIndex(of: Node.Name(parent: folder.id, key: key)) {
      node.names.remove(at: index)
    }
    if !node.takesRoom { usedBlocks -= room(of: node) }
    freeIfGone(node)
    return node
  }

  private func touchFolder(_ folder: Node) {
    pendingFolders.insert(folder.id)
    folder.state.modification = times.modification(now)
    touchAttributes(folder)
  }

  func unlink(_ name: BytePath, in parent: NodeID) throws(Errno) -> Reply {
    let folder = try folder(parent)
    let key = try names.find(name)
    guard let entry = folder.table?.entries[key], let node = find(entry.node) else {
      throw .noSuchFile
    }
    if node.kind == .directory { throw .isDirectory }
    if isReadOnly { throw .readOnly }
    tick()
    try removeFile(node, entry, key, from: folder)
    touchAttributes(node)
    return .done
  }

  func removeFolder(_ name: BytePath, in parent: NodeID) throws(Errno) -> Reply {
    let folder = try folder(parent)
    let key = try names.find(name)
    guard let entry = folder.table?.entries[key], let node = find(entry.node) else {
      throw .noSuchFile
    }
    guard let table = node.table else { throw .notDirectory }
    if !table.isEmpty { throw .notEmpty }
    if isReadOnly { throw .readOnly }
    tick()
    try removeBacked(node, entry, in: folder)
    remove(key, from: folder)
    return .done
  }

  func link(_ id: NodeID, _ name: BytePath, in parent: NodeID) throws(Errno) -> Reply {
    let folder = try folder(parent)
    let node = try node(id)
    if let error = persona.linkError { throw error }
    if node.kind == .directory { throw .notPermitted }
    let folded = try names.fold(name)
    if folder.table?.entries[folded.key] != nil { throw .fileExists }
    if node.names.isEmpty { throw .noSuchFile }
    if isReadOnly { throw .readOnly }
    tick()
    try linkBacked(node, folded.stored, in: folder)
    insert(folded, in: folder, node)
    touchAttributes(node)
    return .entry(hand(node))
  }

  // MARK: Rename

  private static let noReplace: UInt32 = 1
  private static let exchange: UInt32 = 2

  func rename(
    _ name: BytePath, in parent: NodeID, to newName: BytePath, in newParent: NodeID,
    _ flags: UInt32
  ) throws(Errno) -> Reply {
    let from = try folder(parent)
    let to = try folder(newParent)
    let old = try names.fold(name)
    let new = try names.fold(newName)
    guard let entry = from.table?.entries[old.key], let node = find(entry.node) else {
      throw .noSuchFile
    }
    let target = to.table?.entries[new.key].flatMap { find($0.node) }
    if flags & ~(Self.noReplace | Self.exchange) != 0 { throw .invalid }
    if flags & Self.exchange != 0 {
      guard let target else { throw .noSuchFile }
      if let error = persona.exchangeError { throw error }
      return try exchange(node, old, from, target, new, to)
    }
    if flags & Self.noReplace != 0 {
      if target != nil { throw .fileExists }
      if let error = persona.noReplaceError { throw error }
    }
    if node.kind == .directory, isInside(to, node) { throw .invalid }
    if isReadOnly { throw .readOnly }
    let isSameName = from.id == to.id && old.key == new.key
    if let target, !isSameName {
      if target === node { return .done }
      if target.kind == .directory {
        if node.kind != .directory { throw .isDirectory }
        if target.table?.isEmpty == false { throw persona.fullFolderError }
      } else if node.kind == .directory {
        throw .notDirectory
      }
    }
    tick()
    let before = (from: from.state, to: to.state)
    var over = isSameName ? nil : target
    if let open = over, try keepOpen(open, new.key, in: to) { over = nil }
    try renameBacked(entry, in: from, to: new.stored, in: to, over: over)
    if over != nil { remove(new.key, from: to) }
    move(node, old, from, new, to)
    if !persona.times.renamesMoveFolders {
      (from.state.modification, from.state.change) = (before.from.modification, before.from.change)
      (to.state.modification, to.state.change) = (before.to.modification, before.to.change)
    }
    return .done
  }

  /// Names the node anew before the old name goes, so that it never is without.
  func move(
    _ node: Node, _ old: NameFolding.Folded, _ from: Node, _ new: NameFolding.Folded, _ to: Node
  ) {
    node.openHandles += 1
    remove(old.key, from: from)
    insert(new, in: to, node)
    node.openHandles -= 1
    touchAttributes(node)
  }

  private func exchange(
    _ node: Node, _ old: NameFolding.Folded, _ from: Node, _ target: Node,
    _ new: NameFolding.Folded, _ to: Node
  ) throws(Errno) -> Reply {
    if node.kind == .directory, isInside(to, node) { throw .invalid }
    if target.kind == .directory, isInside(from, target) { throw .invalid }
    if isReadOnly { throw .readOnly }
    tick()
    if let one = from.table?.entries[old.key], let other = to.table?.entries[new.key] {
      try renameBacked(one, in: from, to: other.name, in: to, over: target, exchanging: true)
    }
    repoint(Node.Name(parent: from.id, key: old.key), in: from, from: node, to: target)
    repoint(Node.Name(parent: to.id, key: new.key), in: to, from: target, to: node)
    return .done
  }

  /// Gives a name another inode.
  func repoint(_ name: Node.Name, in folder: Node, from old: Node, to new: Node) {
    folder.table?.repoint(name.key, to: new.id)
    if old.kind == .directory { folder.folderCount -= 1 }
    if new.kind == .directory { folder.folderCount += 1 }
    if let index = old.names.firstIndex(of: name) { old.names.remove(at: index) }
    new.names.append(name)
    touchFolder(folder)
    touchAttributes(old)
    touchAttributes(new)
    recorder?.changed(name.key, in: folder, group: now)
  }

  /// True when `folder` is `ancestor` or lies below it.
  private func isInside(_ folder: Node, _ ancestor: Node) -> Bool {
    var current: Node? = folder
    while let node = current {
      if node === ancestor { return true }
      current = node.names.first.flatMap { find($0.parent) }
    }
    return false
  }

  // MARK: Listings

  private static let entryHeaderByteCount = 24
  /// What libfuse's high-level interface puts into listings.
  private static let unknownInode: UInt64 = 0xffff_ffff

  func list(_ id: NodeID, _ offset: UInt64, _ count: Int) throws(Errno) -> Reply {
    let folder = try folder(id)
    if persona.times.accessMoves == .byReadsAndListings { moveAccess(folder) }
    var listing: [ListedEntry] = []
    var room = count
    func add(_ name: BytePath, _ node: Node, _ cookie: UInt64) -> Bool {
      room -= Self.listedByteCount(name)
      if room < 0 { return false }
      listing.append(
        ListedEntry(
          name: name, inode: persona.listsInodes ? shownInode(node) : Self.unknownInode,
          kind: node.kind, nextOffset: cookie))
      return true
    }
    if offset < 1, !add(".", folder, 1) { return .listing(listing) }
    if offset < 2 {
      let parent = folder.names.first.flatMap { find($0.parent) } ?? folder
      if !add("..", parent, 2) { return .listing(listing) }
    }
    folder.table?.list(after: max(offset, DirectoryTable.firstCookie - 1)) { entry in
      guard let node = find(entry.node) else { return true }
      return add(entry.name, node, entry.cookie)
    }
    return .listing(listing)
  }

  /// What one entry takes in the buffer of getdents as the kernel's FUSE packs it.
  static func listedByteCount(_ name: BytePath) -> Int {
    (entryHeaderByteCount + name.bytes.count + 7) / 8 * 8
  }
}
