import FaultModel
import SystemIO

/// Store `backed`: names, layers and persona as in memory, the bytes in files of a real folder that
/// has the same names. What a power cut would lose is kept as the overwritten pages.
extension MemoryVolume {
  /// Does something in the backing folder; its error is the answer.
  func backed(_ body: (BackingFolder) throws(SystemError) -> Void) throws(Errno) {
    guard let backing else { return }
    do throws(SystemError) {
      try body(backing)
    } catch {
      backing.note(error)
      throw error.errno
    }
  }

  /// A folder that has its name, so that it stands for one in the backing folder.
  func isPlaced(_ folder: Node) -> Bool {
    folder.kind == .directory && (folder.id == Self.rootID || !folder.names.isEmpty)
  }

  /// The folder of the backing folder that stands for one of the volume.
  func place(_ folder: Node, _ backing: BackingFolder) throws(SystemError) -> BackingPlace {
    try backing.place(of: folder.id, at: paths(of: folder.id).first ?? "")
  }

  /// Makes in the folder what a new node stands for.
  func makeBacked(_ node: Node, _ name: BytePath, in folder: Node) throws(Errno) {
    try backed { backing throws(SystemError) in
      let place = try place(folder, backing)
      switch node.kind {
      case .directory: _ = try place.directory.makeDirectory(name, tolerant: false)
      case .file:
        let file = try place.directory.openFile(
          name, .readWrite, options: .exclusiveCreate, mode: node.state.mode | 0o600)
        back(node, with: backing)
        node.backing?.become(file)
      case .symlink: try place.directory.symlink(node.linkText ?? "", as: name)
      case .fifo, .other:
        try backing.makeFifo(name, in: place.directory, mode: node.state.mode)
      }
    }
  }

  /// The node's bytes are those of a file that has the node's name.
  private func back(_ node: Node, with folder: BackingFolder, byteCount: UInt64 = 0) {
    let file = BackingFile(in: folder)
    let id = node.id
    file.locate = { [unowned self] in paths(of: id).first }
    node.backing = file
    node.state.bytes = FileBytes(file, byteCount: byteCount)
  }

  /// The name goes: the bytes stay within reach of open handles and of the durable layer.
  func removeBacked(_ node: Node, _ entry: DirectoryEntry, in folder: Node) throws(Errno) {
    try backed { backing throws(SystemError) in
      if node.kind == .directory {
        let above = paths(of: folder.id).first ?? ""
        try backing.remove(above.appending(entry.name), isFolder: true)
        backing.forgetPlaces()
        return
      }
      if node.names.count == 1 { try node.backing?.pin() }
      try place(folder, backing).directory.unlink(entry.name)
    }
  }

  func linkBacked(_ node: Node, _ name: BytePath, in folder: Node) throws(Errno) {
    try backed { backing throws(SystemError) in
      let place = try place(folder, backing)
      if let file = node.backing {
        try file.appear(as: name, in: place.directory, byteCount: node.state.bytes.byteCount)
      } else if let old = paths(of: node.id).first {
        try backing.folder(old.parent ?? "").link(
          old.lastComponent, to: place.directory, name)
      }
    }
  }

  func renameBacked(
    _ entry: DirectoryEntry, in folder: Node, to name: BytePath, in newFolder: Node,
    over target: Node?, exchanging: Bool = false
  ) throws(Errno) {
    try backed { backing throws(SystemError) in
      if let target, target.names.count == 1, !exchanging { try target.backing?.pin() }
      let from = try place(folder, backing)
      let to = try place(newFolder, backing)
      try from.directory.rename(
        entry.name, to: to.directory, name, options: exchanging ? .exchange : [])
      if target?.kind == .directory, !exchanging { backing.forgetPlaces() }
    }
  }

  /// Mode and times, so that the folder is a good copy of the volume.
  func setBackedAttributes(_ node: Node, _ change: AttributeChange) throws(Errno) {
    guard change.mode != nil || change.modification != nil || change.access != nil else { return }
    try backed { backing throws(SystemError) in
      let state = node.state
      func set(_ open: borrowing FileDescriptor) throws(SystemError) {
        if change.mode != nil { try open.setMode(state.mode) }
        if change.modification != nil || change.access != nil {
          try open.setTimes(
            modification: Self.timestamp(state.modification), access: Self.timestamp(state.access))
        }
      }
      if let file = node.backing {
        try file.use { open throws(SystemError) in try set(open) }
      } else if isPlaced(node) {
        try set(try place(node, backing).directory.descriptor)
      }
    }
  }

  private static func timestamp(_ nanoseconds: Int64) -> Timestamp {
    let second: Int64 = 1_000_000_000
    let rest = nanoseconds % second
    let floor = rest < 0 ? rest + second : rest
    return Timestamp(seconds: (nanoseconds - floor) / second, nanoseconds: Int32(floor))
  }

  private static func nanoseconds(_ time: Timestamp) -> Int64 {
    time.seconds * 1_000_000_000 + Int64(time.nanoseconds)
  }

  // MARK: What lies there

  /// Takes what lies in the folder as the volume's contents, durable.
  func adopt() throws(SystemError) {
    guard let backing else { return }
    var links: [FileIdentity: Node] = [:]
    try adopt(root, at: "", backing, &links)
    syncAll()
  }

  private func adopt(
    _ folder: Node, at path: BytePath, _ backing: BackingFolder,
    _ links: inout [FileIdentity: Node]
  ) throws(SystemError) {
    let place = try backing.folder(path)
    for entry in try place.list().sorted(by: { $0.name < $1.name }) {
      let metadata = try place.metadata(of: entry.name)
      // Such a name cannot be shown under this persona.
      guard let folded = try? names.fold(entry.name),
        folder.table?.entries[folded.key] == nil
      else { continue }
      if metadata.kind == .regular, let other = links[metadata.identity] {
        insert(folded, in: folder, other)
        continue
      }
      let text = metadata.kind == .symlink ? try place.readLink(entry.name) : nil
      let node = makeNode(Self.kind(metadata.kind), mode: metadata.mode, linkText: text)
      if metadata.kind == .regular {
        back(node, with: backing, byteCount: UInt64(metadata.byteCount))
        links[metadata.identity] = node
      }
      insert(folded, in: folder, node)
      node.state.modification = times.modification(Self.nanoseconds(metadata.modification))
      node.state.access = times.access(Self.nanoseconds(metadata.access))
      node.state.bytesVersion = nextVersion()
      if node.kind == .directory {
        try adopt(node, at: path.appending(entry.name), backing, &links)
        node.state.modification = times.modification(Self.nanoseconds(metadata.modification))
      }
    }
  }

  private static func kind(_ kind: FileKind) -> TreeEntry.Kind {
    switch kind {
    case .regular: .file
    case .directory: .directory
    case .symlink: .symlink
    case .fifo: .fifo
    case .socket, .character, .block: .other
    }
  }

  // MARK: Power cut

  /// Where each node has its names.
  var everyPath: [NodeID: [BytePath]] {
    Dictionary(
      uniqueKeysWithValues: everyNode.map { ($0.id, paths(of: $0.id).sorted()) })
  }

  /// Brings the folder to the durable names: nothing to do unless names were lost.
  func restoreBackedNames(since before: [NodeID: [BytePath]]) throws(SystemError) {
    func named(_ paths: [NodeID: [BytePath]]) -> [NodeID: [BytePath]] {
      paths.filter { !$0.value.isEmpty }
    }
    // A file that is gone altogether was a name too.
    guard let backing, named(everyPath) != named(before) else { return }
    backing.forgetPlaces()
    let site: BytePath = ".custody-restore"
    _ = try backing.folder("").makeDirectory(site, tolerant: true)
    try backing.empty(site)
    try rebuild(root, at: site, backing)
    try backing.empty("", except: site)
    let place = try backing.folder(site)
    for entry in try place.list() {
      try place.rename(entry.name, to: try backing.folder(""), entry.name)
    }
    try backing.remove(site, isFolder: true)
    for node in everyNode { node.backing?.rest() }
  }

  private func rebuild(
    _ folder: Node, at path: BytePath, _ backing: BackingFolder
  ) throws(SystemError) {
    let place = try backing.folder(path)
    for entry in (folder.table?.entries ?? [:]).values {
      guard let node = find(entry.node) else { continue }
      switch node.kind {
      case .directory:
        _ = try place.makeDirectory(entry.name, tolerant: false)
        try rebuild(node, at: path.appending(entry.name), backing)
      case .file:
        try node.backing?.appear(
          as: entry.name, in: place, byteCount: node.state.bytes.byteCount)
      case .symlink: try place.symlink(node.linkText ?? "", as: entry.name)
      case .fifo, .other: try backing.makeFifo(entry.name, in: place, mode: node.state.mode)
      }
    }
  }
}
