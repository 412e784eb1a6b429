import FaultModel
import SystemIO

/// What strikes no request: volumes that fill up or go away, files that somebody changes, signals.
extension Injector {
  func carryOut(_ rule: ArmedRule) -> Bool {
    switch rule.rule.effect {
    case .full(let name): return change(name) { $0.store.isFull = true }
    case .readOnly(let name): return change(name) { $0.store.isReadOnly = true }
    case .clock(let name, let milliseconds):
      return change(name) { $0.store.moveClock(milliseconds: milliseconds) }
    case .eject(let name):
      return change(name) { volume in
        volume.goOut()
        record(.ejected, name, "")
        host.eject(volume: name)
      }
    case .insert(let name, let other):
      return change(name) { _ in
        record(.inserted, name, "")
        host.insert(volume: name, other: other)
      }
    case .remount(let name):
      return change(name) { volume in
        volume.goOut()
        record(.remounted, name, "")
        host.remount(volume: name)
      }
    case .crash(let names, let keep): return crash(names, keep)
    case .swapInode(let target, let bytes): return swap(target, bytes)
    case .change(let target, let change, let restoreTimes):
      return self.change(target, change, restoreTimes)
    case .killSubject, .terminateSubject, .stopSubject, .limitSubject:
      return isRunning && strikeSubject(rule.rule.effect)
    default: return false
    }
  }

  private func change(_ name: String, _ body: (FaultyVolume) -> Void) -> Bool {
    guard let volume = volume(name) else { return false }
    body(volume)
    return true
  }

  private func strikeSubject(_ effect: Effect) -> Bool {
    switch effect {
    case .killSubject:
      record(.killed, "", "")
      host.killSubject()
    case .terminateSubject:
      record(.terminated, "", "")
      host.terminateSubject()
    case .stopSubject(let milliseconds):
      record(.stopped, "", "")
      host.stopSubject(milliseconds: milliseconds)
    case .limitSubject(let limit, let value): return host.limitSubject(limit, value)
    default: return false
    }
    return true
  }

  /// Where a target's file has its name: the final one if it has several.
  private func place(_ target: Target) -> (volume: FaultyVolume, path: BytePath)? {
    guard let volume = volume(target.volume) else { return nil }
    let matcher = compiler.matcher(target)
    if case .path(let path) = target.subject { return (volume, path) }
    if matcher.path != nil, case .glob(let path) = target.subject {
      return (volume, BytePath(path))
    }
    guard let node = volume.find(matcher) else { return nil }
    let track = volume.located(node)
    let final = zip(track.paths, track.keys).first { volume.finalNames[$0.1] != nil }?.0
    return (final ?? track.paths.first).map { (volume, $0) }
  }

  private func swap(_ target: Target, _ bytes: SwapBytes) -> Bool {
    guard let (volume, path) = place(target), (try? volume.store.act(.swap(bytes), at: path)) != nil
    else { return false }
    volume.nameStamp += 1
    record(.swapped, volume.name, path)
    noticeChange(volume, path)
    return true
  }

  private func change(_ target: Target, _ change: Change, _ restoreTimes: Bool) -> Bool {
    guard let (volume, path) = place(target),
      (try? volume.store.act(.change(change, restoreTimes: restoreTimes), at: path)) != nil
    else { return false }
    volume.nameStamp += 1
    record(.changed, volume.name, path)
    noticeChange(volume, path)
    return true
  }

  /// What a subject copies from now on is what stands there now.
  private func noticeChange(_ volume: FaultyVolume, _ path: BytePath) {
    guard volume.isSource, let file = sources.index(of: path),
      let node = volume.store.node(at: path)
    else { return }
    let planned = sources.files[file].content
    let size = volume.store.attributes(of: node)?.byteCount ?? 0
    var offset: UInt64 = 0
    let step = 1 << 20
    while offset < size {
      let now = volume.store.bytes(of: node, at: offset, count: step)
      if now.isEmpty { break }
      if now != planned.bytes(at: offset, count: now.count) {
        sources.differs(file, at: offset, now)
      }
      offset += UInt64(now.count)
    }
  }
}
