import FaultModel
import SystemIO

/// What somebody other than the subject does: durable at once, no barrier asked.
extension MemoryVolume {
  /// The size of a file that `change add` makes.
  private static let addedByteCount: UInt64 = 4096

  func act(_ act: StoreAct, at path: BytePath) throws(Errno) {
    tick()
    switch act {
    case .plant(let entry):
      try plant(entry, at: path)
      if let id = node(at: path), let node = find(id) { settleWithFolders(node) }
    case .swap(let bytes):
      let node = try existing(path)
      settle(try replace(node, at: path, like: bytes, restoreTimes: true))
    case .change(let change, let restoreTimes):
      try self.change(path, change, restoreTimes)
    }
  }

  private func change(
    _ path: BytePath, _ change: Change, _ restoreTimes: Bool
  ) throws(Errno) {
    switch change {
    case .write(let range):
      try alter(try existingFile(path), restoreTimes) { node throws(Errno) in
        var data = node.state.bytes.bytes(at: range.offset, count: Int(range.count))
        data += [UInt8](repeating: 0, count: Int(range.count) - data.count)
        Self.invert(&data)
        data.withUnsafeBytes { overwrite(node.id, at: range.offset, with: $0) }
      }
    case .append(let count):
      try alter(try existingFile(path), restoreTimes) { node throws(Errno) in
        let data = Content(key: Self.foreignKey(node.id), byteCount: count)
          .bytes(at: 0, count: Int(count))
        let end = node.state.bytes.byteCount
        data.withUnsafeBytes { overwrite(node.id, at: end, with: $0) }
      }
    case .truncate(let count):
      try alter(try existingFile(path), restoreTimes) { node throws(Errno) in
        try setSize(node, to: count)
      }
    case .replace:
      let node = try existing(path)
      settle(try replace(node, at: path, like: .different, restoreTimes: restoreTimes))
    case .symlink(let text):
      let held = node(at: path).flatMap { find($0) }
      let entry = PlannedEntry(
        kind: .symlink, mode: 0o777,
        modification: restoreTimes ? held?.state.modification ?? now : now, linkText: text)
      try act(.plant(entry), at: path)
    case .remove:
      let node = try existing(path)
      guard let (folder, name) = try place(of: path) else { throw .invalid }
      try takeAway(names.key(name), from: folder)
      settle(folder)
      touchAttributes(node)
    case .add:
      let content = Content(
        key: Self.foreignKey(UInt64(path.bytes.count)), byteCount: Self.addedByteCount)
      try act(
        .plant(PlannedEntry(kind: .file, content: content, mode: 0o644, modification: now)),
        at: path)
    }
  }

  private func existing(_ path: BytePath) throws(Errno) -> Node {
    guard let id = node(at: path), let node = find(id) else { throw .noSuchFile }
    return node
  }

  private func existingFile(_ path: BytePath) throws(Errno) -> Node {
    let node = try existing(path)
    if node.kind != .file { throw .invalid }
    return node
  }

  private func alter(
    _ node: Node, _ restoreTimes: Bool, _ body: (Node) throws(Errno) -> Void
  ) throws(Errno) {
    let before = node.state
    try body(node)
    touchBytes(node)
    if restoreTimes {
      node.state.access = before.access
      node.state.modification = before.modification
      times.changed(&node.state, now: now)
    }
    settle(node)
  }

  /// Another inode takes the name; returns it. A folder is replaced by an empty one.
  private func replace(
    _ old: Node, at path: BytePath, like bytes: SwapBytes, restoreTimes: Bool
  ) throws(Errno) -> Node {
    guard let (folder, name) = try place(of: path) else { throw .invalid }
    let node = makeNode(old.kind, mode: old.state.mode, linkText: old.linkText)
    let foreign = Content(key: Self.foreignKey(old.id), byteCount: old.state.bytes.byteCount)
    if backing != nil {
      try replaceBacked(old, with: node, in: folder, bytes == .different ? foreign : nil, name)
    } else {
      node.state.bytes =
        bytes == .different && old.kind == .file ? FileBytes(foreign) : old.state.bytes
    }
    node.state.bytesVersion = nextVersion()
    recorder?.made(node)
    if restoreTimes {
      node.state.access = old.state.access
      node.state.modification = old.state.modification
      times.changed(&node.state, now: now)
    }
    let key = names.key(name)
    usedBlocks += room(of: node)
    repoint(Node.Name(parent: folder.id, key: key), in: folder, from: old, to: node)
    if !old.takesRoom { usedBlocks -= room(of: old) }
    return node
  }

  /// The new file is made beside and renamed over, so that the old one stays for who has it open.
  private func replaceBacked(
    _ old: Node, with node: Node, in folder: Node, _ content: Content?, _ name: BytePath
  ) throws(Errno) {
    let beside: BytePath = ".custody-swap"
    try makeBacked(node, beside, in: folder)
    if let content {
      fill(node, with: content)
    } else {
      var offset: UInt64 = 0
      while case let part = old.state.bytes.bytes(at: offset, count: 1 << 20), !part.isEmpty {
        part.withUnsafeBytes { node.state.bytes.write($0, at: offset) }
        offset += UInt64(part.count)
      }
    }
    let entry = DirectoryEntry(name: beside, node: node.id, cookie: 0)
    let stored = folder.table?.entries[names.key(name)]?.name ?? name
    if old.kind == .directory {
      try removeBacked(old, DirectoryEntry(name: stored, node: old.id, cookie: 0), in: folder)
    }
    try renameBacked(entry, in: folder, to: stored, in: folder, over: old)
  }

  private func settleWithFolders(_ node: Node) {
    settle(node)
    var above = node.names.first?.parent
    while let id = above, let folder = find(id) {
      settle(folder)
      above = folder.names.first?.parent
    }
  }

  /// Bytes of nobody's card.
  private static func foreignKey(_ number: UInt64) -> Content.Key {
    Content.Key(high: 0xf0_7e_16_4e, low: number)
  }

  private static func invert(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
      let words = buffer.count / 8
      for index in 0..<words {
        let word = buffer.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        buffer.storeBytes(of: ~word, toByteOffset: index * 8, as: UInt64.self)
      }
      for index in words * 8..<buffer.count { buffer[index] = ~buffer[index] }
    }
  }
}
