import FaultModel
import Glibc
import SystemIO

/// Attributes and extended attributes.
extension MemoryVolume {
  func attributes(of id: NodeID) -> Attributes? { find(id).map { attributes(of: $0) } }

  func entry(of id: NodeID) -> Reply? {
    guard let node = find(id) else { return nil }
    node.lookups += 1
    return .entry(attributes(of: node))
  }

  func attributes(of node: Node) -> Attributes {
    let byteCount: UInt64 =
      switch node.kind {
      case .directory: UInt64(Page.blockByteCount)
      case .symlink: UInt64(node.linkText?.bytes.count ?? 0)
      default: node.state.bytes.byteCount
      }
    // The state is read field by field: a copy of it would hold on to its bytes.
    return Attributes(
      node: node.id, inode: shownInode(node), kind: node.kind, mode: node.state.mode,
      byteCount: byteCount, blocks: room(of: node) * UInt64(Page.blockByteCount / 512),
      linkCount: linkCount(of: node), uid: node.state.uid, gid: node.state.gid,
      access: node.state.access, modification: node.state.modification, change: node.state.change)
  }

  private func linkCount(of node: Node) -> UInt32 {
    guard let table = node.table else {
      return UInt32(node.names.count - keptNames(of: node).count)
    }
    if node.names.isEmpty, node.id != Self.rootID { return 0 }
    switch persona.folderLinks {
    case .always(let count): return count
    case .folders: return 2 + node.folderCount
    case .entries: return 2 + UInt32(clamping: table.entries.count)
    }
  }

  private func checkOwner(_ change: AttributeChange) throws(Errno) {
    guard case .refused = persona.owners else { return }
    if let uid = change.uid, uid != VolumeOwner.ids.user { throw .notPermitted }
    if let gid = change.gid, gid != VolumeOwner.ids.group { throw .notPermitted }
  }

  private func giveAway(_ node: Node, _ change: AttributeChange) {
    guard case .kept = persona.owners else { return }
    if let uid = change.uid { node.state.uid = uid }
    if let gid = change.gid { node.state.gid = gid }
  }

  func setAttributes(of id: NodeID, _ change: AttributeChange) throws(Errno) -> Reply {
    let node = try node(id)
    if isReadOnly { throw .readOnly }
    if let mode = change.mode {
      switch persona.modes {
      case .kept: node.state.mode = mode & 0o7777
      case .ignored: break
      case .onlyPermissionsIgnored: if mode & 0o7000 != 0 { throw .notPermitted }
      case .fails(let error): throw error
      }
    }
    try checkOwner(change)
    tick()
    giveAway(node, change)
    if let byteCount = change.byteCount {
      if node.kind == .directory { throw .isDirectory }
      try setSize(node, to: byteCount)
    }
    let isSingle = (change.access == nil) != (change.modification == nil)
    if !isSingle || !persona.times.dropsSingleTimes {
      if let time = change.access { node.state.access = times.access(moment(time)) }
      if let time = change.modification {
        node.state.modification = times.modification(moment(time))
      }
    }
    touchAttributes(node)
    if change.mode != nil || change.access != nil || change.modification != nil {
      recorder?.changedAttributes(of: node, group: now)
    }
    try setBackedAttributes(node, change)
    return .attributes(attributes(of: node))
  }

  private func moment(_ time: AttributeChange.Time) -> Int64 {
    switch time {
    case .now: now
    case .at(let nanoseconds): nanoseconds
    }
  }

  /// The attributes changed now.
  func touchAttributes(_ node: Node) {
    times.changed(&node.state, now: now)
    node.losesAttributes = false
    queueAttributes(node)
  }

  /// The bytes changed now.
  func touchBytes(_ node: Node) {
    node.state.modification = times.modification(now)
    node.state.bytesVersion = nextVersion()
    touchAttributes(node)
  }

  // MARK: Extended attributes

  private static let createFlag: Int32 = 1
  private static let replaceFlag: Int32 = 2

  func setExtended(
    _ id: NodeID, _ name: BytePath, _ value: [UInt8], _ flags: Int32
  ) throws(Errno) -> Reply {
    if let error = persona.xattrError { throw error }
    let node = try node(id)
    let isThere = node.state.extendedAttributes[name] != nil
    if flags & Self.createFlag != 0, isThere { throw .fileExists }
    if flags & Self.replaceFlag != 0, !isThere { throw Errno(rawValue: ENODATA) }
    if isReadOnly { throw .readOnly }
    tick()
    node.state.extendedAttributes[name] = value
    touchAttributes(node)
    recorder?.changedAttributes(of: node, group: now)
    return .done
  }

  func getExtended(_ id: NodeID, _ name: BytePath, _ count: Int) throws(Errno) -> Reply {
    if let error = persona.xattrError { throw error }
    guard let value = try node(id).state.extendedAttributes[name] else {
      throw Errno(rawValue: ENODATA)
    }
    return try sized(value, count)
  }

  func listExtended(_ id: NodeID, _ count: Int) throws(Errno) -> Reply {
    if let error = persona.xattrError { throw error }
    let names = try node(id).state.extendedAttributes.keys.sorted()
    return try sized(names.flatMap { $0.bytes + [0] }, count)
  }

  /// The answer to a call with a buffer of `count` bytes; 0 asks for the size.
  private func sized(_ value: [UInt8], _ count: Int) throws(Errno) -> Reply {
    if count == 0 { return .size(value.count) }
    if count < value.count { throw Errno(rawValue: ERANGE) }
    return .text(value)
  }

  func removeExtended(_ id: NodeID, _ name: BytePath) throws(Errno) -> Reply {
    if let error = persona.xattrError { throw error }
    let node = try node(id)
    if node.state.extendedAttributes[name] == nil { throw Errno(rawValue: ENODATA) }
    if isReadOnly { throw .readOnly }
    tick()
    node.state.extendedAttributes[name] = nil
    touchAttributes(node)
    recorder?.changedAttributes(of: node, group: now)
    return .done
  }

  // MARK: Where things are

  var knownRootNames: [BytePath] {
    (root.table?.entries ?? [:]).values.filter { find($0.node)?.lookups ?? 0 > 0 }.map(\.name)
  }

  func paths(of id: NodeID) -> [BytePath] {
    guard let node = find(id) else { return [] }
    if node.id == Self.rootID { return [""] }
    return node.names.compactMap { name in
      guard let folder = find(name.parent), let entry = folder.table?.entries[name.key],
        !persona.isOfRemoved(entry.name), let above = paths(of: name.parent).first
      else { return nil }
      return above.appending(entry.name)
    }
  }

  func child(of parent: NodeID, named name: BytePath) -> NodeID? {
    find(parent)?.table?.entries[names.key(name)]?.node
  }

  func node(at path: BytePath) -> NodeID? {
    var current = Self.rootID
    for name in path.components {
      guard let next = child(of: current, named: name) else { return nil }
      current = next
    }
    return current
  }
}
