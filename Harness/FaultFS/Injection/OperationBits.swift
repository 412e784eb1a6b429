import FaultModel
import SystemIO

/// A set of operations as one word.
struct OperationBits: OptionSet {
  let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(_ operation: Operation) {
    rawValue = 1 << operation.place
  }

  init(_ operations: some Sequence<Operation>) {
    self = operations.reduce(into: []) { $0.insert(OperationBits($1)) }
  }

  static let setattrMode = OperationBits(.setattrMode)
  static let setattrTimes = OperationBits(.setattrTimes)
  static let setattrSize = OperationBits(.setattrSize)
}

/// What a request is about: its operation, and the inode, names and bytes that rules look at.
struct Address {
  let operation: Operation
  let bits: OperationBits
  /// The inode; nil for a name that does not exist.
  var node: NodeID?
  /// The name that a name operation takes; the new one of a link.
  var name: Name?
  /// The new name of a rename.
  var newName: Name?
  var range: ByteRange?
  var handle: HandleID?
  /// Where the bytes of a copyrange come from.
  var source: (node: NodeID, offset: UInt64)?

  struct Name {
    let folder: NodeID
    let name: BytePath
  }

  private init(_ operation: Operation, _ bits: OperationBits? = nil, node: NodeID? = nil) {
    self.operation = operation
    self.bits = bits ?? OperationBits(operation)
    self.node = node
  }

  private init(_ operation: Operation, _ folder: NodeID, _ name: BytePath, _ store: MemoryVolume) {
    self.init(operation, node: store.child(of: folder, named: name))
    self.name = Name(folder: folder, name: name)
  }

  private init(
    _ operation: Operation, _ node: NodeID, _ handle: HandleID?, _ range: ByteRange? = nil
  ) {
    self.init(operation, node: node)
    self.handle = handle
    self.range = range
  }

  /// nil for requests that no rule can address.
  init?(_ call: Request.Call, on store: MemoryVolume) {
    switch call {
    case .lookup(let folder, let name): self.init(.lookup, folder, name, store)
    case .getattr(let node, let handle): self.init(.stat, node, handle)
    case .setattr(let node, let handle, let change):
      var bits = OperationBits(.setattr)
      if change.mode != nil { bits.insert(.setattrMode) }
      if change.access != nil || change.modification != nil { bits.insert(.setattrTimes) }
      if change.byteCount != nil { bits.insert(.setattrSize) }
      self.init(.setattr, bits, node: node)
      self.handle = handle
    case .readlink(let node): self.init(.readlink, node: node)
    case .mknod(let folder, let name, _): self.init(.mknod, folder, name, store)
    case .mkdir(let folder, let name, _): self.init(.mkdir, folder, name, store)
    case .unlink(let folder, let name): self.init(.unlink, folder, name, store)
    case .rmdir(let folder, let name): self.init(.rmdir, folder, name, store)
    case .symlink(let folder, let name, _): self.init(.symlink, folder, name, store)
    case .rename(let folder, let name, let newFolder, let newName, _):
      self.init(.rename, folder, name, store)
      self.newName = Name(folder: newFolder, name: newName)
    case .link(let node, let folder, let name):
      self.init(.link, node: node)
      self.name = Name(folder: folder, name: name)
    case .open(let node, _), .opendir(let node): self.init(.open, node: node)
    case .create(let folder, let name, _, _): self.init(.create, folder, name, store)
    case .read(let node, let handle, let offset, let count):
      self.init(.read, node, handle, ByteRange(offset: offset, count: UInt64(count)))
    case .write(let node, let handle, let offset, let data):
      self.init(.write, node, handle, ByteRange(offset: offset, count: UInt64(data.count)))
    case .receive(let node, let handle, let offset, let data):
      self.init(.copyrange, node, handle, ByteRange(offset: offset, count: UInt64(data.count)))
    case .ioctl(let node, let handle, _): self.init(.ioctl, node, handle)
    case .lock(let node, let handle, _), .lockTest(let node, let handle, _):
      self.init(.lock, node, handle)
    case .flush(let node, let handle): self.init(.close, node, handle)
    case .release, .releasedir, .forget: return nil
    case .fsync(let node, let handle, _): self.init(.fsync, node, handle)
    case .readdir(let node, let handle, _, _): self.init(.readdir, node, handle)
    case .fsyncdir(let node, let handle): self.init(.fsyncdir, node, handle)
    case .statfs(let node): self.init(.statfs, node: node)
    case .setxattr(let node, _, _, _), .getxattr(let node, _, _), .listxattr(let node, _),
      .removexattr(let node, _):
      self.init(.xattr, node: node)
    case .access(let node, _): self.init(.access, node: node)
    case .lseek(let node, let handle, let offset, _):
      self.init(.lseek, node, handle, ByteRange(offset: offset, count: 1))
    case .fallocate(let node, let handle, _, let offset, let count):
      self.init(.fallocate, node, handle, ByteRange(offset: offset, count: count))
    case .copyFileRange(
      let source, _, let sourceOffset, let node, let handle, let offset, let count):
      self.init(.copyrange, node, handle, ByteRange(offset: offset, count: count))
      self.source = (source, sourceOffset)
    }
  }

  /// What `nth` and `every` are counted for: the inode, or the folder of a name that is new.
  var counted: UInt64 { node ?? name?.folder ?? 0 }

  /// What strikes once without a word of repetition: the inode, or the name that is new.
  var struck: UInt64 {
    if let node { return node }
    guard let name else { return 0 }
    var hasher = Hasher()
    hasher.combine(name.folder)
    hasher.combine(name.name)
    return UInt64(bitPattern: Int64(hasher.finalize())) | 1 << 63
  }
}

extension FaultModel.Operation {
  /// Its bit in a set. A search for it, or a hash of its name, would cost each request more than
  /// everything else that is decided for it.
  fileprivate var place: UInt64 {
    switch self {
    case .lookup: 0
    case .stat: 1
    case .setattr: 2
    case .setattrMode: 3
    case .setattrTimes: 4
    case .setattrSize: 5
    case .create: 6
    case .open: 7
    case .read: 8
    case .write: 9
    case .close: 10
    case .fsync: 11
    case .fsyncdir: 12
    case .mkdir: 13
    case .mknod: 14
    case .unlink: 15
    case .rmdir: 16
    case .rename: 17
    case .link: 18
    case .symlink: 19
    case .readlink: 20
    case .readdir: 21
    case .statfs: 22
    case .access: 23
    case .xattr: 24
    case .lseek: 25
    case .fallocate: 26
    case .copyrange: 27
    case .lock: 28
    case .ioctl: 29
    }
  }
}
