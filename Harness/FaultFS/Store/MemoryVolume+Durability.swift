import FaultModel
import SystemIO

/// What becomes durable, and what a power cut leaves.
extension MemoryVolume {
  func sync(_ id: NodeID) throws(Errno) -> Reply {
    let node = try node(id)
    try tellLate(node)
    if let file = node.backing {
      try backed { _ throws(SystemError) in try file.sync() }
    }
    if barriers == .ignored { return .done }
    commit(node)
    if hasJournal { commitJournal() }
    return .done
  }

  func syncFolder(_ id: NodeID) throws(Errno) -> Reply {
    let folder = try folder(id)
    if isPlaced(folder) {
      try backed { backing throws(SystemError) in
        try place(folder, backing).directory.fsync()
      }
    }
    if barriers == .ignored { return .done }
    commitNames(folder)
    commit(folder)
    if hasJournal { commitJournal() }
    return .done
  }

  func hasUnsynced(_ node: NodeID) -> Bool {
    guard let node = find(node) else { return false }
    return node.isDirty || node.table?.hasPending == true
  }

  /// Bytes, size and attributes of one inode.
  private func commit(_ node: Node) {
    guard node.isDirty else { return }
    recorder?.committed(node.id)
    var next = node.state.kept
    if !node.lost.isEmpty {
      for range in node.lost.ranges {
        next.bytes.restore(
          ByteRange(offset: range.lowerBound, count: range.upperBound - range.lowerBound),
          from: node.durable?.bytes)
      }
      next.bytesVersion = nextVersion()
    }
    if node.losesAttributes, let durable = node.durable { next.takeAttributes(of: durable) }
    node.durable = next
    node.isDirty = false
  }

  private func commitNames(_ folder: Node) {
    guard let (removed, added) = folder.table?.commit() else { return }
    recorder?.committedNames(of: folder.id)
    pendingFolders.remove(folder.id)
    for id in added { find(id)?.durableNames += 1 }
    for id in removed {
      guard let node = find(id) else { continue }
      node.durableNames -= 1
      freeIfGone(node)
    }
  }

  /// All names and attributes of the volume, no bytes.
  private func commitJournal() {
    recorder?.committedJournal()
    for id in pendingFolders { if let folder = find(id) { commitNames(folder) } }
    pendingFolders.removeAll(keepingCapacity: true)
    for id in dirtyAttributes {
      guard let node = find(id) else { continue }
      node.isQueued = false
      if node.losesAttributes { continue }
      if node.durable == nil { node.durable = node.state.withoutBytes }
      node.durable?.takeAttributes(of: node.state)
    }
    dirtyAttributes.removeAll(keepingCapacity: true)
  }

  /// Writes everything that is not lost, as a clean unmount does.
  func syncAll() {
    for node in everyNode {
      if node.table != nil { commitNames(node) }
      commit(node)
      node.isQueued = false
    }
    dirtyAttributes.removeAll(keepingCapacity: true)
  }

  /// Makes one inode and the entries of its folders durable, past every barrier: an act of the
  /// rig.
  func settle(_ node: Node) {
    commit(node)
    for name in node.names {
      guard let folder = find(name.parent) else { continue }
      commitNames(folder)
      commit(folder)
    }
    if node.table != nil { commitNames(node) }
  }

  // MARK: Loss

  func lose(_ node: NodeID, _ range: ByteRange) {
    find(node)?.lost.insert(range)
    recorder?.lost(range, of: node)
  }

  func loseUnsynced(_ node: NodeID) {
    guard let node = find(node) else { return }
    if node.table != nil { node.table?.loseAllPending() }
    for range in node.state.bytes.ranges(since: node.durable?.bytes) { node.lost.insert(range) }
    node.losesAttributes = true
    recorder?.lostUnsynced(node.id)
  }

  func loseAttributes(_ node: NodeID) {
    find(node)?.losesAttributes = true
    recorder?.lostAttributes(of: node)
  }

  func loseName(_ name: BytePath, in parent: NodeID) {
    find(parent)?.table?.lose(names.key(name))
    recorder?.lostName(names.key(name), in: parent)
  }

  func cutTail(of node: NodeID, by byteCount: UInt64) {
    guard let node = find(node), node.kind == .file else { return }
    let rest = node.state.bytes.byteCount - min(byteCount, node.state.bytes.byteCount)
    let before = room(of: node)
    node.state.bytes.truncate(to: rest)
    node.state.bytesVersion = nextVersion()
    if node.takesRoom { usedBlocks = usedBlocks + room(of: node) - before }
    if let durable = node.durable, durable.bytes.byteCount > rest {
      node.durable?.bytes.truncate(to: rest)
      node.durable?.bytesVersion = nextVersion()
    }
    node.isDirty = true
    recorder?.cut(node, group: now)
  }

  func view(_ layer: Layer) -> any Served { LayerView(of: self, layer: layer) }

  // MARK: Power cut, remount

  /// Brings the volatile layer to what is durable. Handles and references of the kernel are void.
  func dropVolatile() {
    recorder?.droppedVolatile()
    handles = [:]
    let before = backing == nil ? [:] : everyPath
    for node in everyNode {
      node.names = []
      node.folderCount = 0
      node.lateError = nil
      node.openHandles = 0
      node.lookups = node.id == Self.rootID ? 1 : 0
      node.durableNames = 0
      node.state = node.durable ?? node.state.withoutBytes
      if let file = node.backing {
        if node.durable == nil { node.state.bytes = FileBytes(file, byteCount: 0).cut }
        node.state.bytes = node.state.bytes.writtenBack()
        node.durable = node.state.kept
      }
      node.lost = RangeList()
      node.losesAttributes = false
      node.isDirty = false
      node.isQueued = false
      node.table?.revert()
    }
    pendingFolders = []
    dirtyAttributes = []
    usedBlocks = 0
    var folders = [root]
    var reached: Set<NodeID> = [Self.rootID]
    while let folder = folders.popLast() {
      let entries = (folder.table?.entries ?? [:]).sorted { $0.value.cookie < $1.value.cookie }
      for (key, entry) in entries {
        guard let node = find(entry.node) else {
          folder.table?.remove(key)
          continue
        }
        node.names.append(Node.Name(parent: folder.id, key: key))
        if node.kind == .directory { folder.folderCount += 1 }
        node.durableNames += 1
        if reached.insert(node.id).inserted {
          usedBlocks += room(of: node)
          if node.kind == .directory { folders.append(node) }
        }
      }
    }
    prune { reached.contains($0.id) }
    do throws(SystemError) {
      try restoreBackedNames(since: before)
    } catch {
      backing?.note(error)
    }
  }

  /// What another mount of the same medium changes: numbers and times as the persona says.
  func mountAnew() {
    var isStable = false
    if persona.inodes == .stable || persona.inodes == .firstCluster { isStable = true }
    for node in everyNode where node.id != Self.rootID {
      if !isStable { node.inode = 0 }
      times.remount(&node.state)
      node.durable = node.state.kept
    }
  }
}

extension FileState {
  /// The same for the durable layer.
  var kept: FileState {
    var copy = self
    copy.bytes = bytes.kept
    return copy
  }

  var withoutBytes: FileState {
    var empty = self
    empty.bytes = FileBytes()
    empty.bytesVersion = 0
    return empty
  }

  mutating func takeAttributes(of other: FileState) {
    mode = other.mode
    uid = other.uid
    gid = other.gid
    access = other.access
    modification = other.modification
    change = other.change
    extendedAttributes = other.extendedAttributes
  }
}
