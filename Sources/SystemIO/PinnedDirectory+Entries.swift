import CLinuxShims
import Glibc

/// One name in a directory.
public struct DirectoryEntry: Hashable, Sendable {
  public let name: BytePath
  /// nil where the file system does not say; ask `metadata(of:)` then.
  public let kind: FileKind?
  /// The inode number in the listing; on FUSE and FAT it need not be that of statx(2).
  public let inode: UInt64
}

extension PinnedDirectory {
  /// Bytes of names taken from the kernel at once: about 1,000 entries.
  private static let listingBufferByteCount = 32 * 1024

  /// Calls `body` for each entry but `.` and `..`, in the order of the file system.
  ///
  /// getdents64(2) reports an error of its own on every call, so that no stale errno can end a
  /// listing early as with readdir(3). `body` returns false to stop.
  public func forEachEntry(_ body: (DirectoryEntry) -> Bool) throws(SystemError) {
    let listing = try reopen()
    let fd = listing.descriptor.rawValue
    let buffer = AlignedBuffer(byteCount: Self.listingBufferByteCount)
    while true {
      let count = try systemCall("getdents64", path: path) {
        ls_getdents64(fd, buffer.address, UInt64(buffer.byteCount))
      }
      if count == 0 { return }
      var rest = buffer.prefix(Int(count))
      while !rest.isEmpty {
        guard let (entry, length) = Self.parse(rest) else {
          throw SystemError(
            call: "getdents64", errno: .inputOutput, path: path, detail: "malformed entry")
        }
        if let entry, !body(entry) { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[length...])
      }
    }
  }

  /// Every entry but `.` and `..`, in the order of the file system.
  public func list() throws(SystemError) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    try forEachEntry {
      entries.append($0)
      return true
    }
    return entries
  }

  /// Takes a `linux_dirent64` apart (man 2 getdents): inode 8, offset 8, length 2, type 1, name.
  private static func parse(
    _ bytes: UnsafeRawBufferPointer
  ) -> (entry: DirectoryEntry?, length: Int)? {
    guard bytes.count > 19 else { return nil }
    let length = Int(bytes.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
    guard length > 19, length <= bytes.count else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: bytes[19..<length])
    guard let end = name.firstIndex(of: 0) else { return nil }
    let dot = UInt8(ascii: ".")
    let isDots = (end == 1 && name[0] == dot) || (end == 2 && name[0] == dot && name[1] == dot)
    if isDots { return (nil, length) }
    let entry = DirectoryEntry(
      name: BytePath(unchecked: Array(name[..<end])), kind: FileKind(directoryType: bytes[18]),
      inode: bytes.loadUnaligned(as: UInt64.self))
    return (entry, length)
  }
}
