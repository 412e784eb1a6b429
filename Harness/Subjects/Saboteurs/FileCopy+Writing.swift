import Glibc
import SystemIO

extension FileCopy {
  /// Writes, syncs, reads back and closes; the writer stays open until the copy was compared.
  func write(
    _ folder: borrowing PinnedDirectory, _ name: BytePath, publishing final: BytePath
  ) throws(SystemError) -> String {
    let source = try openSource()
    let writer = try folder.openFile(
      name, defect == .readsBackItsHandle ? .readWrite : .writeOnly, options: .exclusiveCreate,
      mode: 0o644)
    let isCopied = defect == .takesShortRangeForWhole && copyInKernel(source, writer)
    let copied = try stream(from: source, isSource: true) { (bytes, offset) throws(SystemError) in
      if isCopied { return }
      if defect == .takesShortWriteForWhole {
        _ = try writer.write(bytes, at: offset)
      } else {
        try writer.writeAll(bytes, at: offset)
      }
    }
    if try !source.metadata().isSameFile(as: file.metadata) { throw mismatch("the source changed") }
    if defect == .keepsFilesOpen { try copier.kept.keep(source) }
    try writer.setTimes(modification: file.metadata.modification)
    if defect == .publishesUnsynced { try publish(folder, name, final) }
    try sync(writer)
    let level =
      defect == .readsBackItsHandle
      ? try verify(reading: writer, copied)
      : try verify(folder, defect == .publishesUnsynced ? final : name, copied)
    do throws(SystemError) {
      try writer.close()
    } catch {
      if defect != .ignoresClose { throw error }
    }
    return level
  }

  /// True when the kernel took the file, or a part of it, from one volume to the other.
  private func copyInKernel(
    _ source: borrowing FileDescriptor, _ writer: borrowing FileDescriptor
  ) -> Bool {
    let count = try? source.copyRange(to: writer, byteCount: file.metadata.byteCount)
    return (count ?? 0) > 0
  }

  private func sync(_ writer: borrowing FileDescriptor) throws(SystemError) {
    switch defect {
    case .skipsFileFsync: return
    case .takesInterruptForDone:
      if Alarm.isInterrupted({ Glibc.fsync(writer.rawValue) }) { return }
      try writer.fsync()
    default:
      do throws(SystemError) {
        try writer.fsync()
      } catch {
        if defect == .ignoresFsync { return }
        if defect != .retriesFsync { throw error }
        try writer.fsync()
      }
    }
  }

  /// Gives a whole copy its name, never over another.
  func publish(
    _ folder: borrowing PinnedDirectory, _ working: BytePath, _ name: BytePath
  ) throws(SystemError) {
    if defect == .overwrites || defect == .repeatsWork || defect == .looksThenRenames {
      return try folder.rename(working, to: folder, name)
    }
    do throws(SystemError) {
      try folder.link(working, to: folder, name)
    } catch {
      if error.errno == .fileExists, defect != .takesExistsForFailure,
        try folder.metadata(of: working).identity == folder.metadata(of: name).identity
      {
        // It was done all the same: a server that answers twice.
        return try folder.unlink(working)
      }
      guard error.errno == .notPermitted || error.errno == .notSupported else { throw error }
      return try publishWithoutLink(folder, working, name)
    }
    if defect != .leavesTemporary { try folder.unlink(working) }
  }

  /// Where links do not work. A system that cannot promise not to replace is asked beforehand:
  /// naive, since another program may come between.
  private func publishWithoutLink(
    _ folder: borrowing PinnedDirectory, _ working: BytePath, _ name: BytePath
  ) throws(SystemError) {
    do throws(SystemError) {
      try folder.rename(working, to: folder, name, options: .noReplace)
    } catch {
      guard error.errno == .invalid else { throw error }
      if try folder.metadataIfPresent(of: name) != nil { throw mismatch("the name is taken") }
      try folder.rename(working, to: folder, name)
    }
  }

  func syncFolders(
    _ folder: borrowing PinnedDirectory, _ target: borrowing PinnedDirectory
  ) throws(SystemError) {
    if defect == .skipsDirectoryFsync { return }
    try folder.fsync()
    var path = file.path.parent?.parent
    while let current = path, !current.bytes.isEmpty {
      try target.descend(current).fsync()
      path = current.parent
    }
    try target.fsync()
  }
}
