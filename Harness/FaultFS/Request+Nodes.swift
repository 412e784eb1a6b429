extension Request.Call {
  /// The node that the call is on.
  var node: NodeID {
    switch self {
    case .lookup(let node, _), .getattr(let node, _), .setattr(let node, _, _),
      .readlink(let node), .mknod(let node, _, _), .mkdir(let node, _, _),
      .unlink(let node, _), .rmdir(let node, _), .symlink(let node, _, _),
      .rename(let node, _, _, _, _), .link(let node, _, _), .open(let node, _),
      .create(let node, _, _, _), .read(let node, _, _, _), .write(let node, _, _, _),
      .flush(let node, _), .release(let node, _), .fsync(let node, _, _), .opendir(let node),
      .readdir(let node, _, _, _), .releasedir(let node, _), .fsyncdir(let node, _),
      .statfs(let node), .setxattr(let node, _, _, _), .getxattr(let node, _, _),
      .listxattr(let node, _), .removexattr(let node, _), .access(let node, _),
      .lseek(let node, _, _, _), .fallocate(let node, _, _, _, _),
      .copyFileRange(let node, _, _, _, _, _, _), .forget(let node, _), .ioctl(let node, _, _),
      .receive(let node, _, _, _), .lock(let node, _, _), .lockTest(let node, _, _):
      return node
    }
  }

  /// The second node of a call that has two.
  var otherNode: NodeID? {
    switch self {
    case .rename(_, _, let node, _, _), .link(_, let node, _),
      .copyFileRange(_, _, _, let node, _, _, _):
      return node
    default: return nil
    }
  }

  /// The call with other numbers for its nodes and handles.
  func mapped(_ map: (UInt64) -> UInt64) -> Request.Call {
    switch self {
    case .lookup(let node, let name): .lookup(parent: map(node), name: name)
    case .getattr(let node, let handle): .getattr(map(node), handle: handle.map(map))
    case .setattr(let node, let handle, let change):
      .setattr(map(node), handle: handle.map(map), change)
    case .readlink(let node): .readlink(map(node))
    case .mknod(let node, let name, let mode): .mknod(parent: map(node), name: name, mode: mode)
    case .mkdir(let node, let name, let mode): .mkdir(parent: map(node), name: name, mode: mode)
    case .unlink(let node, let name): .unlink(parent: map(node), name: name)
    case .rmdir(let node, let name): .rmdir(parent: map(node), name: name)
    case .symlink(let node, let name, let text):
      .symlink(parent: map(node), name: name, text: text)
    case .rename(let node, let name, let other, let newName, let flags):
      .rename(
        parent: map(node), name: name, newParent: map(other), newName: newName, flags: flags)
    case .link(let node, let other, let newName):
      .link(map(node), newParent: map(other), newName: newName)
    case .open(let node, let flags): .open(map(node), flags: flags)
    case .create(let node, let name, let mode, let flags):
      .create(parent: map(node), name: name, mode: mode, flags: flags)
    case .statfs(let node): .statfs(map(node))
    case .access(let node, let mask): .access(map(node), mask: mask)
    case .forget(let node, let lookups): .forget(map(node), lookups: lookups)
    case .setxattr(let node, let name, let value, let flags):
      .setxattr(map(node), name: name, value: value, flags: flags)
    case .getxattr(let node, let name, let count): .getxattr(map(node), name: name, count: count)
    case .listxattr(let node, let count): .listxattr(map(node), count: count)
    case .removexattr(let node, let name): .removexattr(map(node), name: name)
    case .opendir(let node): .opendir(map(node))
    default: mappedTransfer(map)
    }
  }

  /// Calls on a handle.
  private func mappedTransfer(_ map: (UInt64) -> UInt64) -> Request.Call {
    switch self {
    case .read(let node, let handle, let offset, let count):
      .read(map(node), map(handle), offset: offset, count: count)
    case .write(let node, let handle, let offset, let data):
      .write(map(node), map(handle), offset: offset, data: data)
    case .receive(let node, let handle, let offset, let data):
      .receive(map(node), map(handle), offset: offset, data: data)
    case .ioctl(let node, let handle, let command):
      .ioctl(map(node), map(handle), command: command)
    case .lock(let node, let handle, let lock): .lock(map(node), map(handle), lock)
    case .lockTest(let node, let handle, let lock): .lockTest(map(node), map(handle), lock)
    case .flush(let node, let handle): .flush(map(node), map(handle))
    case .release(let node, let handle): .release(map(node), map(handle))
    case .fsync(let node, let handle, let dataOnly):
      .fsync(map(node), map(handle), dataOnly: dataOnly)
    case .readdir(let node, let handle, let offset, let count):
      .readdir(map(node), map(handle), offset: offset, count: count)
    case .releasedir(let node, let handle): .releasedir(map(node), map(handle))
    case .fsyncdir(let node, let handle): .fsyncdir(map(node), map(handle))
    case .lseek(let node, let handle, let offset, let whence):
      .lseek(map(node), map(handle), offset: offset, whence: whence)
    case .fallocate(let node, let handle, let mode, let offset, let count):
      .fallocate(map(node), map(handle), mode: mode, offset: offset, count: count)
    case .copyFileRange(
      let node, let handle, let offset, let to, let toHandle, let toOffset,
      let count):
      .copyFileRange(
        map(node), map(handle), offset: offset, to: map(to), map(toHandle), toOffset: toOffset,
        count: count)
    default: self
    }
  }
}
