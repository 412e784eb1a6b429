import FaultModel
import Glibc
import SystemIO

extension MemoryVolume: Served {
  func serve(_ request: Request) -> Settlement { .reply(perform(request.call)) }

  func perform(_ call: Request.Call) -> Reply {
    do throws(Errno) {
      return try answer(call)
    } catch {
      return .error(error)
    }
  }

  private func answer(_ call: Request.Call) throws(Errno) -> Reply {
    switch call {
    case .lookup(let parent, let name): return try lookUp(name, in: parent)
    case .getattr(let id, _): return .attributes(attributes(of: try node(id)))
    case .setattr(let id, _, let change): return try setAttributes(of: id, change)
    case .readlink(let id):
      guard let text = try node(id).linkText else { throw .invalid }
      return .text(text.bytes)
    case .mknod(let parent, let name, let mode): return try makeSpecial(name, in: parent, mode)
    case .mkdir(let parent, let name, let mode): return try makeFolder(name, in: parent, mode)
    case .unlink(let parent, let name): return try unlink(name, in: parent)
    case .rmdir(let parent, let name): return try removeFolder(name, in: parent)
    case .symlink(let parent, let name, let text):
      return try makeSymlink(name, in: parent, text)
    case .rename(let parent, let name, let newParent, let newName, let flags):
      return try rename(name, in: parent, to: newName, in: newParent, flags)
    case .link(let id, let parent, let name): return try link(id, name, in: parent)
    case .open(let id, let flags): return try open(id, flags)
    case .create(let parent, let name, let mode, let flags):
      return try create(name, in: parent, mode, flags)
    case .read(let id, _, let offset, let count): return try read(id, offset, count)
    case .write(let id, _, let offset, let data): return try write(id, offset, data)
    case .flush(let id, _):
      try tellLate(try node(id))
      return .done
    case .release(_, let handle), .releasedir(_, let handle):
      closeHandle(handle)
      return .done
    case .fsync(let id, _, _): return try sync(id)
    case .opendir(let id): return .opened(openHandle(try folder(id), flags: 0))
    case .readdir(let id, _, let offset, let count): return try list(id, offset, count)
    case .fsyncdir(let id, _): return try syncFolder(id)
    case .statfs: return .statistics(statistics)
    case .setxattr(let id, let name, let value, let flags):
      return try setExtended(id, name, value, flags)
    case .getxattr(let id, let name, let count): return try getExtended(id, name, count)
    case .listxattr(let id, let count): return try listExtended(id, count)
    case .removexattr(let id, let name): return try removeExtended(id, name)
    case .access(let id, let mask):
      let node = try node(id)
      // Not even root executes what nobody may.
      if mask & X_OK != 0, node.kind == .file, node.state.mode & 0o111 == 0 {
        throw .permissionDenied
      }
      if mask & W_OK != 0, isReadOnly { throw .readOnly }
      return .done
    case .lseek(let id, _, let offset, let whence): return try seek(id, offset, whence)
    case .fallocate(let id, _, let mode, let offset, let count):
      return try allocate(id, mode, ByteRange(offset: offset, count: count))
    case .copyFileRange(let source, _, let offset, let target, _, let targetOffset, let count):
      return try copy(source, offset, to: target, targetOffset, count)
    case .receive(let id, _, let offset, let data): return try write(id, offset, data)
    case .ioctl(let id, _, _):
      _ = try node(id)
      throw Errno(rawValue: ENOTTY)
    // Locks are the mount's (`LockTable`), not the medium's.
    case .lock, .lockTest: throw Errno(rawValue: ENOLCK)
    case .forget(let id, let lookups):
      forget(id, lookups)
      return .nothing
    }
  }

  private var statistics: Statistics {
    let limit: UInt32 =
      switch persona.names.limit {
      case .bytes(let count), .utf16Units(let count): UInt32(count)
      }
    return Statistics(
      blockSize: UInt32(Page.blockByteCount), blocks: capacityBlocks, freeBlocks: freeBlocks,
      files: 1 << 20, freeFiles: 1 << 19, longestName: limit, isReadOnly: isReadOnly)
  }

  /// The kernel gave references back. A number that lasts only as long as the inode is cached goes.
  private func forget(_ id: NodeID, _ lookups: UInt64) {
    guard let node = find(id), node.id != Self.rootID else { return }
    node.lookups -= min(node.lookups, lookups)
    guard node.lookups == 0, node.openHandles == 0 else { return }
    if case .perEviction = persona.inodes { node.inode = 0 }
    freeIfGone(node)
  }

  private func open(_ id: NodeID, _ flags: Int32) throws(Errno) -> Reply {
    let node = try node(id)
    let isWriting = flags & O_ACCMODE != O_RDONLY
    if node.kind == .directory, isWriting { throw .isDirectory }
    if isWriting, isReadOnly { throw .readOnly }
    if flags & O_TRUNC != 0, isWriting, node.kind == .file {
      tick()
      try setSize(node, to: 0)
    }
    return .opened(openHandle(node, flags: flags))
  }
}
