import SystemIO

/// Removes what a dead run of ours left in the folders of this run, and nothing else (offload
/// decision 21).
///
/// A live run holds a lock on each of its temporary files and markers; where a lock cannot be
/// taken, nothing is removed.
struct LitterSweep {
  let destination: Destination

  func run(_ litter: [Litter]) {
    for item in litter {
      guard destination.failure(of: item.directory) == nil,
        let handle = try? destination.tree.directory(item.directory)
      else { continue }
      do throws(SystemError) {
        switch item.kind {
        case .temporary: try removeTemporary(item, handle)
        case .marker: try removeMarked(item, handle)
        case .failedCopy: leave(item, "a copy that differed")
        }
      } catch {
        leave(item, "\(error)")
      }
    }
  }

  private func leave(_ item: Litter, _ why: String) {
    let path = destination.place(item.directory, item.name)
    destination.leaveBehind(path)
    destination.warn("left from an earlier run: \(path.escaped): \(why)")
  }

  private func removeTemporary(_ item: Litter, _ handle: DirectoryHandle) throws(SystemError) {
    guard let metadata = try handle.directory.metadataIfPresent(of: item.name) else { return }
    switch metadata.kind {
    case .regular:
      let file = try handle.directory.openFile(item.name, .readOnly, options: .nonBlocking)
      guard try file.tryLock(), try isStill(file, item, handle) else { return }
      try handle.directory.remove(item.name)
      destination.markDirty(item.directory)
    case .directory:
      let folder = try handle.directory.descend(item.name)
      guard try folder.descriptor.tryLock() else { return }
      for entry in try folder.list() { try folder.unlink(entry.name) }
      try handle.directory.removeDirectory(item.name)
      destination.markDirty(item.directory)
    default: return
    }
  }

  private func removeMarked(_ item: Litter, _ handle: DirectoryHandle) throws(SystemError) {
    let file = try handle.directory.openFile(item.name, .readOnly, options: .nonBlocking)
    guard try file.tryLock(), try isStill(file, item, handle) else { return }
    guard let marker = MarkerFile.read(file) else {
      // A run that died between making its marker and writing it: the file that a marker stands
      // for is made only when the marker is durable, so an empty one stands for none.
      if try file.metadata().byteCount == 0 {
        try handle.directory.remove(item.name)
        destination.markDirty(item.directory)
        return
      }
      leave(item, "not a marker that can be read")
      return
    }
    if let metadata = try handle.directory.metadataIfPresent(of: marker.name) {
      guard metadata.kind == .regular, metadata.byteCount <= marker.byteCount else {
        leave(item, "the file that it names is not the one that it was made for")
        return
      }
      try handle.directory.remove(marker.name)
      // The file must be gone for good before nothing says any more that it is incomplete.
      try handle.directory.fsync()
    }
    try handle.directory.remove(item.name)
    destination.markDirty(item.directory)
  }

  /// True when the name still stands for the file that is locked.
  private func isStill(
    _ file: borrowing FileDescriptor, _ item: Litter, _ handle: DirectoryHandle
  ) throws(SystemError) -> Bool {
    let found = try handle.directory.metadataIfPresent(of: item.name)?.identity
    return found == (try file.metadata().identity)
  }
}
