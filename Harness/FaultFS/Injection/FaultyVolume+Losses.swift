import FaultModel
import SystemIO

/// What is acknowledged and never happens, and what happens and never lasts.
extension FaultyVolume {
  /// Acknowledges without doing. Where the answer needs an inode (create, mkdir, link, ...) it is
  /// made and loses its name at once.
  func drop(_ call: Request.Call, _ address: Address, _ strike: Strike) -> Reply? {
    switch call {
    case .write: return dropBytes(call, strike)
    case .receive(let node, let handle, let offset, let data):
      return dropBytes(.write(node, handle, offset: offset, data: data), strike)
    case .copyFileRange(let from, _, let start, let to, let handle, let offset, let count):
      let held = store.bytes(of: from, at: start, count: Int(clamping: min(count, Self.copyLimit)))
      return held.withUnsafeBytes {
        dropBytes(.write(to, handle, offset: offset, data: $0), strike)
      }
    case .fsync(let node, _, _), .fsyncdir(let node, _):
      return store.hasUnsynced(node) ? .done : nil
    case .setattr(let node, _, let change):
      guard let before = store.attributes(of: node), change.changes(before) else { return nil }
      return .attributes(before)
    case .unlink(_, _), .rmdir(_, _): return address.node == nil ? nil : .done
    case .rename: return address.node == nil ? nil : .done
    case .fallocate, .setxattr, .removexattr: return .done
    case .create, .mknod, .mkdir, .symlink, .link: return makeNameless(call, address)
    default: return nil
    }
  }

  private func dropBytes(_ call: Request.Call, _ strike: Strike) -> Reply? {
    guard let struck = strike.bytes, case .write(_, _, let offset, let data) = call else {
      return nil
    }
    // A copy may find fewer bytes than it was asked for.
    let end = min(struck.offset + struck.count, offset + UInt64(data.count))
    guard end > struck.offset else { return nil }
    return write(
      call, without: ByteRange(offset: struck.offset, count: end - struck.offset))
  }

  /// The most bytes of one copyrange that is done in part.
  private static let copyLimit: UInt64 = 1 << 20

  private func makeNameless(_ call: Request.Call, _ address: Address) -> Reply? {
    guard let name = address.name, store.child(of: name.folder, named: name.name) == nil else {
      return nil
    }
    let reply = store.perform(call)
    if case .error = reply { return nil }
    if case .mkdir = call {
      _ = store.perform(.rmdir(parent: name.folder, name: name.name))
    } else {
      _ = store.perform(.unlink(parent: name.folder, name: name.name))
    }
    nameStamp += 1
    return reply
  }

  /// Done in the volatile layer, never durable.
  func lose(_ call: Request.Call, _ address: Address, _ strike: Strike) -> Reply? {
    switch call {
    case .fsync(let node, _, _), .fsyncdir(let node, _):
      guard store.hasUnsynced(node) else { return nil }
      store.loseUnsynced(node)
      return .done
    default: break
    }
    let reply = store.perform(call)
    if case .error = reply { return nil }
    switch call {
    case .write(let node, _, _, _), .receive(let node, _, _, _),
      .copyFileRange(_, _, _, let node, _, _, _):
      if let struck = strike.bytes { store.lose(node, struck) }
    case .setattr(let node, _, let change):
      if change.byteCount == nil { store.loseAttributes(node) } else { store.loseUnsynced(node) }
    case .setxattr(let node, _, _, _), .removexattr(let node, _): store.loseAttributes(node)
    case .fallocate(let node, _, _, _, _): store.loseUnsynced(node)
    default:
      for name in [address.name, address.newName].compactMap({ $0 }) {
        store.loseName(name.name, in: name.folder)
      }
    }
    return reply
  }
}

extension AttributeChange {
  /// False when everything it sets stands so already.
  func changes(_ before: Attributes) -> Bool {
    if let mode, mode & 0o7777 != before.mode & 0o7777 { return true }
    if let byteCount, byteCount != before.byteCount { return true }
    return differs(access, before.access) || differs(modification, before.modification)
  }

  private func differs(_ time: Time?, _ before: Int64) -> Bool {
    switch time {
    case nil: false
    case .now: true
    case .at(let nanoseconds): nanoseconds != before
    }
  }
}
