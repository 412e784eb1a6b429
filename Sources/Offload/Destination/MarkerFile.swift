import Glibc
import SystemIO

/// A status marker on a destination: durable before the first byte of the file it names, and there
/// until the file is proven (offload contract 64, 65; docs/offload.md).
final class MarkerFile {
  let name: BytePath
  private let handle: DirectoryHandle
  /// Kept open for its lock: it tells other runs that this one lives.
  private var descriptor: FileDescriptor?

  private init(_ name: BytePath, _ handle: DirectoryHandle, _ descriptor: consuming FileDescriptor)
  {
    self.name = name
    self.handle = handle
    self.descriptor = consume descriptor
  }

  /// Writes and syncs a marker; the folder is still to be synced. One that cannot be written is
  /// removed, or given to `leftBehind`.
  static func create(
    _ marker: StatusMarker, _ name: BytePath, in handle: DirectoryHandle,
    leftBehind: (BytePath) -> Void
  ) throws(SystemError) -> MarkerFile {
    let descriptor: FileDescriptor
    do throws(SystemError) {
      descriptor = try handle.directory.openFile(name, .readWrite, options: .exclusiveCreate)
    } catch {
      // It may have been made all the same; nobody else has a name of these random digits.
      if error.errno != .fileExists, !handle.directory.hasRemoved(name) { leftBehind(name) }
      throw error
    }
    // A volume without locks only loses the sweep of its litter.
    _ = try? descriptor.tryLock()
    do throws(SystemError) {
      try descriptor.writeAll(marker.encoded)
      try descriptor.fsync()
      try checkName(name, of: descriptor, in: handle)
    } catch {
      if !handle.directory.hasRemoved(name) { leftBehind(name) }
      throw error
    }
    return MarkerFile(name, handle, descriptor)
  }

  /// Another run may have swept the marker in the moment between its making and its lock, when it
  /// looked like one that a dead run left empty.
  private static func checkName(
    _ name: BytePath, of descriptor: borrowing FileDescriptor, in handle: DirectoryHandle
  ) throws(SystemError) {
    let found = try handle.directory.metadata(of: name).identity
    guard found == (try descriptor.metadata().identity) else {
      throw SystemError(
        call: "statx", errno: .stale, path: handle.directory.path.appending(name),
        detail: "another file has taken the name")
    }
  }

  /// Takes the marker away: the file it named is complete, or gone.
  func remove() throws(SystemError) {
    do throws(SystemError) {
      try handle.directory.remove(name)
    } catch {
      guard Self.sharing.contains(error.errno), let open = descriptor.take() else { throw error }
      try removeClosed(open)
    }
  }

  /// What shares answer to a removal of what is open.
  private static let sharing: [Errno] = [.busy, .permissionDenied, Errno(rawValue: ETXTBSY)]

  /// Removes the marker without its lock. It is emptied before, since an empty marker stands for no
  /// file: a run that sweeps it in that moment takes nothing else away.
  private func removeClosed(_ open: consuming FileDescriptor) throws(SystemError) {
    try open.truncate(to: 0)
    try open.fsync()
    try open.close()
    try handle.directory.remove(name)
  }

  /// The marker in a file; nil when it is none of ours, or not whole.
  static func read(_ name: BytePath, in handle: DirectoryHandle) -> StatusMarker? {
    guard let file = try? handle.directory.openFile(name, .readOnly, options: .nonBlocking) else {
      return nil
    }
    return read(file)
  }

  static func read(_ file: borrowing FileDescriptor) -> StatusMarker? {
    guard let metadata = try? file.metadata(), metadata.kind == .regular,
      metadata.byteCount > 0, metadata.byteCount <= StatusMarker.maximumByteCount
    else { return nil }
    let buffer = AlignedBuffer(byteCount: StatusMarker.maximumByteCount)
    guard let count = try? file.readAll(into: buffer.bytes, at: 0) else { return nil }
    return StatusMarker(Array(buffer.prefix(count)))
  }
}
