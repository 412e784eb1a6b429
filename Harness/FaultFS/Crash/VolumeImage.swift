import CXXHash
import FaultModel
import SystemIO

/// A whole volume as a value: what stands on its medium in one state after a crash.
struct VolumeImage {
  private(set) var nodes: [NodeID: ImageNode]

  init(_ nodes: [NodeID: ImageNode]) {
    self.nodes = nodes
  }

  /// Lays one micro-operation over it; `number` is that of the operation in its log.
  mutating func apply(
    _ operation: MicroOperation, number: Int, made: [NodeID: ImageNode]
  ) {
    switch operation.kind {
    case .data(let id, let extent):
      change(id, made) { node in
        node.pieces.append(.data(extent, number: number))
        node.take(operation.attributes, of: number)
      }
    case .size(let id, let byteCount):
      change(id, made) { node in
        if byteCount < node.byteCount { node.pieces.append(.cut(byteCount)) }
        node.byteCount = byteCount
        node.take(operation.attributes, of: number)
      }
    case .cut(let id, let byteCount):
      change(id, made) { node in
        guard byteCount < node.byteCount else { return }
        node.pieces.append(.cut(byteCount))
        node.byteCount = byteCount
      }
    case .entry(let folder, let key, let entry):
      change(folder, made) { node in
        node.entries[key] = entry
        node.take(operation.attributes, of: number)
      }
    case .attributes(let id): change(id, made) { $0.take(operation.attributes, of: number) }
    }
  }

  private mutating func change(
    _ id: NodeID, _ made: [NodeID: ImageNode], _ body: (inout ImageNode) -> Void
  ) {
    guard var node = nodes[id] ?? made[id] else { return }
    body(&node)
    nodes[id] = node
  }

  /// The inode, also one of which nothing but its name was written.
  func node(_ id: NodeID, _ made: [NodeID: ImageNode]) -> ImageNode? { nodes[id] ?? made[id] }

  /// Makes one file of all that was written to it, so that later states share it.
  mutating func flatten(_ id: NodeID) { nodes[id]?.flatten() }

  /// A number for what can be seen from the root: names, kinds, modes, sizes, times of files, and
  /// which writes their bytes come from. Times of folders do not count.
  func fingerprint(_ made: [NodeID: ImageNode]) -> UInt64 {
    fingerprint(of: MemoryVolume.rootID, made, above: [])
  }

  private func fingerprint(
    of id: NodeID, _ made: [NodeID: ImageNode], above: Set<NodeID>
  ) -> UInt64 {
    guard let node = node(id, made) else { return 0 }
    var hash = Fingerprint(id)
    hash.mix(UInt64(node.state.mode))
    if node.kind != .directory {
      hash.mix(UInt64(bitPattern: node.state.modification))
      hash.mix(node.contentKey)
      return hash.value
    }
    var sum: UInt64 = 0
    for entry in node.entries.values where !above.contains(entry.node) {
      var one = Fingerprint(Fingerprint.of(entry.name))
      one.mix(fingerprint(of: entry.node, made, above: above.union([id])))
      sum &+= one.value
    }
    hash.mix(sum)
    return hash.value
  }
}

/// One inode of an image.
struct ImageNode {
  let kind: TreeEntry.Kind
  let linkText: BytePath?
  let inode: UInt64
  /// Attributes, and the bytes below `pieces`.
  private(set) var state: FileState
  var byteCount: UInt64
  /// What was written over the bytes, in order.
  var pieces: [Piece] = []
  var entries: [BytePath: DirectoryEntry] = [:]
  /// Says where the bytes below `pieces` come from.
  private var baseKey: UInt64
  /// The number of the operation that the attributes come from.
  private var lastStamp = -1

  enum Piece {
    /// The number of the operation, so that equal contents have equal keys.
    case data(Extent, number: Int)
    case cut(UInt64)
  }

  init(_ node: Node, _ state: FileState) {
    kind = node.kind
    linkText = node.linkText
    inode = node.inode
    self.state = state
    byteCount = state.bytes.byteCount
    baseKey = node.id
  }

  /// A journal may have written later attributes than those that a size brings.
  mutating func take(_ attributes: FileState?, of number: Int) {
    guard let attributes, number > lastStamp else { return }
    state.takeAttributes(of: attributes)
    lastStamp = number
  }

  /// Equal for equal bytes of the same inode in one recording.
  var contentKey: UInt64 {
    var hash = Fingerprint(piecesKey)
    hash.mix(byteCount)
    return hash.value
  }

  private var piecesKey: UInt64 {
    if pieces.isEmpty { return baseKey }
    var hash = Fingerprint(resuming: baseKey)
    for piece in pieces {
      switch piece {
      case .cut(let byteCount): hash.mix(~byteCount)
      case .data(let extent, let number):
        guard extent.offset < byteCount else { continue }
        hash.mix(UInt64(number))
        hash.mix(min(extent.end, byteCount))
        for range in extent.lost { hash.mix(range.offset ^ range.count) }
      }
    }
    return hash.value
  }

  /// The bytes as they stand.
  var bytes: FileBytes {
    var bytes = state.bytes
    for piece in pieces {
      switch piece {
      case .cut(let count): if count < bytes.byteCount { bytes.truncate(to: count) }
      case .data(let extent, _): write(extent, to: &bytes)
      }
    }
    if bytes.byteCount != byteCount { bytes.truncate(to: byteCount) }
    return bytes
  }

  private func write(_ extent: Extent, to bytes: inout FileBytes) {
    guard extent.offset < byteCount else { return }
    let end = min(extent.end, byteCount)
    let kept = extent.lost.isEmpty ? nil : bytes
    if let held = extent.bytes {
      bytes.lay(held, count: Int(end - extent.offset))
    } else {
      bytes.clear(
        ByteRange(offset: extent.offset, count: end - extent.offset), deallocates: true)
    }
    for range in extent.lost {
      let first = max(range.offset, extent.offset)
      let last = min(range.offset + range.count, end)
      if first < last {
        bytes.restore(ByteRange(offset: first, count: last - first), from: kept)
      }
    }
  }

  /// Everything that was written becomes what lies below; not while something waits for its size.
  mutating func flatten() {
    if pieces.isEmpty { return }
    for case .data(let extent, _) in pieces where extent.end > byteCount { return }
    let key = piecesKey
    state.bytes = bytes
    pieces = []
    baseKey = key
  }
}

/// Mixes numbers into one, the same in every process.
struct Fingerprint {
  private(set) var value: UInt64

  init(_ seed: UInt64) {
    value = seed
    mix(0x9e37_79b9_7f4a_7c15)
  }

  /// Goes on where another stopped.
  init(resuming value: UInt64) {
    self.value = value
  }

  mutating func mix(_ number: UInt64) {
    var mixed = value &* 0x9e37_79b9_7f4a_7c15 &+ number
    mixed = (mixed ^ (mixed >> 32)) &* 0xd6e8_feb8_6659_fd93
    mixed = (mixed ^ (mixed >> 29)) &* 0xbf58_476d_1ce4_e5b9
    value = mixed ^ (mixed >> 32)
  }

  static func of(_ name: BytePath) -> UInt64 {
    name.bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
  }
}
