import FaultModel
import SystemIO

/// Names of open files that were removed, and the spellings of names.
extension MemoryVolume {
  // MARK: Open files

  /// Takes a file's name away; one that is open may keep another, or be refused.
  func removeFile(
    _ node: Node, _ entry: DirectoryEntry, _ key: BytePath, from folder: Node
  ) throws(Errno) {
    if try keepOpen(node, key, in: folder) { return }
    try removeBacked(node, entry, in: folder)
    remove(key, from: folder)
  }

  /// Moves an open file aside as the persona does; false when there is no need.
  func keepOpen(_ node: Node, _ key: BytePath, in folder: Node) throws(Errno) -> Bool {
    guard node.openHandles > 0, node.kind == .file,
      let entry = folder.table?.entries[key], !persona.isOfRemoved(entry.name)
    else { return false }
    switch persona.openRemoval {
    case .removed: return false
    case .refused(let error): throw error
    case .renamed(let prefix):
      let digits = String(node.id, radix: 16)
      let count = keptNames(of: node).count
      let name = BytePath(prefix + String(repeating: "0", count: 16 - digits.count) + digits)
      let aside = try names.fold(count == 0 ? name : BytePath("\(name).\(count)"))
      try renameBacked(entry, in: folder, to: aside.stored, in: folder, over: nil)
      move(node, NameFolding.Folded(stored: entry.name, key: key), folder, aside, folder)
      return true
    }
  }

  /// The names under which a removed file still stands.
  func keptNames(of node: Node) -> [(name: Node.Name, entry: DirectoryEntry)] {
    guard case .renamed = persona.openRemoval else { return [] }
    return node.names.compactMap { name in
      guard let entry = find(name.parent)?.table?.entries[name.key],
        persona.isOfRemoved(entry.name)
      else { return nil }
      return (name, entry)
    }
  }

  /// The last handle is closed: the other names go too.
  func removeKept(_ node: Node) {
    for (name, entry) in keptNames(of: node) {
      guard let folder = find(name.parent) else { continue }
      // The answer to a close cannot carry what the folder below says; the folder notes it.
      try? removeBacked(node, entry, in: folder)
      remove(name.key, from: folder)
    }
  }

  // MARK: Spellings

  func listedName(of name: BytePath, in parent: NodeID) -> BytePath? {
    find(parent)?.table?.entries[names.key(name)]?.name
  }
}
