internal import CLinuxShims
import Glibc

/// A point in wall time since 1970, UTC.
public struct Timestamp: Hashable, Comparable, Sendable {
  public let seconds: Int64
  /// 0 to 999,999,999, counted forward also before 1970.
  public let nanoseconds: Int32

  public init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// The time `duration` later.
  public static func + (left: Timestamp, duration: Duration) -> Timestamp {
    let parts = duration.components
    let sum = Int64(left.nanoseconds) + parts.attoseconds / 1_000_000_000
    let carry = sum >= 1_000_000_000 ? 1 : sum < 0 ? -1 : Int64(0)
    return Timestamp(
      seconds: left.seconds + parts.seconds + carry,
      nanoseconds: Int32(sum - carry * 1_000_000_000))
  }

  var timespec: Glibc.timespec {
    Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
  }
}

/// What a directory entry is.
public enum FileKind: String, Hashable, Sendable, CaseIterable {
  case regular, directory, symlink, fifo, socket, character, block

  /// The kind in the type bits of a mode; nil for bits that no kernel of today gives.
  init?(mode: UInt32) {
    switch mode & 0o170000 {
    case 0o100000: self = .regular
    case 0o040000: self = .directory
    case 0o120000: self = .symlink
    case 0o010000: self = .fifo
    case 0o140000: self = .socket
    case 0o020000: self = .character
    case 0o060000: self = .block
    default: return nil
    }
  }

  /// The kind in `d_type` of getdents64(2), which holds a mode's type bits; nil for DT_UNKNOWN.
  init?(directoryType: UInt8) {
    self.init(mode: UInt32(directoryType) << 12)
  }
}

/// Which file a name or a descriptor stands for, as long as inode numbers last.
public struct FileIdentity: Hashable, Sendable {
  /// Major number in the upper, minor in the lower half.
  public let device: UInt64
  public let inode: UInt64

  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// What statx(2) tells about a file.
public struct Metadata: Hashable, Sendable {
  public let identity: FileIdentity
  public let kind: FileKind
  public let byteCount: Int64
  /// Bytes that the file takes on its device: less than `byteCount` for a file with holes.
  public let allocatedByteCount: Int64
  /// Permission bits with setuid, setgid and sticky.
  public let mode: UInt16
  public let linkCount: UInt32
  public let uid: UInt32
  public let gid: UInt32
  public let modification: Timestamp
  /// Change of the inode, ctime.
  public let change: Timestamp
  public let access: Timestamp
  /// nil where the file system keeps none.
  public let birth: Timestamp?
  /// As in /proc/self/mountinfo; nil before Linux 5.8.
  public let mountID: UInt64?

  public var device: UInt64 { identity.device }
  public var inode: UInt64 { identity.inode }

  init(_ raw: ls_metadata) {
    identity = FileIdentity(
      device: UInt64(raw.device_major) << 32 | UInt64(raw.device_minor), inode: raw.inode)
    // A kind that no kernel of today gives is shown as a device: nobody copies it.
    kind = FileKind(mode: raw.mode) ?? .character
    byteCount = raw.byte_count
    allocatedByteCount = raw.block_count * 512
    mode = UInt16(raw.mode & 0o7777)
    linkCount = raw.link_count
    uid = raw.uid
    gid = raw.gid
    modification = Self.time(raw.modified_seconds, raw.modified_nanoseconds)
    change = Self.time(raw.changed_seconds, raw.changed_nanoseconds)
    access = Self.time(raw.accessed_seconds, raw.accessed_nanoseconds)
    birth = raw.has_birth == 0 ? nil : Self.time(raw.born_seconds, raw.born_nanoseconds)
    mountID = raw.has_mount_id == 0 ? nil : raw.mount_id
  }

  private static func time(_ seconds: Int64, _ nanoseconds: UInt32) -> Timestamp {
    Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds % 1_000_000_000))
  }
}

/// Facts of a mounted file system (man 2 fstatfs).
public struct FileSystemStatistics: Hashable, Sendable {
  /// The number of linux/magic.h: 0xef53 ext, 0x2011bab0 exFAT, 0x65735546 FUSE.
  public let magic: UInt64
  public let blockSize: UInt64
  public let totalBytes: UInt64
  /// Free for root.
  public let freeBytes: UInt64
  /// Free for everybody: the number to plan with.
  public let availableBytes: UInt64
  public let totalFiles: UInt64
  public let freeFiles: UInt64
  /// Longest name in bytes; on exFAT and FAT the kernel counts other units.
  public let nameMax: UInt64
  public let isReadOnly: Bool

  init(_ raw: ls_statistics) {
    func bytes(_ blocks: UInt64) -> UInt64 {
      let (product, overflow) = blocks.multipliedReportingOverflow(by: raw.block_size)
      return overflow ? .max : product
    }
    magic = raw.magic
    blockSize = raw.block_size
    totalBytes = bytes(raw.blocks)
    freeBytes = bytes(raw.blocks_free)
    availableBytes = bytes(raw.blocks_available)
    totalFiles = raw.files
    freeFiles = raw.files_free
    nameMax = raw.name_max
    isReadOnly = raw.read_only != 0
  }
}
