import SystemIO

/// Reports that a dead run did not finish (offload decision 21).
extension ReportStore {
  /// Removes unfinished reports beside the finished ones; what a live run holds stays.
  ///
  /// - `leave`: is told what cannot be removed, and why.
  func removeLitter(_ leave: (BytePath, SystemError) -> Void) {
    // A folder that is not there, or cannot be listed, is for `save` to tell.
    guard let folder = try? root.handle.directory.descend(Self.folder),
      let names = try? folder.list().map(\.name)
    else { return }
    for name in names where OwnName.isTemporary(name) {
      do throws(SystemError) {
        try remove(name, from: folder)
      } catch {
        leave(root.path.appending(Self.folder).appending(name), error)
      }
    }
  }

  private func remove(
    _ name: BytePath, from folder: borrowing PinnedDirectory
  ) throws(SystemError) {
    guard let metadata = try folder.metadataIfPresent(of: name), metadata.kind == .regular else {
      return
    }
    let file = try folder.openFile(name, .readOnly, options: .nonBlocking)
    guard try file.tryLock() else { return }
    let found = try folder.metadataIfPresent(of: name)?.identity
    guard found == (try file.metadata().identity) else { return }
    try folder.remove(name)
  }
}
