import FaultModel
import SystemIO

/// `stale`: answers as they were before the last change.
extension FaultyVolume {
  /// The old answer, its rule counted; nil when there is none, or when it would be the same.
  func stale(
    _ operation: FaultModel.Operation, _ reply: Reply, _ strike: Strike, _ call: Request.Call
  ) -> Reply? {
    guard let past else { return nil }
    switch (operation, call) {
    case (.read, .read(let node, _, let offset, _)):
      return counted(strike, oldBytes(reply, node, offset, strike, past))
    case (.stat, .getattr(let node, _)):
      guard case .attributes(let now) = reply else { return nil }
      let old = past.attributes[node].flatMap { now.older($0) }
      return counted(strike, old.map { .attributes($0) })
    case (.stat, .lookup):
      guard case .entry(let now) = reply else { return nil }
      return past.attributes[now.node].flatMap { now.older($0) }.map { .entry($0) }
    case (.lookup, .lookup(let folder, let name)):
      return counted(strike, oldName(reply, folder, name, past))
    case (.readdir, .readdir(let folder, _, let offset, let count)):
      guard case .listing(let entries) = reply,
        let old = oldListing(entries, call, folder, isFirst: offset == 0, count, past)
      else { return nil }
      // A listing that is asked for in parts is one strike.
      let listing = UInt64(track(folder).passes)
      if strike.rule.listings[folder] != listing {
        strike.rule.listings[folder] = listing
        injector.struck(strike)
      }
      return .listing(old)
    case (.statfs, .statfs):
      guard case .statistics(let now) = reply, let old = past.statistics,
        old.freeBlocks != now.freeBlocks
      else { return nil }
      return counted(strike, .statistics(old))
    case (.xattr, .getxattr(let node, let name, let count)):
      return counted(strike, oldAttribute(reply, node, name, count, past))
    default: return nil
    }
  }

  private func counted(_ strike: Strike, _ reply: Reply?) -> Reply? {
    if reply != nil { injector.struck(strike) }
    return reply
  }

  private func oldBytes(
    _ reply: Reply, _ node: NodeID, _ offset: UInt64, _ strike: Strike, _ past: PastStates
  ) -> Reply? {
    guard case .data(let data) = reply, !data.isEmpty else { return nil }
    let buffer = injector.buffer(data.count)
    buffer.copyMemory(from: data)
    let range = strike.bytes ?? ByteRange(offset: offset, count: UInt64(data.count))
    guard past.lay(over: buffer, at: offset, of: node, within: range) else { return nil }
    if isSource, let file = finalSources(located(node)).first {
      injector.sources.differs(file, at: offset, Array(buffer))
    }
    return .data(UnsafeRawBufferPointer(buffer))
  }

  /// A name that came is not there yet, and one that went still is.
  private func oldName(
    _ reply: Reply, _ folder: NodeID, _ name: BytePath, _ past: PastStates
  ) -> Reply? {
    let key = PastStates.Name(folder: folder, key: store.names.key(name))
    guard let old = past.names[key] else { return nil }
    if case .entry(let now) = reply {
      if now.node == old { return nil }
      // The kernel never gets this reference.
      _ = store.perform(.forget(now.node, lookups: 1))
    }
    guard let old else {
      if case .error = reply { return nil }
      return .error(.noSuchFile)
    }
    return store.entry(of: old)
  }

  /// The entries without what came and with what went; nil when that is what they are.
  func oldListing(
    _ listed: [ListedEntry], _ call: Request.Call, _ folder: NodeID, isFirst: Bool, _ count: Int,
    _ past: PastStates
  ) -> [ListedEntry]? {
    guard let changes = past.listings[folder] else { return nil }
    var entries = listed
    var changed = false
    for (name, old) in changes {
      let key = store.names.key(name)
      if old == nil {
        let before = entries.count
        entries.removeAll { store.names.key($0.name) == key }
        changed = changed || entries.count < before
      } else if var old, isFirst, store.child(of: folder, named: name) == nil,
        let last = entries.last
      {
        old.nextOffset = last.nextOffset
        let used = (entries + [old]).reduce(0) { $0 + MemoryVolume.listedByteCount($1.name) }
        guard used <= count else { continue }
        entries.append(old)
        changed = true
      }
    }
    guard changed else { return nil }
    // What is left out must not end the listing early.
    if entries.isEmpty, let last = listed.last, case .readdir(_, let handle, _, _) = call,
      case .listing(let more) = store.perform(
        .readdir(folder, handle, offset: last.nextOffset, count: count))
    {
      return more
    }
    return entries
  }

  private func oldAttribute(
    _ reply: Reply, _ node: NodeID, _ name: BytePath, _ count: Int, _ past: PastStates
  ) -> Reply? {
    switch past.extendedAttributes[node]?[name] {
    case .text(let old):
      if case .text(let now) = reply, now == old { return nil }
      if count == 0 { return .size(old.count) }
      return old.count > count ? nil : .text(old)
    case .error(let errno):
      if case .error = reply { return nil }
      return .error(errno)
    default: return nil
    }
  }
}

extension Attributes {
  /// These attributes with what an older state had otherwise; nil when it had nothing.
  func older(_ old: Attributes) -> Attributes? {
    guard
      old.byteCount != byteCount || old.modification != modification || old.mode != mode
        || old.linkCount != linkCount || old.blocks != blocks
    else { return nil }
    var shown = old
    shown.node = node
    shown.inode = inode
    return shown
  }
}
