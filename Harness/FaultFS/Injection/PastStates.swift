import FaultModel
import Glibc
import SystemIO

/// What stood on a volume before the last change of each thing: `stale` answers with it.
struct PastStates {
  /// What was written over, by file; the newest last.
  private var pieces: [NodeID: [Piece]] = [:]
  private(set) var attributes: [NodeID: Attributes] = [:]
  /// What a name led to; nil within for a name that was free.
  private(set) var names: [Name: NodeID?] = [:]
  /// The names of a folder that its last change touched, with what was listed.
  private(set) var listings: [NodeID: [(name: BytePath, entry: ListedEntry?)]] = [:]
  private(set) var extendedAttributes: [NodeID: [BytePath: Reply]] = [:]
  private(set) var statistics: Statistics?

  /// More pieces of one file are forgotten, the oldest first.
  private static let pieceLimit = 65_536

  struct Name: Hashable {
    let folder: NodeID
    let key: BytePath
  }

  /// Bytes that were written over.
  struct Piece {
    let range: ByteRange
    /// nil where nothing was written before: zeros.
    let bytes: [UInt8]?

    /// Puts its bytes, zeros where it has none, over a part; false when nothing differs.
    func lay(over part: UnsafeMutableRawBufferPointer, from start: Int) -> Bool {
      guard let base = part.baseAddress else { return false }
      var old = [UInt8](repeating: 0, count: part.count)
      if let bytes, start < bytes.count {
        let held = bytes[start..<min(bytes.count, start + part.count)]
        old.replaceSubrange(..<held.count, with: held)
      }
      if memcmp(base, old, part.count) == 0 { return false }
      part.copyBytes(from: old)
      return true
    }

    /// True when it would change a part.
    func differs(from part: UnsafeRawBufferPointer, from start: Int) -> Bool {
      guard let base = part.baseAddress, !part.isEmpty else { return false }
      var held = 0
      if let bytes, start < bytes.count {
        held = min(bytes.count - start, part.count)
        let isSame = bytes[start...].withUnsafeBytes { old in
          old.baseAddress.map { memcmp(base, $0, held) == 0 } ?? true
        }
        if !isSame { return true }
      }
      // Zeros are equal to themselves one byte on.
      let rest = part.count - held
      if rest == 0 { return false }
      return part[held] != 0 || memcmp(base + held, base + held + 1, rest - 1) != 0
    }
  }

  /// What a request is about to change, as it stands.
  struct Before {
    var piece: (node: NodeID, piece: Piece)?
    var attributes: [Attributes] = []
    var names: [(name: Name, folder: NodeID, text: BytePath, node: NodeID?, entry: ListedEntry?)] =
      []
    var extended: (node: NodeID, name: BytePath, value: Reply)?
    var statistics: Statistics?
  }

  // MARK: Keeping

  /// What stands before a request that changes something; nil for one that does not.
  func before(_ call: Request.Call, _ address: Address, on store: any Volume) -> Before? {
    guard address.operation.changesSomething, address.operation != .fsync,
      address.operation != .fsyncdir, address.operation != .close
    else { return nil }
    var before = Before()
    if let node = address.node, let held = store.attributes(of: node) {
      before.attributes.append(held)
    }
    if let range = Self.changed(call, address, store), let node = address.node {
      let bytes = store.bytes(of: node, at: range.offset, count: Int(clamping: range.count))
      before.piece = (node, Piece(range: range, bytes: bytes.isEmpty ? nil : bytes))
    }
    for name in [address.name, address.newName].compactMap({ $0 }) {
      before.names.append(Self.look(name, store))
      if let folder = store.attributes(of: name.folder) { before.attributes.append(folder) }
    }
    switch call {
    case .setxattr(let node, let name, _, _), .removexattr(let node, let name):
      before.extended = (
        node, name, store.perform(.getxattr(node, name: name, count: Self.largestAttribute))
      )
    default: break
    }
    if case .statistics(let held) = store.perform(.statfs(MemoryVolume.rootID)) {
      before.statistics = held
    }
    return before
  }

  private static let largestAttribute = 65_536

  /// The bytes that a request writes over; what is cut off was there before.
  private static func changed(
    _ call: Request.Call, _ address: Address, _ store: any Volume
  ) -> ByteRange? {
    switch call {
    case .write, .receive, .copyFileRange, .fallocate: return address.range
    case .setattr(let node, _, let change):
      guard let end = change.byteCount, let size = store.attributes(of: node)?.byteCount,
        end < size
      else { return nil }
      return ByteRange(offset: end, count: size - end)
    default: return nil
    }
  }

  private static func look(
    _ name: Address.Name, _ store: any Volume
  ) -> (name: Name, folder: NodeID, text: BytePath, node: NodeID?, entry: ListedEntry?) {
    let node = store.child(of: name.folder, named: name.name)
    let entry = node.flatMap { store.attributes(of: $0) }.map {
      ListedEntry(name: name.name, inode: $0.inode, kind: $0.kind, nextOffset: 0)
    }
    let key = Name(folder: name.folder, key: store.names.key(name.name))
    return (key, name.folder, name.name, node, entry)
  }

  /// The request succeeded: what stood before it is the past now.
  mutating func keep(_ before: Before, after reply: Reply) {
    if case .error = reply { return }
    if let (node, piece) = before.piece {
      pieces[node, default: []].append(piece)
      if pieces[node, default: []].count > Self.pieceLimit { pieces[node]?.removeFirst() }
    }
    for held in before.attributes { attributes[held.node] = held }
    for folder in Set(before.names.map(\.folder)) { listings[folder] = [] }
    for held in before.names {
      names[held.name] = .some(held.node)
      listings[held.folder]?.append((held.text, held.entry))
    }
    if let (node, name, value) = before.extended {
      extendedAttributes[node, default: [:]][name] = value
    }
    if let statistics = before.statistics { self.statistics = statistics }
  }

  // MARK: Answering

  /// The pieces that lie in a range of a file, with what each covers of it.
  private func overlaps(
    _ node: NodeID, _ offset: UInt64, _ count: Int, _ range: ByteRange,
    _ body: (Piece, _ part: Range<Int>, _ start: Int) -> Bool
  ) {
    guard let pieces = pieces[node] else { return }
    for piece in pieces {
      let first = max(offset, range.offset, piece.range.offset)
      let last = min(
        offset + UInt64(count), range.offset + range.count,
        piece.range.offset + piece.range.count)
      guard first < last else { continue }
      let part = Int(first - offset)..<Int(last - offset)
      if !body(piece, part, Int(first - piece.range.offset)) { return }
    }
  }

  /// True when bytes of a file are others than before its last change.
  func differ(_ bytes: UnsafeRawBufferPointer, at offset: UInt64, of node: NodeID) -> Bool {
    var found = false
    let range = ByteRange(offset: offset, count: UInt64(bytes.count))
    overlaps(node, offset, bytes.count, range) { piece, part, start in
      found = piece.differs(from: UnsafeRawBufferPointer(rebasing: bytes[part]), from: start)
      return !found
    }
    return found
  }

  /// Puts the old bytes over those of a read; false when nothing differs.
  func lay(
    over bytes: UnsafeMutableRawBufferPointer, at offset: UInt64, of node: NodeID,
    within range: ByteRange
  ) -> Bool {
    var changed = false
    overlaps(node, offset, bytes.count, range) { piece, part, start in
      if piece.lay(over: UnsafeMutableRawBufferPointer(rebasing: bytes[part]), from: start) {
        changed = true
      }
      return true
    }
    return changed
  }
}
