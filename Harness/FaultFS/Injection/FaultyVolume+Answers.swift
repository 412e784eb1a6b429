import FaultModel
import Glibc
import SystemIO

/// Effects that only change an answer: `report`, `hide`, `duplicate`, `stale`, and the listing that
/// stops.
extension FaultyVolume {
  /// The changed answer, its rule counted; nil when nothing of it changes.
  func amend(
    _ reply: Reply, _ strike: Strike, _ call: Request.Call, _ address: Address
  ) -> Reply? {
    switch (strike.rule.rule.effect, reply) {
    case (.report(.stat(_, let field, let value)), .attributes(var attributes)):
      guard attributes.set(field, value) else { return nil }
      injector.struck(strike)
      return .attributes(attributes)
    case (.report(.stat(_, let field, let value)), .entry(var attributes)):
      // One stat(2) asks twice; the lookup follows the answer to stat and is not counted.
      guard attributes.set(field, value) else { return nil }
      return .entry(attributes)
    case (.report(.statfs(_, let field, let value)), .statistics(var statistics)):
      guard statistics.set(field, value) else { return nil }
      injector.struck(strike)
      return .statistics(statistics)
    case (.report(.lseek(_, let hole, let range)), _):
      guard let changed = seek(reply, call, hole: hole, range) else { return nil }
      injector.struck(strike)
      return changed
    case (.stale(let operation, _, _), _):
      return stale(operation, reply, strike, call)
    case (.hide, .listing), (.duplicate, .listing), (.report(.readdir), .listing):
      return amendListing(reply, strike, call, address)
    default: return nil
    }
  }

  // MARK: Holes

  /// The answer of lseek if the range were a hole, or data.
  private func seek(
    _ reply: Reply, _ call: Request.Call, hole: Bool, _ range: ByteRange
  ) -> Reply? {
    guard case .lseek(let node, let handle, let offset, let whence) = call,
      let size = store.attributes(of: node)?.byteCount, offset < size
    else { return nil }
    let end = min(range.offset + range.count, size)
    let isInside = offset >= range.offset && offset < end
    let seeksHole = whence == MemoryVolume.seekHole
    let truth: UInt64? = if case .offset(let found) = reply { found } else { nil }
    let claimed: UInt64?
    if seeksHole == hole {
      // What is looked for is found at the range at the latest.
      guard isInside || (offset < range.offset && range.offset < end) else { return nil }
      claimed = min(truth ?? .max, max(offset, range.offset))
    } else {
      // What is looked for is not in the range.
      guard let truth, truth >= range.offset, truth < end else { return nil }
      if end >= size {
        claimed = seeksHole ? size : nil
      } else if case .offset(let next) = store.perform(
        .lseek(node, handle, offset: end, whence: whence))
      {
        claimed = next
      } else {
        claimed = nil
      }
    }
    if claimed == truth { return nil }
    return claimed.map { .offset($0) } ?? .error(Errno(rawValue: ENXIO))
  }

  // MARK: Listings

  private func amendListing(
    _ reply: Reply, _ strike: Strike, _ call: Request.Call, _ address: Address
  ) -> Reply? {
    guard case .listing(var entries) = reply, let matcher = strike.rule.matcher,
      case .readdir(let folder, let handle, _, let count) = call
    else { return nil }
    let rule = strike.rule
    var changed = false
    let passes = UInt64(track(folder).passes)
    // A hidden entry must not end the listing early: the next ones take its place.
    while true {
      var kept: [ListedEntry] = []
      for entry in entries {
        let name = Address.Name(folder: folder, name: entry.name)
        let position = listedPosition(handle, entry, in: entries)
        guard entry.name != ".", entry.name != "..", isNamed(matcher, name),
          rule.rule.clauses.entry.map({ $0 == position }) ?? true,
          isStruck(rule, folder, entry.name, passes)
        else {
          kept.append(entry)
          continue
        }
        changed = true
        kept += amended(entry, rule.rule.effect)
      }
      if kept.isEmpty, let last = entries.last, changed,
        case .listing(let more) = store.perform(
          .readdir(folder, handle, offset: last.nextOffset, count: count)), !more.isEmpty
      {
        entries = more
        continue
      }
      return changed ? .listing(fitting(kept, count)) : nil
    }
  }

  private func amended(_ entry: ListedEntry, _ effect: Effect) -> [ListedEntry] {
    switch effect {
    case .hide: return []
    case .duplicate: return [entry, entry]
    case .report(.readdir(_, let field, let value)):
      var other = entry
      if field == "type" { other.kind = TreeEntry.Kind(rawValue: value) }
      if field == "ino", let number = UInt64(value) { other.inode = number }
      return [other]
    default: return [entry]
    }
  }

  private func isNamed(_ matcher: TargetMatcher, _ name: Address.Name) -> Bool {
    guard let node = store.child(of: name.folder, named: name.name) else { return false }
    return matches(matcher, node)
  }

  private func listedPosition(
    _ handle: HandleID, _ entry: ListedEntry, in entries: [ListedEntry]
  ) -> Int {
    let before = entries.prefix { $0.nextOffset != entry.nextOffset }
      .count { $0.name != "." && $0.name != ".." }
    return (handles[handle]?.listedCount ?? 0) + before + 1
  }

  /// One strike for each entry and listing; a listing that is asked for in parts stays one.
  private func isStruck(
    _ rule: ArmedRule, _ folder: NodeID, _ name: BytePath, _ listing: UInt64
  ) -> Bool {
    guard let node = store.child(of: folder, named: name) else { return false }
    if rule.listings[node] == listing { return true }
    guard rule.hasStrikesLeft(node) else { return false }
    rule.listings[node] = listing
    injector.struck(Strike(rule: rule, key: node))
    return true
  }

  /// What fits into the caller's buffer; a pair is not torn apart.
  private func fitting(_ entries: [ListedEntry], _ count: Int) -> [ListedEntry] {
    var room = count
    var fits: [ListedEntry] = []
    for entry in entries {
      room -= MemoryVolume.listedByteCount(entry.name)
      if room < 0 { break }
      fits.append(entry)
    }
    if fits.count < entries.count, let next = entries.dropFirst(fits.count).first,
      fits.count > 1, fits.last?.nextOffset == next.nextOffset
    {
      fits.removeLast()
    }
    return fits
  }

  /// The entries before the one at which a listing stops.
  func entriesBefore(_ limit: Int, _ reply: Reply, _ handle: HandleID?) -> Reply {
    guard case .listing(let entries) = reply else { return reply }
    var room = limit - (handle.flatMap { handles[$0]?.listedCount } ?? 0)
    return .listing(
      entries.prefix { entry in
        if entry.name == "." || entry.name == ".." { return true }
        room -= 1
        return room >= 0
      })
  }
}

extension Effect {
  /// The request is carried out as it is; only its answer changes.
  var isAnswerOnly: Bool {
    switch self {
    case .hide, .duplicate, .report, .stale: true
    default: false
    }
  }
}

extension Attributes {
  /// Sets a field of stat by the name that scripts use; false when it stands so, or cannot be set.
  fileprivate mutating func set(_ field: String, _ value: String) -> Bool {
    func put<Value: Equatable>(_ path: WritableKeyPath<Attributes, Value>, _ new: Value?) -> Bool {
      guard let new, self[keyPath: path] != new else { return false }
      self[keyPath: path] = new
      return true
    }
    func putOwner(_ path: WritableKeyPath<Attributes, UInt32?>, _ new: UInt32?) -> Bool {
      guard let new else { return false }
      self[keyPath: path] = new
      return true
    }
    return switch field {
    case "size": put(\.byteCount, UInt64(value))
    case "blocks": put(\.blocks, UInt64(value))
    case "mode": put(\.mode, UInt16(value))
    case "type": put(\.kind, TreeEntry.Kind(rawValue: value))
    case "nlink": put(\.linkCount, UInt32(value))
    case "ino": put(\.inode, UInt64(value))
    case "uid": putOwner(\.uid, UInt32(value))
    case "gid": putOwner(\.gid, UInt32(value))
    case "mtime": put(\.modification, Int64(value))
    case "atime": put(\.access, Int64(value))
    case "ctime": put(\.change, Int64(value))
    default: false
    }
  }
}

extension Statistics {
  fileprivate mutating func set(_ field: String, _ value: UInt64) -> Bool {
    let before = self
    switch field {
    case "free": freeBlocks = value / UInt64(blockSize)
    case "total": blocks = value / UInt64(blockSize)
    case "files": files = value
    case "free-files": freeFiles = value
    case "namemax": longestName = UInt32(clamping: value)
    default: return false
    }
    return before.freeBlocks != freeBlocks || before.blocks != blocks || before.files != files
      || before.freeFiles != freeFiles || before.longestName != longestName
  }
}
