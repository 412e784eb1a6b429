import CFuseShims
import FaultModel
import SystemIO

extension Request {
  /// The request as the C side flattened it. `data` keeps pointing into the receive buffer.
  init(_ raw: ff_request) {
    unique = raw.unique
    thread = raw.thread
    call = Self.call(raw)
    switch raw.operation {
    case .flush: lockOwner = LockOwner(id: raw.owner, isWhole: false)
    case .release where raw.fields & ff_lock_whole.rawValue != 0:
      lockOwner = LockOwner(id: raw.owner, isWhole: true)
    default: lockOwner = nil
    }
  }

  private static func call(_ raw: ff_request) -> Call {
    let handle = raw.has_handle != 0 ? raw.handle : nil
    switch raw.operation {
    case .lookup: return .lookup(parent: raw.node, name: BytePath(cString: raw.name))
    case .getattr: return .getattr(raw.node, handle: handle)
    case .setattr: return .setattr(raw.node, handle: handle, AttributeChange(raw))
    case .readlink: return .readlink(raw.node)
    case .unlink: return .unlink(parent: raw.node, name: BytePath(cString: raw.name))
    case .rmdir: return .rmdir(parent: raw.node, name: BytePath(cString: raw.name))
    case .mknod, .mkdir, .create, .symlink, .link, .rename: return naming(raw)
    case .open: return .open(raw.node, flags: raw.flags)
    case .opendir: return .opendir(raw.node)
    case .release: return .release(raw.node, raw.handle)
    case .releasedir: return .releasedir(raw.node, raw.handle)
    case .flush: return .flush(raw.node, raw.handle)
    case .fsync: return .fsync(raw.node, raw.handle, dataOnly: raw.flags != 0)
    case .fsyncdir: return .fsyncdir(raw.node, raw.handle)
    case .read, .write, .readdir, .lseek, .fallocate, .copyrange: return transfer(raw)
    case .statfs: return .statfs(raw.node)
    case .setxattr, .getxattr, .listxattr, .removexattr: return attribute(raw)
    case .access: return .access(raw.node, mask: raw.flags)
    case .ioctl: return .ioctl(raw.node, raw.handle, command: UInt32(bitPattern: raw.flags))
    case .setlock: return .lock(raw.node, raw.handle, LockRequest(raw))
    case .getlock: return .lockTest(raw.node, raw.handle, LockRequest(raw))
    case .forget: return .forget(raw.node, lookups: raw.count)
    }
  }

  /// Calls that make or move a name.
  private static func naming(_ raw: ff_request) -> Call {
    let name = BytePath(cString: raw.name)
    switch raw.operation {
    case .mknod: return .mknod(parent: raw.node, name: name, mode: raw.mode)
    case .mkdir: return .mkdir(parent: raw.node, name: name, mode: raw.mode)
    case .create: return .create(parent: raw.node, name: name, mode: raw.mode, flags: raw.flags)
    case .symlink:
      return .symlink(parent: raw.node, name: name, text: BytePath(cString: raw.other_name))
    case .link:
      return .link(
        raw.node, newParent: raw.other_node, newName: BytePath(cString: raw.other_name))
    default:
      return .rename(
        parent: raw.node, name: name, newParent: raw.other_node,
        newName: BytePath(cString: raw.other_name), flags: UInt32(bitPattern: raw.flags))
    }
  }

  /// Calls on a handle at an offset. The kernel bounds every count to what fits an Int.
  private static func transfer(_ raw: ff_request) -> Call {
    let count = Int(clamping: raw.count)
    switch raw.operation {
    case .read: return .read(raw.node, raw.handle, offset: raw.offset, count: count)
    case .write:
      let data = UnsafeRawBufferPointer(start: raw.data, count: raw.data == nil ? 0 : count)
      return .write(raw.node, raw.handle, offset: raw.offset, data: data)
    case .readdir: return .readdir(raw.node, raw.handle, offset: raw.offset, count: count)
    case .lseek: return .lseek(raw.node, raw.handle, offset: raw.offset, whence: raw.flags)
    case .fallocate:
      return .fallocate(
        raw.node, raw.handle, mode: raw.flags, offset: raw.offset, count: raw.count)
    default:
      return .copyFileRange(
        raw.node, raw.handle, offset: raw.offset, to: raw.other_node, raw.other_handle,
        toOffset: raw.other_offset, count: raw.count)
    }
  }

  private static func attribute(_ raw: ff_request) -> Call {
    let name = BytePath(cString: raw.name)
    let count = Int(clamping: raw.count)
    switch raw.operation {
    case .setxattr:
      let value = UnsafeRawBufferPointer(start: raw.data, count: raw.data == nil ? 0 : count)
      return .setxattr(raw.node, name: name, value: [UInt8](value), flags: raw.flags)
    case .getxattr: return .getxattr(raw.node, name: name, count: count)
    case .listxattr: return .listxattr(raw.node, count: count)
    default: return .removexattr(raw.node, name: name)
    }
  }
}

extension LockRequest {
  fileprivate init(_ raw: ff_request) {
    let isWhole = raw.fields & ff_lock_whole.rawValue != 0
    let (end, isBeyond) = raw.offset.addingReportingOverflow(raw.count)
    self.init(
      owner: LockOwner(id: raw.owner, isWhole: isWhole), type: Int32(raw.mode),
      range: raw.offset..<(raw.count == 0 || isBeyond ? .max : end),
      process: Int32(truncatingIfNeeded: raw.other_node),
      waits: raw.fields & ff_lock_waits.rawValue != 0)
  }
}

extension AttributeChange {
  fileprivate init(_ raw: ff_request) {
    func has(_ field: ff_field) -> Bool { raw.fields & field.rawValue != 0 }
    if has(ff_field_mode) { mode = UInt16(raw.mode & 0o7777) }
    if has(ff_field_uid) { uid = raw.uid }
    if has(ff_field_gid) { gid = raw.gid }
    if has(ff_field_size) { byteCount = raw.count }
    if has(ff_field_atime_now) {
      access = .now
    } else if has(ff_field_atime) {
      access = .at(raw.atime)
    }
    if has(ff_field_mtime_now) {
      modification = .now
    } else if has(ff_field_mtime) {
      modification = .at(raw.mtime)
    }
  }
}
