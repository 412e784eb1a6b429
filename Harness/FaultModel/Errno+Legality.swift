import Glibc
public import SystemIO

extension Operation {
  /// The errors that this operation can answer on Linux (its manual page, section 2, and what
  /// disk, FUSE and network file systems are known to give). A rule that wants another one says
  /// `forced`.
  public var legalErrnos: [Errno] {
    (Self.device + ownErrnos).map(Errno.init(rawValue:))
  }

  /// Lost media, lost servers and lost memory can strike any operation.
  private static let device = [
    EIO, ENODEV, ENXIO, ENOTCONN, ESTALE, ETIMEDOUT, EHOSTDOWN, EREMOTEIO, ENOMEDIUM,
    ECONNABORTED, ENOMEM,
  ]
  private static let space = [ENOSPC, EDQUOT]
  private static let protection = [EACCES, EPERM, EROFS]
  private static let naming = [ENAMETOOLONG, EINVAL, EILSEQ, ENOENT, ENOTDIR, ELOOP]
  private static let missing = [ENOSYS, ENOTSUP]

  private var ownErrnos: [CInt] {
    switch self {
    case .lookup: Self.naming + [EACCES]
    case .stat: [EACCES, ENOENT, EOVERFLOW, EINTR]
    case .setattr, .setattrMode, .setattrTimes, .setattrSize:
      Self.space + Self.protection + Self.missing + [EINVAL, EFBIG, ETXTBSY, EINTR, EISDIR]
    case .create:
      Self.space + Self.protection + Self.naming
        + [EEXIST, EISDIR, EMFILE, ENFILE, EINTR, ENOTSUP, EOVERFLOW, EBUSY]
    case .open:
      Self.protection
        + [EINTR, EISDIR, EMFILE, ENFILE, ENOENT, ENOTDIR, ETXTBSY, EOVERFLOW, EBUSY, ELOOP]
        + [EINVAL, EAGAIN, ENOTSUP]
    case .read: [EINTR, EISDIR, EINVAL, EACCES, ENODATA]
    case .write: Self.space + Self.protection + [EFBIG, EINTR, EINVAL]
    case .close: Self.space + [EINTR, EFBIG, EACCES, EROFS]
    case .fsync, .fsyncdir: Self.space + [EINTR, EINVAL, EROFS, EACCES, ENOTSUP]
    case .mkdir, .mknod, .symlink:
      Self.space + Self.protection + Self.naming + Self.missing + [EEXIST, EMLINK, EINTR]
    case .unlink, .rmdir:
      Self.space + Self.protection + Self.naming + [EBUSY, EISDIR, ENOTEMPTY, ETXTBSY, EINTR]
    case .rename, .link:
      Self.space + Self.protection + Self.naming + Self.missing
        + [EEXIST, EMLINK, EXDEV, EBUSY, EINTR, EISDIR, ENOTEMPTY]
    case .readlink: [EACCES, EINVAL, ENOENT]
    case .readdir: [EACCES, EINTR, EINVAL, ENOENT, ENOTDIR, EOVERFLOW]
    case .statfs: [EACCES, EINTR, ENOSYS, EOVERFLOW]
    case .access: Self.protection + [ENOENT, ENOSYS]
    case .xattr:
      Self.space + Self.protection + Self.missing + [ENODATA, ERANGE, E2BIG, EEXIST, ENAMETOOLONG]
    case .lseek: [EINVAL, EOVERFLOW, ENOSYS]
    case .fallocate:
      Self.space + Self.missing + [EFBIG, EINTR, EINVAL, EPERM, EROFS, ETXTBSY]
    case .copyrange:
      Self.space + Self.missing
        + [EFBIG, EINTR, EINVAL, EISDIR, EOVERFLOW, EPERM, EROFS, ETXTBSY, EXDEV]
    case .lock: [EAGAIN, EACCES, EDEADLK, EINTR, ENOLCK, ENOSYS, EINVAL]
    case .ioctl: Self.missing + [ENOTTY, EINVAL, EPERM, EACCES, EFAULT, EINTR]
    }
  }

  /// Every name that a rule may write behind `with`.
  static let knownErrnoNames: [String] =
    Set(allCases.flatMap { $0.legalErrnos.compactMap(\.name) }).sorted()

  /// True for operations that change something: only these can be `performed`.
  public var changesSomething: Bool {
    switch self {
    case .setattr, .setattrMode, .setattrTimes, .setattrSize, .create, .write, .close, .fsync,
      .fsyncdir, .mkdir, .mknod, .unlink, .rmdir, .rename, .link, .symlink, .xattr, .fallocate,
      .copyrange:
      true
    default: false
    }
  }

  /// True when the answer must carry a new inode: such an operation cannot be dropped.
  var makesInode: Bool { [.create, .mkdir, .mknod, .symlink].contains(self) }

  /// True when nothing stands under a `~` identity yet.
  var comesBeforeContent: Bool { makesInode }

  /// True for operations that come with an open file's handle.
  var hasHandle: Bool {
    switch self {
    case .stat, .setattr, .setattrMode, .setattrTimes, .setattrSize, .read, .write, .close, .fsync,
      .fsyncdir, .readdir, .lseek, .fallocate, .copyrange, .lock, .ioctl:
      true
    default: false
    }
  }

  /// True when the operation can be acknowledged and left undone.
  var canBeDropped: Bool { changesSomething && !makesInode && self != .close }

  /// True for operations with a byte offset.
  var hasOffset: Bool { [.read, .write, .copyrange, .fallocate, .lseek].contains(self) }

  /// True for operations that answer something which can be out of date.
  var canBeStale: Bool {
    [.lookup, .stat, .read, .readdir, .statfs, .xattr].contains(self)
  }

  /// True when the loss of it on the medium has a meaning.
  var canBeLost: Bool {
    changesSomething && ![.close, .fsync, .fsyncdir].contains(self)
  }
}
