import CLinuxShims
import Glibc

/// How renameat2(2) treats an existing new name.
public struct RenameOptions: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Fails with EEXIST when the new name exists; EINVAL where the file system cannot promise it.
  public static let noReplace = RenameOptions(rawValue: UInt32(ls_rename_noreplace))
  /// Swaps two existing names.
  public static let exchange = RenameOptions(rawValue: UInt32(ls_rename_exchange))
}

extension PinnedDirectory {
  /// Opens an entry; a symbolic link fails with ELOOP.
  ///
  /// - Parameter mode: permissions of a created file, before the umask.
  public func openFile(
    _ name: BytePath, _ access: FileAccess, options: OpenOptions = [], mode: UInt16 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    let flags = options.union(.noFollow).flags(access)
    let fd = try call("openat", name) { directory, name in
      ls_openat(directory, name, flags, UInt32(mode))
    }
    return FileDescriptor(owning: fd, base: path, name: name)
  }

  /// Metadata of an entry; of a link itself, not of what it points to.
  public func metadata(of name: BytePath) throws(SystemError) -> Metadata {
    var raw = ls_metadata()
    _ = try call("statx", name) { directory, name in ls_statx(directory, name, 0, &raw) }
    return Metadata(raw)
  }

  /// Metadata of an entry; nil when there is none (ENOENT).
  public func metadataIfPresent(of name: BytePath) throws(SystemError) -> Metadata? {
    do throws(SystemError) {
      return try metadata(of: name)
    } catch {
      if error.errno == .noSuchFile { return nil }
      throw error
    }
  }

  /// Makes a directory, mode before the umask, and opens it without following a link.
  ///
  /// - Parameter tolerant: an existing directory is taken as it is; anything else there fails
  ///   with ENOTDIR.
  public func makeDirectory(
    _ name: BytePath, mode: UInt16 = 0o755, tolerant: Bool = true
  ) throws(SystemError) -> PinnedDirectory {
    do throws(SystemError) {
      _ = try call("mkdirat", name) { directory, name in mkdirat(directory, name, mode_t(mode)) }
    } catch {
      guard tolerant, error.errno == .fileExists else { throw error }
    }
    return try descend(name)
  }

  /// Removes a file's or a link's name.
  public func unlink(_ name: BytePath) throws(SystemError) {
    _ = try call("unlinkat", name) { directory, name in unlinkat(directory, name, 0) }
  }

  /// Removes an empty directory.
  public func removeDirectory(_ name: BytePath) throws(SystemError) {
    _ = try call("unlinkat", name) { directory, name in
      unlinkat(directory, name, ls_at_removedir)
    }
  }

  /// Gives the file `name` a second name; EEXIST when that exists (man 2 link).
  public func link(
    _ name: BytePath, to directory: borrowing PinnedDirectory, _ newName: BytePath
  ) throws(SystemError) {
    try Self.requirePlain(newName, "linkat", directory.path)
    let target = directory.descriptor.rawValue
    _ = try call("linkat", name) { source, name in
      newName.withCString { linkat(source, name, target, $0, 0) }
    }
  }

  /// Gives the open file a name here, whatever became of its old one; EEXIST when that exists.
  ///
  /// Needs /proc. A file whose last name is gone fails with ENOENT.
  public func link(
    descriptor file: borrowing FileDescriptor, as newName: BytePath
  ) throws(SystemError) {
    let fd = file.rawValue
    _ = try call("linkat", newName) { directory, name in
      ls_link_descriptor(fd, directory, name)
    }
  }

  /// Renames an entry; without options an existing file of the new name is replaced.
  public func rename(
    _ name: BytePath, to directory: borrowing PinnedDirectory, _ newName: BytePath,
    options: RenameOptions = []
  ) throws(SystemError) {
    try Self.requirePlain(newName, "renameat2", directory.path)
    let target = directory.descriptor.rawValue
    _ = try call("renameat2", name) { source, name in
      newName.withCString { ls_renameat2(source, name, target, $0, options.rawValue) }
    }
  }

  /// Makes a symbolic link.
  public func symlink(_ target: BytePath, as name: BytePath) throws(SystemError) {
    _ = try call("symlinkat", name) { directory, name in
      target.withCString { symlinkat($0, directory, name) }
    }
  }

  /// The target of a symbolic link, up to 4095 bytes; EINVAL for anything else.
  public func readLink(_ name: BytePath) throws(SystemError) -> BytePath {
    var target: [UInt8] = []
    _ = try call("readlinkat", name) { directory, name in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
        guard let base = buffer.baseAddress else { return -1 }
        let count = readlinkat(directory, name, base, 4095)
        if count > 0 { target = buffer[..<count].map { UInt8(bitPattern: $0) } }
        return count
      }
    }
    return BytePath(unchecked: target)
  }

  /// Runs a call on a plain name of this directory.
  @inline(__always)
  private func call<Result: FixedWidthInteger & SignedInteger>(
    _ call: String, _ name: BytePath, _ body: (CInt, UnsafePointer<CChar>) -> Result
  ) throws(SystemError) -> Result {
    try Self.requirePlain(name, call, path)
    let fd = descriptor.rawValue
    return try systemCall(call, path: path.appending(name)) {
      name.withCString { body(fd, $0) }
    }
  }
}

/// Answers that fail closed: an error counts as the worse of both.
extension PinnedDirectory {
  /// False only when the directory is known to hold no such name.
  public func mayHold(_ name: BytePath) -> Bool {
    do throws(SystemError) {
      return try metadataIfPresent(of: name) != nil
    } catch {
      return true
    }
  }

  /// Unlinks a name and looks whether it is gone, since some file systems only say so; a name that
  /// is not there is no error.
  ///
  /// - Throws: what unlink or the look says; EEXIST for a name that stays.
  public func remove(_ name: BytePath) throws(SystemError) {
    do throws(SystemError) {
      try unlink(name)
    } catch {
      if error.errno != .noSuchFile { throw error }
    }
    if try metadataIfPresent(of: name) != nil {
      throw SystemError(
        call: "unlinkat", errno: .fileExists, path: path.appending(name),
        detail: "the name is still there")
    }
  }

  /// Unlinks a name; true only when it is known to be gone.
  public func hasRemoved(_ name: BytePath) -> Bool {
    (try? remove(name)) != nil
  }
}

extension FileDescriptor {
  /// Gives the file a name in a directory, whatever became of its old one
  /// (`PinnedDirectory.link(descriptor:as:)`).
  public borrowing func link(
    into directory: borrowing PinnedDirectory, as name: BytePath
  ) throws(SystemError) {
    try directory.link(descriptor: self, as: name)
  }
}
