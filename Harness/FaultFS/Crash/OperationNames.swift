import FaultModel
import SystemIO

/// Words for micro-operations: `entry <tmp#1>`, `data DCIM/a.mov 0+4096`.
struct OperationNames {
  private let volume: FaultyVolume
  private let recorder: CrashRecorder
  /// The last name that each inode had.
  private var names: [NodeID: (folder: NodeID, key: BytePath, name: BytePath)] = [:]

  init(_ volume: FaultyVolume, _ recorder: CrashRecorder) {
    self.volume = volume
    self.recorder = recorder
    for (id, node) in recorder.base.nodes {
      for (key, entry) in node.entries { names[entry.node] = (id, key, entry.name) }
    }
    for operation in recorder.operations {
      guard case .entry(let folder, let key, let entry?) = operation.kind else { continue }
      names[entry.node] = (folder, key, entry.name)
    }
  }

  func text(of number: Int) -> String {
    switch recorder.operations[number].kind {
    case .data(let node, let extent):
      "data \(path(node)) \(extent.offset)+\(extent.count)"
    case .size(let node, let byteCount): "size \(path(node)) \(byteCount)"
    case .cut(let node, let byteCount): "cut \(path(node)) \(byteCount)"
    case .attributes(let node): "attributes \(path(node))"
    case .entry(let folder, let key, let entry):
      (entry == nil ? "no entry " : "entry ") + path(folder, key, entry?.name ?? key)
    }
  }

  private func path(_ node: NodeID) -> String {
    guard let name = names[node] else { return node == MemoryVolume.rootID ? "/" : "?" }
    return path(name.folder, name.key, name.name)
  }

  private func path(_ folder: NodeID, _ key: BytePath, _ name: BytePath) -> String {
    if let label = volume.labels[.init(folder: folder, key: key)] { return label.text }
    if folder == MemoryVolume.rootID { return name.escaped }
    return path(folder) + "/" + name.escaped
  }
}
