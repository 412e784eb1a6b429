import FaultModel
import SystemIO

/// Loading a planned tree, and snapshots of what stands.
extension MemoryVolume {
  /// Replaces everything by `tree`, durable at once. Throws for a name that the persona refuses.
  func load(_ tree: PlannedTree) throws(SystemError) {
    reset()
    if let backing {
      if ownsBacking { try backing.empty("") } else { try adopt() }
    }
    // Links last, so that what they name is there.
    for isLink in [false, true] {
      for path in tree.paths {
        guard let entry = tree.entries[path], (entry.hardLink != nil) == isLink else { continue }
        do throws(Errno) {
          try plant(entry, at: path)
        } catch {
          throw SystemError(call: "load", errno: error, path: path)
        }
      }
    }
    syncAll()
    now = Self.firstMoment
  }

  /// Puts one entry of a plan in place of whatever has its name. Missing folders are made.
  func plant(_ entry: PlannedEntry, at path: BytePath) throws(Errno) {
    guard let (folder, name) = try place(of: path) else {
      root.state.mode = shownMode(entry.mode, .directory)
      root.state.modification = times.modification(entry.modification)
      root.isDirty = true
      return
    }
    let folded = try names.fold(name)
    if entry.kind == .directory, let held = folder.table?.entries[folded.key],
      let node = find(held.node), node.kind == .directory
    {
      stamp(node, entry)
      return
    }
    if let error = refusal(of: entry) { throw error }
    try takeAway(folded.key, from: folder)
    if let other = entry.hardLink {
      guard let id = node(at: other), let node = find(id) else { throw .noSuchFile }
      try linkBacked(node, folded.stored, in: folder)
      insert(folded, in: folder, node)
      return
    }
    let node = makeNode(entry.kind, mode: entry.mode, linkText: entry.linkText)
    try makeBacked(node, folded.stored, in: folder)
    if let content = entry.content { fill(node, with: content) }
    insert(folded, in: folder, node)
    stamp(node, entry)
    recorder?.made(node)
    // Making an entry moves the folder's time, which the plan has set already.
    folder.state.modification = folder.durable?.modification ?? folder.state.modification
  }

  /// The bytes of a recipe; a backed file gets them written.
  func fill(_ node: Node, with content: Content) {
    guard node.backing != nil else {
      node.state.bytes = FileBytes(content)
      return
    }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { chunk.deallocate() }
    var offset: UInt64 = 0
    while case let count = content.fill(chunk, at: offset), count > 0 {
      node.state.bytes.write(UnsafeRawBufferPointer(rebasing: chunk[..<count]), at: offset)
      offset += UInt64(count)
    }
    node.state.bytesVersion = nextVersion()
  }

  /// Removes whatever has a name, folders with what is in them.
  func takeAway(_ key: BytePath, from folder: Node) throws(Errno) {
    guard let entry = folder.table?.entries[key] else { return }
    if let node = find(entry.node) { try removeBacked(node, entry, in: folder) }
    remove(key, from: folder)
  }

  private func refusal(of entry: PlannedEntry) -> Errno? {
    if entry.hardLink != nil { return persona.linkError }
    switch entry.kind {
    case .symlink: return persona.symlinkError
    case .fifo, .other: return persona.nodeError
    case .file, .directory: return nil
    }
  }

  /// Mode and times of a plan, on both layers.
  private func stamp(_ node: Node, _ entry: PlannedEntry) {
    node.state.mode = shownMode(entry.mode, node.kind)
    node.state.modification = times.modification(entry.modification)
    node.state.access = times.access(entry.modification)
    node.state.change = node.state.modification
    node.durable = node.state.kept
    node.isDirty = false
  }

  /// The folder of a path, made where it is missing, and the last name; nil for the root.
  func place(of path: BytePath) throws(Errno) -> (folder: Node, name: BytePath)? {
    var components = path.components
    guard let name = components.popLast() else { return nil }
    var folder = root
    for component in components {
      let folded = try names.fold(component)
      if let entry = folder.table?.entries[folded.key], let next = find(entry.node) {
        if next.kind != .directory { throw .notDirectory }
        folder = next
      } else {
        let next = makeNode(.directory, mode: 0o755)
        try makeBacked(next, folded.stored, in: folder)
        insert(folded, in: folder, next)
        folder = next
      }
    }
    return (folder, name)
  }

  // MARK: Snapshots

  /// - Throws: the first trouble that a backing folder had.
  func snapshot(_ layer: Layer) throws(SystemError) -> TreeSnapshot {
    if let trouble = backing?.trouble { throw trouble }
    return tree(layer)
  }

  private func tree(_ layer: Layer) -> TreeSnapshot {
    var entries: [BytePath: TreeEntry] = [:]
    entries[""] = entry(root, layer, named: "")
    collect(root, "", layer, [Self.rootID], &entries)
    return TreeSnapshot(entries: entries)
  }

  /// `open` are the folders above: on the durable layer a folder that was moved can stand in two
  /// places, even inside itself.
  private func collect(
    _ folder: Node, _ path: BytePath, _ layer: Layer, _ open: Set<NodeID>,
    _ entries: inout [BytePath: TreeEntry]
  ) {
    guard let table = folder.table else { return }
    for held in (layer == .volatile ? table.entries : table.durable).values {
      guard let node = find(held.node), !persona.isOfRemoved(held.name) else { continue }
      let name = path.appending(held.name)
      entries[name] = entry(node, layer, named: held.name)
      if node.kind == .directory, !open.contains(node.id) {
        collect(node, name, layer, open.union([node.id]), &entries)
      }
    }
  }

  func state(of node: Node, _ layer: Layer) -> FileState {
    if layer == .volatile { return node.state }
    if let durable = node.durable { return durable }
    var empty = node.state
    empty.bytes = FileBytes()
    empty.bytesVersion = 0
    return empty
  }

  private func entry(_ node: Node, _ layer: Layer, named name: BytePath) -> TreeEntry {
    let state = state(of: node, layer)
    let isFile = node.kind == .file
    let byteCount = isFile ? state.bytes.byteCount : 0
    let isInline = isFile && TreeEntry.isInline(name: name, byteCount: byteCount)
    return TreeEntry(
      kind: node.kind, byteCount: byteCount,
      digest: isFile ? digests.digest(of: state, on: self) : "", mode: state.mode,
      modification: state.modification, inode: node.inode, linkText: node.linkText,
      inlineBytes: isInline ? state.bytes.bytes(at: 0, count: Int(byteCount)) : [])
  }
}
