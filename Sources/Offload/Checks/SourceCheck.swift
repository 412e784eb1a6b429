import SystemIO

/// The last look at the source: a file that changed, went away or appeared during the run fails by
/// its own name (offload contract 18, decision 20).
struct SourceCheck {
  let source: SourceSide
  let ledger: RunLedger
  let destinationCount: Int

  private var manifest: SourceManifest { source.manifest }

  func run() {
    if let failure = source.lost ?? displayedRootFailure() {
      for file in manifest.files.indices { fail(file, failure) }
      return
    }
    source.tree.closeAll()
    let children = manifest.childDirectories()
    for directory in manifest.directories.indices {
      do throws(SystemError) {
        try check(directory, children[directory])
      } catch {
        let isGone = [.noSuchFile, .notDirectory, .tooManyLinks].contains(error.errno)
        let failure =
          isGone
          ? Failure("the source changed: its folder went away")
          : Failure(error, "the source could not be checked at the end")
        manifest.forEachFile(in: directory) { fail($0, failure) }
      }
    }
  }

  private func fail(_ file: Int, _ failure: Failure) {
    for destination in 0..<destinationCount { ledger.fail(file, destination, failure) }
  }

  private func displayedRootFailure() -> Failure? {
    do throws(SystemError) {
      let pinned = try source.root.handle.directory.metadata().identity
      let shown = try FileSystem.metadata(source.root.path, followingLinks: false)
      if shown.kind == .directory, shown.identity == pinned { return nil }
      return Failure("the source was removed or replaced during the run")
    } catch {
      return Failure(error, "the source is gone")
    }
  }

  private func check(_ directory: Int, _ children: [Int]) throws(SystemError) {
    let handle = try source.tree.directory(directory)
    let listing = try DirectoryListing(handle.directory)
    var known = [Bool](repeating: false, count: listing.entries.count)
    manifest.forEachFile(in: directory) { file in
      let name = manifest.name(ofFile: file)
      if let index = listing.firstIndex(of: name) { known[index] = true }
      do throws(SystemError) {
        guard let found = try handle.directory.metadataIfPresent(of: name) else {
          fail(file, Failure("the source changed: the file went away"))
          return
        }
        if let change = SourceChange.of(found, since: manifest.files[file], source.facts) {
          fail(file, change)
        }
      } catch {
        fail(file, Failure(error, "the source could not be checked at the end"))
      }
    }
    for child in children {
      if let index = listing.firstIndex(of: manifest.name(ofDirectory: child)) {
        known[index] = true
      }
    }
    for index in listing.entries.indices where !known[index] {
      try addNew(listing.name(index), listing.entries[index].kind, handle.directory, directory)
    }
  }

  /// Something that the walk did not see.
  private func addNew(
    _ name: BytePath, _ kind: FileKind?, _ parent: borrowing PinnedDirectory, _ directory: Int
  ) throws(SystemError) {
    let path = manifest.path(ofDirectory: directory).appending(name)
    switch kind {
    case .regular:
      let size = try parent.metadataIfPresent(of: name)?.byteCount ?? 0
      ledger.addFailure(of: path, byteCount: size, Self.appeared)
    case .directory:
      if directory == 0, CardSource.systemFolders.contains(name) { return }
      try addNew(below: try parent.descend(name), path)
    default: return
    }
  }

  private func addNew(
    below folder: borrowing PinnedDirectory, _ path: BytePath
  ) throws(SystemError) {
    let listing = try DirectoryListing(folder)
    for index in listing.entries.indices {
      let name = listing.name(index)
      switch listing.entries[index].kind {
      case .regular:
        let size = try folder.metadataIfPresent(of: name)?.byteCount ?? 0
        ledger.addFailure(of: path.appending(name), byteCount: size, Self.appeared)
      case .directory: try addNew(below: try folder.descend(name), path.appending(name))
      default: continue
      }
    }
  }

  private static let appeared = Failure("the source changed: the file appeared during the run")
}
