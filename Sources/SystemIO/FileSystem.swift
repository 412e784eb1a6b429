import CLinuxShims
import Glibc

/// Questions about paths that are not pinned yet: what preflight asks. All calls block.
public enum FileSystem {
  /// Metadata of a path; of a final link itself when links are not followed.
  public static func metadata(
    _ path: BytePath, followingLinks: Bool
  ) throws(SystemError) -> Metadata {
    guard !path.bytes.isEmpty else {
      throw SystemError(call: "statx", errno: .noSuchFile, path: path)
    }
    var raw = ls_metadata()
    _ = try systemCall("statx", path: path) {
      path.withCString { ls_statx(ls_at_fdcwd, $0, followingLinks ? 1 : 0, &raw) }
    }
    return Metadata(raw)
  }

  /// Metadata of a path; nil when nothing is there (ENOENT).
  public static func metadataIfPresent(
    _ path: BytePath, followingLinks: Bool
  ) throws(SystemError) -> Metadata? {
    do throws(SystemError) {
      return try metadata(path, followingLinks: followingLinks)
    } catch {
      if error.errno == .noSuchFile { return nil }
      throw error
    }
  }

  /// The absolute path without links that the kernel knows a file or directory by.
  ///
  /// Opens it as a place and reads /proc/self/fd. A deleted file gives its old path with
  /// ` (deleted)` behind it, as the kernel does.
  public static func resolve(_ path: BytePath) throws(SystemError) -> BytePath {
    let place = try FileDescriptor.open(path, .readOnly, options: .pathOnly)
    return try readLink(BytePath("/proc/self/fd/\(place.rawValue)"))
  }

  /// The target of a symbolic link, up to 4095 bytes.
  public static func readLink(_ path: BytePath) throws(SystemError) -> BytePath {
    var target: [UInt8] = []
    _ = try systemCall("readlink", path: path) {
      path.withCString { path in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
          guard let base = buffer.baseAddress else { return -1 }
          let count = Glibc.readlink(path, base, 4095)
          if count > 0 { target = buffer[..<count].map { UInt8(bitPattern: $0) } }
          return count
        }
      }
    }
    return BytePath(unchecked: target)
  }

  /// The working directory, without links.
  public static func currentDirectory() throws(SystemError) -> BytePath {
    try readLink("/proc/self/cwd")
  }

  /// The path made absolute by the working directory; `.` and `..` stay as they are.
  public static func absolute(_ path: BytePath) throws(SystemError) -> BytePath {
    path.isAbsolute ? path : try currentDirectory().appending(path)
  }

  /// Makes a directory and its missing parents; links in the path are followed.
  public static func makeDirectories(
    _ path: BytePath, mode: UInt16 = 0o755
  ) throws(SystemError) {
    do throws(SystemError) {
      _ = try systemCall("mkdir", path: path) { path.withCString { mkdir($0, mode_t(mode)) } }
    } catch {
      switch error.errno {
      case .fileExists:
        let found = try metadata(path, followingLinks: true)
        if found.kind != .directory { throw error }
      case .noSuchFile:
        guard let parent = path.parent, !parent.bytes.isEmpty else { throw error }
        try makeDirectories(parent, mode: mode)
        try makeDirectories(path, mode: mode)
      default: throw error
      }
    }
  }

  /// A whole small file, for /proc and settings.
  ///
  /// - Throws: EFBIG for a file of more than `limit` bytes.
  public static func contents(
    of path: BytePath, limit: Int = 64 << 20
  ) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    var all: [UInt8] = []
    let buffer = AlignedBuffer(byteCount: 64 * 1024)
    while true {
      let count = try file.read(into: buffer.bytes)
      if count == 0 { return all }
      all += buffer.prefix(count)
      if all.count > limit {
        throw SystemError(
          call: "read", errno: .fileTooLarge, path: path, detail: "more than \(limit) bytes")
      }
    }
  }
}
