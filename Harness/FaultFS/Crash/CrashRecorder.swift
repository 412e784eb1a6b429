import FaultModel
import SystemIO

/// The log of one volume: every micro-operation and barrier since the recording began, over an
/// image of what was durable then.
///
/// A volume that nobody records has none. With one, a write costs a copy of its bytes that fill no
/// page of the file.
final class CrashRecorder {
  /// What was durable when the recording began.
  let base: VolumeImage
  private(set) var operations: [MicroOperation] = []
  /// Moves with each change and each barrier that changes what a power cut may leave.
  private(set) var moment = 0
  /// Inodes that came later, as they were made.
  private(set) var nodes: [NodeID: ImageNode] = [:]
  /// Operations that are neither durable nor lost, in order.
  private var pending: [Int] = []

  init(over base: VolumeImage) {
    self.base = base
  }

  private func add(
    _ kind: MicroOperation.Kind, group: Int64, _ attributes: FileState? = nil
  ) {
    moment += 1
    pending.append(operations.count)
    operations.append(
      MicroOperation(kind: kind, group: group, moment: moment, attributes: attributes))
  }

  // MARK: Changes

  /// A new inode, or one that somebody else filled.
  func made(_ node: Node) { nodes[node.id] = ImageNode(node, node.state) }

  /// Bytes that stand in the file now.
  func wrote(
    _ node: Node, _ data: UnsafeRawBufferPointer, at offset: UInt64, over size: UInt64,
    group: Int64
  ) {
    let extent = Extent(node.state.bytes.shared(data, at: offset), isAppended: offset >= size)
    add(extent, to: node, over: size, group: group)
  }

  /// A range became zero.
  func cleared(_ node: Node, _ range: ByteRange, over size: UInt64, group: Int64) {
    guard range.offset < size else { return }
    let count = min(range.count, size - range.offset)
    let extent = Extent(zeros: ByteRange(offset: range.offset, count: count))
    add(extent, to: node, over: size, group: group)
  }

  /// The time of a write goes with its size if that changes, else with its bytes.
  private func add(_ extent: Extent, to node: Node, over size: UInt64, group: Int64) {
    let attributes = node.state.withoutBytes
    let grows = extent.end > size
    add(.data(node.id, extent), group: group, grows ? nil : attributes)
    if grows { add(.size(node.id, node.state.bytes.byteCount), group: group, attributes) }
  }

  func resized(_ node: Node, from size: UInt64, group: Int64) {
    guard node.state.bytes.byteCount != size else {
      return changedAttributes(of: node, group: group)
    }
    add(.size(node.id, node.state.bytes.byteCount), group: group, node.state.withoutBytes)
  }

  /// The end of a file is gone, from what is durable too.
  func cut(_ node: Node, group: Int64) {
    let isClean = !pending.contains { operations[$0].inode == node.id }
    add(.cut(node.id, node.state.bytes.byteCount), group: group)
    if isClean { settle { $0.inode == node.id } }
  }

  func changed(_ key: BytePath, in folder: Node, group: Int64) {
    let entry = folder.table?.entries[key]
    let attributes = folder.state.withoutBytes
    let kind = MicroOperation.Kind.entry(folder: folder.id, key: key, entry)
    // One request that takes an entry away and makes it anew writes it once.
    for index in operations.indices.reversed() {
      guard operations[index].group == group else { break }
      guard case .entry(folder.id, key, _) = operations[index].kind else { continue }
      moment += 1
      operations[index] = MicroOperation(
        kind: kind, group: group, moment: operations[index].moment, attributes: attributes)
      return
    }
    add(kind, group: group, attributes)
  }

  func changedAttributes(of node: Node, group: Int64) {
    add(.attributes(node.id), group: group, node.state.withoutBytes)
  }

  // MARK: Barriers

  func committed(_ node: NodeID) { settle { $0.inode == node } }

  func committedNames(of folder: NodeID) {
    settle { if case .entry(folder, _, _) = $0.kind { true } else { false } }
  }

  /// A journal writes all names and attributes, but no bytes and no sizes.
  func committedJournal() { settle(\.isJournalled) }

  private func settle(_ isWritten: (MicroOperation) -> Bool) {
    take(where: isWritten) { operation, moment in operation.durableAt = moment }
  }

  private func take(
    where isMeant: (MicroOperation) -> Bool, _ body: (inout MicroOperation, Int) -> Void
  ) {
    var rest: [Int] = []
    for index in pending {
      if isMeant(operations[index]) {
        body(&operations[index], moment + 1)
      } else {
        rest.append(index)
      }
    }
    if rest.count == pending.count { return }
    moment += 1
    pending = rest
  }

  // MARK: Loss

  func lost(_ range: ByteRange, of node: NodeID) {
    for index in pending {
      guard case .data(node, let extent) = operations[index].kind else { continue }
      extent.lost.append(range)
    }
  }

  /// Bytes and attributes of a file, or the entries of a folder; a file's size stays.
  func lostUnsynced(_ node: NodeID) {
    lose { operation in
      switch operation.kind {
      case .data(node, _), .attributes(node), .entry(node, _, _): true
      default: false
      }
    }
  }

  func lostAttributes(of node: NodeID) {
    lose { if case .attributes(node) = $0.kind { true } else { false } }
  }

  func lostName(_ key: BytePath, in folder: NodeID) {
    lose { if case .entry(folder, key, _) = $0.kind { true } else { false } }
  }

  /// The medium was pulled.
  func droppedVolatile() { lose { _ in true } }

  private func lose(_ isLost: (MicroOperation) -> Bool) {
    take(where: isLost) { operation, moment in operation.lostAt = moment }
  }
}
