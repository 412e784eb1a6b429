import CLinuxShims
import Glibc

/// Whether a descriptor reads, writes or does both.
public enum FileAccess: Sendable {
  case readOnly, writeOnly, readWrite

  var flags: CInt {
    switch self {
    case .readOnly: return O_RDONLY
    case .writeOnly: return O_WRONLY
    case .readWrite: return O_RDWR
    }
  }
}

/// Flags of open(2). Close-on-exec is always set.
public struct OpenOptions: OptionSet, Sendable {
  public let rawValue: CInt

  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// A symbolic link in the last component fails (ELOOP), except with `pathOnly`.
  public static let noFollow = OpenOptions(rawValue: ls_o_nofollow)
  /// Creates a missing file.
  public static let create = OpenOptions(rawValue: O_CREAT)
  /// Creates the file and fails when the name exists, as a link too (EEXIST).
  public static let exclusiveCreate = OpenOptions(rawValue: O_CREAT | O_EXCL)
  /// Empties an existing file.
  public static let truncate = OpenOptions(rawValue: O_TRUNC)
  /// Every write goes to the end.
  public static let append = OpenOptions(rawValue: O_APPEND)
  /// Bypasses the page cache; buffers, offsets and lengths must be aligned.
  public static let direct = OpenOptions(rawValue: ls_o_direct)
  /// Fails on anything but a directory (ENOTDIR).
  public static let directory = OpenOptions(rawValue: ls_o_directory)
  /// A handle for a place in the tree, without read or write (O_PATH).
  public static let pathOnly = OpenOptions(rawValue: ls_o_path)
  /// Opening a FIFO does not wait for its other end, and reads do not wait for bytes.
  public static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)

  func flags(_ access: FileAccess) -> CInt {
    let path = contains(.pathOnly) ? 0 : access.flags
    return rawValue | path | ls_o_cloexec
  }
}
