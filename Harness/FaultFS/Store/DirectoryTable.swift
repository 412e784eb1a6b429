import FaultModel
import SystemIO

/// One entry of a folder.
struct DirectoryEntry {
  /// As it is listed.
  var name: BytePath
  var node: NodeID
  /// Its place in listings: entries are listed in the order in which they were made.
  var cookie: UInt64
}

/// The entries of a folder on both layers.
///
/// Keys are folded names. Only the keys that changed since the last barrier are remembered, so that
/// a barrier costs what changed and not what the folder holds.
struct DirectoryTable {
  private(set) var entries: [BytePath: DirectoryEntry] = [:]
  private(set) var durable: [BytePath: DirectoryEntry] = [:]
  /// Keys whose entry is not what the durable layer holds.
  private(set) var pending: Set<BytePath> = []
  /// Keys whose entry never becomes durable, until it changes again.
  private(set) var lost: Set<BytePath> = []
  /// Cookies in order, with their keys.
  private var order: [(cookie: UInt64, key: BytePath)] = []
  private var nextCookie = DirectoryTable.firstCookie

  /// Smaller ones belong to `.` and `..`.
  static let firstCookie: UInt64 = 3

  var isEmpty: Bool { entries.isEmpty }
  /// True when a barrier would make something durable.
  var hasPending: Bool { pending.contains { !lost.contains($0) } }

  mutating func insert(_ key: BytePath, name: BytePath, node: NodeID) {
    remove(key)
    entries[key] = DirectoryEntry(name: name, node: node, cookie: nextCookie)
    order.append((nextCookie, key))
    nextCookie += 1
    touch(key)
  }

  @discardableResult
  mutating func remove(_ key: BytePath) -> DirectoryEntry? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    if let place = place(of: entry.cookie), place < order.count, order[place].cookie == entry.cookie
    {
      order.remove(at: place)
    }
    touch(key)
    return entry
  }

  /// Points an entry at another node; name and place stay.
  mutating func repoint(_ key: BytePath, to node: NodeID) {
    entries[key]?.node = node
    touch(key)
  }

  /// The entry never becomes durable as it is now.
  mutating func lose(_ key: BytePath) { lost.insert(key) }

  mutating func loseAllPending() { lost.formUnion(pending) }

  /// Makes the pending entries durable and returns the nodes that lost and won a durable entry.
  mutating func commit() -> (removed: [NodeID], added: [NodeID]) {
    var removed: [NodeID] = []
    var added: [NodeID] = []
    let ready = lost.isEmpty ? pending : pending.subtracting(lost)
    for key in ready {
      if let old = durable[key] { removed.append(old.node) }
      durable[key] = entries[key]
      if let new = entries[key] { added.append(new.node) }
    }
    pending.subtract(ready)
    return (removed, added)
  }

  /// Puts the volatile entries back to the durable ones.
  mutating func revert() {
    entries = durable
    order = durable.map { ($0.value.cookie, $0.key) }.sorted { $0.cookie < $1.cookie }
    pending = []
    lost = []
  }

  /// Calls `body` with the entries after `cookie` in order until it returns false.
  func list(after cookie: UInt64, _ body: (DirectoryEntry) -> Bool) {
    var index = place(of: cookie + 1) ?? order.count
    while index < order.count {
      if let entry = entries[order[index].key], !body(entry) { return }
      index += 1
    }
  }

  private mutating func touch(_ key: BytePath) {
    pending.insert(key)
    lost.remove(key)
  }

  /// The first place whose cookie is not smaller; nil when there is none.
  private func place(of cookie: UInt64) -> Int? {
    var low = 0
    var high = order.count
    while low < high {
      let middle = (low + high) / 2
      if order[middle].cookie < cookie { low = middle + 1 } else { high = middle }
    }
    return low < order.count ? low : nil
  }
}
