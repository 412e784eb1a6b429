import SystemIO

/// The last look at a destination: every copy is listed under its name, with its size and time,
/// as the file that was verified; and the path that people see still leads there (offload contract 49, 50).
struct DestinationCheck {
  let destination: Destination
  let ledger: RunLedger

  private var manifest: SourceManifest { destination.manifest }

  func run() {
    if let failure = destination.lost ?? displayedRootFailure() {
      for file in manifest.files.indices { fail(file, failure) }
      return
    }
    // Opened again from the root, one component after the other.
    destination.tree.closeAll()
    for directory in manifest.directories.indices {
      if let failure = destination.failure(of: directory) {
        manifest.forEachFile(in: directory) { fail($0, failure) }
        continue
      }
      do throws(SystemError) {
        try check(directory)
      } catch {
        let failure = Failure(error, "the folder cannot be listed at the end")
        destination.noteTrouble(error)
        destination.fail(directory: directory, failure)
        manifest.forEachFile(in: directory) { fail($0, failure) }
      }
    }
  }

  private func fail(_ file: Int, _ failure: Failure) {
    ledger.fail(file, destination.index, failure)
  }

  /// An ejected volume shows the empty folder it was mounted on: its path leads elsewhere then.
  private func displayedRootFailure() -> Failure? {
    do throws(SystemError) {
      let pinned = try destination.root.handle.directory.metadata().identity
      let shown = try FileSystem.metadata(destination.path, followingLinks: false)
      if shown.kind == .directory, shown.identity == pinned { return nil }
      return Failure("the destination was moved, renamed or replaced during the run")
    } catch {
      return Failure(error, "the destination is gone")
    }
  }

  private func check(_ directory: Int) throws(SystemError) {
    let handle = try destination.tree.directory(directory)
    guard manifest.directories[directory].firstFile != SourceManifest.noIndex else { return }
    let listing = try DirectoryListing(handle.directory)
    var spellings: [String: BytePath]?
    manifest.forEachFile(in: directory) { file in
      guard ledger.hasSucceeded(file, destination.index) else { return }
      let name = manifest.name(ofFile: file)
      if listing.firstIndex(of: name) == nil {
        let known = spellings ?? Self.spellings(listing)
        spellings = known
        guard let text = name.utf8, let other = known[text] else {
          fail(file, Failure("the copy is not listed at the end"))
          return
        }
        destination.warn(
          "\(destination.place(directory, name).escaped) is stored under another spelling: "
            + other.escaped)
      }
      check(file, name, handle)
    }
  }

  /// The listed names by canonical equivalence: Swift's texts are equal when they differ only in
  /// composition, as HFS+ stores them.
  private static func spellings(_ listing: DirectoryListing) -> [String: BytePath] {
    var names: [String: BytePath] = [:]
    for index in listing.entries.indices {
      let name = listing.name(index)
      if let text = name.utf8 { names[text] = name }
    }
    return names
  }

  private func check(_ file: Int, _ name: BytePath, _ handle: DirectoryHandle) {
    do throws(SystemError) {
      let found = try handle.directory.metadata(of: name)
      if found.kind != .regular || found.byteCount != manifest.files[file].byteCount {
        fail(file, Failure("the copy has another size at the end"))
      } else if destination.facts.inodesLast,
        let inode = ledger.inode(file, destination.index), inode != found.inode
      {
        fail(file, Failure("another file has taken the name of the copy"))
      } else if !ledger.isUnwritten(file, destination.index, found.modification) {
        fail(file, Failure("the copy was written to after it was made"))
      }
    } catch {
      fail(file, Failure(error, "the copy cannot be found at the end"))
    }
  }
}
