import CLinuxShims
import Glibc

/// A directory held by its descriptor: what happens to the path it was found by, every call still
/// reaches this one directory and nothing outside it.
///
/// No call follows a symbolic link. A name is one entry: empty names, `.`, `..` and names with a
/// slash are refused with EINVAL before the kernel sees them. All calls block.
public struct PinnedDirectory: ~Copyable, Sendable {
  /// The open directory, readable.
  public let descriptor: FileDescriptor
  /// The path it was reached by, for messages only.
  public let path: BytePath

  init(descriptor: consuming FileDescriptor, path: BytePath) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens an absolute path from the root, one component at a time, none of them a link.
  ///
  /// Ancestors are opened as places only, so they need not be readable; the last one must be.
  /// - Throws: ENOTDIR with a detail for a link or a file in the way; EINVAL for a relative path
  ///   or a component `.` or `..`; else the errno of openat(2).
  public static func open(_ absolute: BytePath) throws(SystemError) -> PinnedDirectory {
    guard absolute.isAbsolute else {
      throw SystemError(
        call: "openat", errno: .invalid, path: absolute, detail: "not an absolute path")
    }
    let components = absolute.components
    let root = try FileDescriptor.open(
      "/", .readOnly, options: components.isEmpty ? .directory : [.directory, .pathOnly])
    if components.isEmpty { return PinnedDirectory(descriptor: root, path: "/") }
    return try walk(root.rawValue, "/", components)
  }

  /// Opens the directory of a path below this one, none of its components a link.
  ///
  /// An empty path opens this directory again, with its own read position.
  public func descend(_ relative: BytePath) throws(SystemError) -> PinnedDirectory {
    guard !relative.isAbsolute else {
      throw SystemError(
        call: "openat", errno: .invalid, path: relative, detail: "not a relative path")
    }
    let components = relative.components
    return components.isEmpty
      ? try reopen() : try Self.walk(descriptor.rawValue, path, components)
  }

  /// Opens this directory anew: a descriptor of its own, with its own read position.
  public func reopen() throws(SystemError) -> PinnedDirectory {
    let fd = descriptor.rawValue
    let flags = OpenOptions.directory.flags(.readOnly)
    let opened = try systemCall("openat", path: path) { ls_openat(fd, ".", flags, 0) }
    return PinnedDirectory(descriptor: FileDescriptor(owning: opened, path: path), path: path)
  }

  /// Opens one or more components below an open directory, which the caller keeps open.
  private static func walk(
    _ start: CInt, _ path: BytePath, _ components: [BytePath]
  ) throws(SystemError) -> PinnedDirectory {
    var reached = path
    var current = FileDescriptor(unowned: start)
    for (index, component) in components.enumerated() {
      let isLast = index == components.count - 1
      let options: OpenOptions =
        isLast ? [.directory, .noFollow] : [.directory, .noFollow, .pathOnly]
      current = try openComponent(current.rawValue, reached, component, options)
      reached = reached.appending(component)
    }
    return PinnedDirectory(descriptor: current, path: reached)
  }

  private static func openComponent(
    _ parent: CInt, _ parentPath: BytePath, _ name: BytePath, _ options: OpenOptions
  ) throws(SystemError) -> FileDescriptor {
    try requirePlain(name, "openat", parentPath)
    let flags = options.flags(.readOnly)
    let place = parentPath.appending(name)
    do throws(SystemError) {
      let fd = try systemCall("openat", path: place) {
        name.withCString { ls_openat(parent, $0, flags, 0) }
      }
      return FileDescriptor(owning: fd, path: place)
    } catch {
      guard error.errno == .notDirectory else { throw error }
      throw error.with(
        detail: isLink(parent, name, place) ? Self.linkDetail : "not a directory")
    }
  }

  /// The detail of the error that a symbolic link in a pinned path gives.
  public static let linkDetail = "a symbolic link"

  private static func isLink(_ parent: CInt, _ name: BytePath, _ place: BytePath) -> Bool {
    var raw = ls_metadata()
    do throws(SystemError) {
      _ = try systemCall("statx", path: place) {
        name.withCString { ls_statx(parent, $0, 0, &raw) }
      }
    } catch {
      return false
    }
    return FileKind(mode: raw.mode) == .symlink
  }

  static func requirePlain(
    _ name: BytePath, _ call: String, _ directory: BytePath
  ) throws(SystemError) {
    if name.isPlainName { return }
    throw SystemError(
      call: call, errno: .invalid, path: directory.appending(name), detail: "not a plain name")
  }

  /// Closes and reports the error.
  public consuming func close() throws(SystemError) {
    try descriptor.close()
  }

  /// Makes the entries durable (man 2 fsync, on the directory).
  public func fsync() throws(SystemError) {
    try descriptor.fsync()
  }

  /// Metadata of the directory itself.
  public func metadata() throws(SystemError) -> Metadata {
    try descriptor.metadata()
  }

  /// Checks that the directory can be read and searched, and written when asked (man 2 access,
  /// with the effective ids). It decides nothing: a later call may be refused all the same.
  public func checkAccess(writing: Bool) throws(SystemError) {
    let fd = descriptor.rawValue
    _ = try systemCall("faccessat", path: path) { ls_access_directory(fd, writing ? 1 : 0) }
  }

  /// Facts of the file system that holds it.
  public func statistics() throws(SystemError) -> FileSystemStatistics {
    try descriptor.statistics()
  }
}

extension SystemError {
  /// The same error with one more thing a person needs.
  public func with(detail: String) -> SystemError {
    SystemError(call: call, errno: errno, path: path, offset: offset, detail: detail)
  }
}
