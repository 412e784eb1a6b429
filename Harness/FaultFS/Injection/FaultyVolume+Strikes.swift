import FaultModel
import Glibc
import SystemIO

/// Carries out a request with what strikes it.
extension FaultyVolume {
  func carryOut(
    _ request: Request, _ address: Address, _ decision: Decision
  ) -> (reply: Reply, rules: [Int]) {
    var call = request.call
    if let cut = decision.cut { call = call.cut(to: cut) }
    if decision.strikes.isEmpty { return (perform(call, address), []) }
    var rules: [Int] = []
    var reply: Reply?
    for strike in decision.strikes where reply == nil && !strike.rule.rule.effect.isAnswerOnly {
      guard let struck = self.strike(strike, call, address) else { continue }
      injector.struck(strike)
      rules.append(strike.rule.id)
      reply = struck
      if case .error(let errno) = struck {
        owe(errno, strike.rule.id, address, thread: request.thread)
      }
    }
    var answer = reply ?? listingEnd(perform(call, address), decision, address)
    for strike in decision.strikes where strike.rule.rule.effect.isAnswerOnly {
      if let changed = amend(answer, strike, call, address) {
        rules.append(strike.rule.id)
        answer = changed
      }
    }
    return (answer, rules)
  }

  private func perform(_ call: Request.Call, _ address: Address) -> Reply {
    address.operation == .lock ? answerLock(call) : store.perform(call)
  }

  /// The answer of a request under an effect; nil, and nothing done, when the effect would change
  /// nothing.
  private func strike(_ strike: Strike, _ call: Request.Call, _ address: Address) -> Reply? {
    switch strike.rule.rule.effect {
    case .fail(_, _, let errno, _, let kind): return fail(strike, call, address, errno, kind)
    case .short(_, _, let byteCount): return shorten(call, strike, byteCount)
    case .tornWrite(_, let byteCount): return tear(call, strike, byteCount ?? 512)
    case .corrupt(.read, _, let form): return corruptRead(call, strike, form)
    case .corrupt(.write, _, let form): return corruptWrite(call, strike, form)
    case .drop: return drop(call, address, strike)
    case .lose: return lose(call, address, strike)
    case .misdirectWrite(_, let place): return misdirect(call, strike, place)
    default: return nil
    }
  }

  // MARK: Fail

  /// nil where the failing entry of a listing is not reached yet.
  private func fail(
    _ strike: Strike, _ call: Request.Call, _ address: Address, _ errno: Errno, _ kind: FailureKind
  ) -> Reply? {
    if let entry = strike.rule.rule.clauses.entry, address.operation == .readdir,
      listed(address) < entry - 1
    {
      return nil
    }
    switch kind {
    case .plain: break
    case .performed:
      if case .created(let attributes, let handle) = store.perform(call) {
        // The kernel never learns of the handle.
        _ = store.perform(.release(attributes.node, handle))
        adoptUnseen(attributes.node, address)
      } else {
        nameStamp += 1
      }
    case .forgetting: if let node = address.node { store.loseUnsynced(node) }
    case .losing(let count): if let node = address.node { store.cutTail(of: node, by: count) }
    }
    return .error(errno)
  }

  /// A file that was made though the answer is an error.
  private func adoptUnseen(_ node: NodeID, _ address: Address) {
    nameStamp += 1
    if let name = address.name { track(node).label = label(name) }
  }

  /// A listing that is to fail at an entry ends before it.
  private func listingEnd(_ reply: Reply, _ decision: Decision, _ address: Address) -> Reply {
    for strike in decision.strikes {
      guard case .fail = strike.rule.rule.effect, let entry = strike.rule.rule.clauses.entry,
        address.operation == .readdir
      else { continue }
      return entriesBefore(entry - 1, reply, address.handle)
    }
    return reply
  }

  private func listed(_ address: Address) -> Int {
    address.handle.flatMap { handles[$0]?.listedCount } ?? 0
  }

  // MARK: Bytes

  /// Fewer bytes than asked: up to the rule's first byte and `byteCount` more, half when nil.
  private func shorten(_ call: Request.Call, _ strike: Strike, _ byteCount: UInt64?) -> Reply? {
    guard let asked = call.asked, let struck = strike.bytes else { return nil }
    let spared = struck.offset - asked.offset
    let limit = spared + (byteCount ?? max(1, struck.count / 2))
    guard limit < asked.count else { return nil }
    switch call {
    case .read:
      guard case .data(let data) = store.perform(call), UInt64(data.count) > limit else {
        return nil
      }
      return .data(UnsafeRawBufferPointer(rebasing: data[..<Int(limit)]))
    case .write, .copyFileRange, .receive:
      if limit == 0 { return .written(0) }
      return store.perform(call.cut(to: asked.offset + limit))
    default: return nil
    }
  }

  private func tear(_ call: Request.Call, _ strike: Strike, _ stored: UInt64) -> Reply? {
    guard let struck = strike.bytes, stored < struck.count else { return nil }
    let gone = ByteRange(offset: struck.offset + stored, count: struck.count - stored)
    return write(call, without: gone)
  }

  /// Writes all but a range and acknowledges all. An error of what is written is passed on.
  func write(_ call: Request.Call, without gone: ByteRange) -> Reply? {
    guard case .write(let node, let handle, let offset, let data) = call, gone.count > 0 else {
      return nil
    }
    let end = offset + UInt64(data.count)
    for part in [offset..<gone.offset, (gone.offset + gone.count)..<end] where !part.isEmpty {
      let slice = data[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]
      let reply = store.perform(
        .write(
          node, handle, offset: part.lowerBound, data: UnsafeRawBufferPointer(rebasing: slice)))
      guard case .written(let count) = reply, count == slice.count else { return reply }
    }
    return .written(data.count)
  }

  private func corruptRead(_ call: Request.Call, _ strike: Strike, _ form: Corruption) -> Reply? {
    guard case .read(let node, _, let offset, _) = call, let struck = strike.bytes,
      case .data(let data) = store.perform(call)
    else { return nil }
    let first = Int(struck.offset - offset)
    let last = min(data.count, first + Int(struck.count))
    guard first < last else { return nil }
    let buffer = injector.buffer(data.count)
    buffer.copyMemory(from: data)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[first..<last])
    guard form.apply(to: part, at: struck.offset) else { return nil }
    if isSource, let file = finalSources(located(node)).first {
      injector.sources.differs(file, at: struck.offset, Array(part))
    }
    return .data(UnsafeRawBufferPointer(buffer))
  }

  private func corruptWrite(_ call: Request.Call, _ strike: Strike, _ form: Corruption) -> Reply? {
    guard case .write(let node, let handle, let offset, let data) = call,
      let struck = strike.bytes, struck.count > 0
    else { return nil }
    let buffer = injector.buffer(data.count)
    buffer.copyMemory(from: data)
    let first = Int(struck.offset - offset)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[first..<first + Int(struck.count)])
    guard form.apply(to: part, at: struck.offset) else { return nil }
    let reply = store.perform(
      .write(node, handle, offset: offset, data: UnsafeRawBufferPointer(buffer)))
    if case .written = reply { record(.corrupted, node) }
    return reply
  }

  func record(_ kind: RigAct.Kind, _ node: NodeID) {
    for path in located(node).paths { injector.record(kind, name, path) }
  }

  private func misdirect(_ call: Request.Call, _ strike: Strike, _ place: Misdirection) -> Reply? {
    guard case .write(let node, _, let offset, let data) = call, let struck = strike.bytes,
      struck.count > 0
    else { return nil }
    let first = Int(struck.offset - offset)
    let part = UnsafeRawBufferPointer(rebasing: data[first..<first + Int(struck.count)])
    switch place {
    case .offset(let other):
      guard other != struck.offset, let reply = write(call, without: struck) else { return nil }
      store.overwrite(node, at: other, with: part)
      record(.misdirected, node)
      return reply
    case .target(let target):
      guard let volume = injector.volume(target.volume),
        let other = volume.find(injector.compiler.matcher(target)),
        volume !== self || other != node, let reply = write(call, without: struck)
      else { return nil }
      volume.store.overwrite(other, at: struck.offset, with: part)
      volume.record(.misdirected, other)
      return reply
    }
  }

  /// A file that a target names.
  func find(_ matcher: TargetMatcher) -> NodeID? {
    if let path = matcher.path { return store.node(at: path) }
    return tracks.all.first { matches(matcher, $0.node) }?.node
  }
}

extension Request.Call {
  /// The bytes of a transfer.
  fileprivate var asked: ByteRange? {
    switch self {
    case .read(_, _, let offset, let count): ByteRange(offset: offset, count: UInt64(count))
    case .write(_, _, let offset, let data), .receive(_, _, let offset, let data):
      ByteRange(offset: offset, count: UInt64(data.count))
    case .copyFileRange(_, _, _, _, _, let offset, let count):
      ByteRange(offset: offset, count: count)
    default: nil
    }
  }

  /// The same transfer, ended at `end`.
  func cut(to end: UInt64) -> Request.Call {
    switch self {
    case .read(let node, let handle, let offset, let count):
      .read(node, handle, offset: offset, count: min(count, Int(end - offset)))
    case .write(let node, let handle, let offset, let data):
      .write(
        node, handle, offset: offset,
        data: UnsafeRawBufferPointer(rebasing: data[..<min(data.count, Int(end - offset))]))
    case .receive(let node, let handle, let offset, let data):
      .receive(
        node, handle, offset: offset,
        data: UnsafeRawBufferPointer(rebasing: data[..<min(data.count, Int(end - offset))]))
    case .copyFileRange(
      let from, let fromHandle, let fromOffset, let to, let toHandle, let offset, let count):
      .copyFileRange(
        from, fromHandle, offset: fromOffset, to: to, toHandle, toOffset: offset,
        count: min(count, end - offset))
    default: self
    }
  }
}
