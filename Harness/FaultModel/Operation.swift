/// A file-system operation as a rule names it (FaultScripts/README.md).
///
/// RELEASE and FORGET are not addressable, since the kernel sends them when it likes; syncfs, sync
/// and FIEMAP never reach a FUSE file system.
public enum Operation: String, CaseIterable, Sendable, Codable {
  case lookup
  case stat
  case setattr
  case setattrMode = "setattr.mode"
  case setattrTimes = "setattr.times"
  case setattrSize = "setattr.size"
  case create
  case open
  case read
  case write
  case close
  case fsync
  case fsyncdir
  case mkdir
  case mknod
  case unlink
  case rmdir
  case rename
  case link
  case symlink
  case readlink
  case readdir
  case statfs
  case access
  case xattr
  case lseek
  case fallocate
  case copyrange
  case lock
  case ioctl
}
