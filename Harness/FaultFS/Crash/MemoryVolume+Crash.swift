import FaultModel
import SystemIO

/// Recording, and volumes that come up in a state that a crash left.
extension MemoryVolume {
  /// What is durable now.
  var durableImage: VolumeImage {
    var nodes: [NodeID: ImageNode] = [:]
    for node in everyNode {
      var image = ImageNode(node, state(of: node, .durable))
      image.entries = node.table?.durable ?? [:]
      nodes[node.id] = image
    }
    return VolumeImage(nodes)
  }

  /// Logs from now on; what is unsynced already becomes the log's first operations.
  func record() -> CrashRecorder {
    let recorder = CrashRecorder(over: durableImage)
    for node in everyNode where node.isDirty { recordUnsynced(node, recorder) }
    for folder in everyNode {
      guard let table = folder.table else { continue }
      let keys = table.pending.subtracting(table.lost)
      let inOrder = keys.sorted {
        (table.entries[$0]?.cookie ?? 0, $0) < (table.entries[$1]?.cookie ?? 0, $1)
      }
      for (index, key) in inOrder.enumerated() {
        recorder.changed(key, in: folder, group: -Int64(folder.id) << 20 - Int64(index))
      }
    }
    self.recorder = recorder
    return recorder
  }

  private func recordUnsynced(_ node: Node, _ recorder: CrashRecorder) {
    if node.kind == .file {
      let old = node.durable?.bytes.byteCount ?? 0
      let new = node.state.bytes.byteCount
      for range in node.state.bytes.ranges(since: node.durable?.bytes) {
        let data = node.state.bytes.bytes(at: range.offset, count: Int(range.count))
        if data.isEmpty { continue }
        data.withUnsafeBytes {
          recorder.wrote(node, $0, at: range.offset, over: max(old, new), group: -1)
        }
      }
      if new != old { recorder.resized(node, from: old, group: -1) }
    }
    recorder.changedAttributes(of: node, group: -1)
  }

  /// Comes up as the image has it, everything durable, as after a mount. Handles and references of
  /// the kernel are void. `version` numbers the bytes of a file, equal ones equally.
  func install(
    _ image: VolumeImage, _ made: [NodeID: ImageNode], version: (UInt64) -> UInt64
  ) {
    recorder = nil
    clear()
    guard let top = image.node(Self.rootID, made) else { return }
    settle(root, as: top, version)
    usedBlocks = 0
    var folders = [(root, top)]
    var known: [NodeID: Node] = [Self.rootID: root]
    while let (folder, planned) = folders.popLast() {
      for (key, entry) in planned.entries.sorted(by: { $0.value.cookie < $1.value.cookie }) {
        guard let next = image.node(entry.node, made) else { continue }
        let node: Node
        if let same = known[entry.node] {
          // A folder has one name; where files have no second one, a repair makes two of them.
          if next.kind == .directory { continue }
          node = persona.linkError == nil ? same : make(next, version)
        } else {
          node = make(next, version)
          known[entry.node] = node
          if next.kind == .directory { folders.append((node, next)) }
        }
        if node.names.isEmpty { usedBlocks += room(of: node) }
        folder.table?.insert(key, name: entry.name, node: node.id)
        node.names.append(Node.Name(parent: folder.id, key: key))
        node.durableNames += 1
      }
      _ = folder.table?.commit()
    }
    dirtyAttributes = []
    pendingFolders = []
  }

  private func make(_ planned: ImageNode, _ version: (UInt64) -> UInt64) -> Node {
    let node = makeNode(planned.kind, mode: planned.state.mode, linkText: planned.linkText)
    settle(node, as: planned, version)
    return node
  }

  private func settle(_ node: Node, as planned: ImageNode, _ version: (UInt64) -> UInt64) {
    var state = planned.state
    if node.kind == .file {
      state.bytes = planned.bytes
      if state.bytes.untouchedRecipe == nil { state.bytesVersion = version(planned.contentKey) }
    }
    times.remount(&state)
    node.state = state
    node.durable = state
    node.isDirty = false
    node.isQueued = false
    if node.id == Self.rootID { return }
    if case .stable = persona.inodes { node.inode = planned.inode } else { node.inode = 0 }
  }
}
