import FaultModel
import SystemIO

/// Which rules strike a request.
extension FaultyVolume {
  func decide(_ address: Address, _ call: Request.Call, _ decision: inout Decision) {
    for rule in rules where rule.isArmed && !rule.bits.isDisjoint(with: address.bits) {
      guard matches(rule, address), rule.isOpen, injector.hasProgress(rule, address, on: self),
        isCalled(rule, address), isInPass(rule, address), isEvicted(rule, address)
      else { continue }
      if rule.followsStat, address.operation == .lookup { continue }
      let key = address.struck
      var strike = Strike(rule: rule, key: key, bytes: nil)
      switch bytes(of: rule, address) {
      case .none: continue
      case .all: break
      case .some(let range): strike.bytes = range
      case .behind(let offset):
        if rule.hasStrikesLeft(key) { decision.cut = min(decision.cut ?? offset, offset) }
        continue
      }
      let goesOn = rule.isStale && continues(rule, address)
      guard goesOn || rule.picks(injector.counted(address)) && rule.hasStrikesLeft(key) else {
        continue
      }
      decision.strikes.append(strike)
    }
    if let cut = decision.cut { Self.clip(&decision.strikes, at: cut) }
  }

  /// The next part of a listing whose first part was struck.
  private func continues(_ rule: ArmedRule, _ address: Address) -> Bool {
    guard address.operation == .readdir, let node = address.node else { return false }
    return rule.listings[node] == UInt64(track(node).passes)
  }

  /// What a cut keeps away is not struck.
  private static func clip(_ strikes: inout [Strike], at end: UInt64) {
    strikes = strikes.compactMap { strike in
      guard let bytes = strike.bytes else { return strike }
      guard bytes.offset < end else { return nil }
      var clipped = strike
      clipped.bytes = ByteRange(
        offset: bytes.offset, count: min(bytes.count, end - bytes.offset))
      return clipped
    }
  }

  // MARK: Targets

  func matches(_ rule: ArmedRule, _ address: Address) -> Bool {
    guard let matcher = rule.matcher else { return true }
    switch rule.rule.effect {
    case .hide, .duplicate, .report(.readdir): return true
    default: return matches(matcher, address, rule.rule.clauses.renameSide)
    }
  }

  /// A rename is matched by either name, a link by the inode and by the new name.
  func matches(
    _ matcher: TargetMatcher, _ address: Address, _ side: Clauses.RenameSide? = nil
  ) -> Bool {
    if matcher.isWholeVolume { return true }
    let isRename = address.newName != nil
    if !(isRename && side == .new) {
      if let node = address.node, matches(matcher, node) { return true }
      if let name = address.name, matches(matcher, name) { return true }
    }
    if side != .old, let name = address.newName, matches(matcher, name) { return true }
    return false
  }

  func matches(_ matcher: TargetMatcher, _ node: NodeID) -> Bool {
    let track = located(node)
    return matcher.matches(
      track, paths: track.paths, keys: track.keys, sources: finalSources(track))
  }

  private func matches(_ matcher: TargetMatcher, _ name: Address.Name) -> Bool {
    let path = path(name)
    let key = store.names.key(ofPath: path)
    return matcher.matches(path: path, key: key, source: finalNames[key], label: label(name))
  }

  func matches(_ matcher: TargetMatcher, _ moment: Moment) -> Bool {
    if let node = moment.node, matches(matcher, node) { return true }
    guard let source = moment.source else { return false }
    let path = injector.sources.files[source].path
    return matcher.matches(
      path: path, key: store.names.key(ofPath: path), source: source, label: nil)
  }

  // MARK: Clauses

  private enum Bytes {
    /// The request does not touch the rule's bytes.
    case none
    /// The rule has no say about bytes.
    case all
    case some(ByteRange)
    /// The rule's bytes begin inside the request, and what lies before them goes through.
    case behind(UInt64)
  }

  private func bytes(of rule: ArmedRule, _ address: Address) -> Bytes {
    let clauses = rule.rule.clauses
    guard let asked = address.range, address.operation != .lseek else {
      return clauses.from == nil && clauses.range == nil ? .all : .none
    }
    let end = asked.offset + asked.count
    let first = max(clauses.from ?? 0, clauses.range?.offset ?? 0)
    let last = clauses.range.map { $0.offset + $0.count } ?? .max
    // A request for no bytes, or one that a range does not bound, is struck where it stands.
    guard first < max(end, asked.offset + 1), last > asked.offset else { return .none }
    if case .fail = rule.rule.effect {
      if let from = clauses.from, from > asked.offset { return .behind(from) }
      return .all
    }
    let start = max(first, asked.offset)
    return .some(ByteRange(offset: start, count: min(end, last) - min(start, min(end, last))))
  }

  /// `by`; a close is the writer's unless it says otherwise.
  private func isCalled(_ rule: ArmedRule, _ address: Address) -> Bool {
    let wanted = rule.rule.clauses.by
    if wanted == nil, address.operation != .close { return true }
    guard let handle = address.handle, let opened = handles[handle] else { return wanted == nil }
    switch wanted {
    case .reader: return !opened.isWriter
    case nil, .writer: return opened.isWriter
    case .handle(let number): return opened.ordinal == number
    }
  }

  private func isInPass(_ rule: ArmedRule, _ address: Address) -> Bool {
    guard let pass = rule.rule.clauses.pass else { return true }
    switch address.operation {
    case .read:
      return address.handle.flatMap { handles[$0]?.pass } == pass
    case .readdir:
      return address.node.map { track($0).passes } == pass
    default: return true
    }
  }

  /// With a cache in the kernel a read that reaches us for bytes that went through it before
  /// follows an eviction; without one every read does.
  private func isEvicted(_ rule: ArmedRule, _ address: Address) -> Bool {
    guard rule.rule.clauses.afterEviction, cache != .none else { return true }
    guard let node = address.node, let range = address.range else { return false }
    return range.offset < track(node).touchedEnd
  }
}
