import SystemIO

/// Something of an earlier run that was found in a destination folder.
struct Litter: Sendable {
  enum Kind: Sendable {
    case temporary, marker
    /// A copy that differed. It stays; a run that died may have named it nowhere.
    case failedCopy
  }

  let directory: Int
  let name: BytePath
  let kind: Kind
}

/// What a destination holds before the run, read without changing anything.
struct Survey: Sendable {
  /// Folders of the manifest that are there.
  private(set) var existing: Set<Int> = []
  private(set) var litter: [Litter] = []
  /// Bytes that the run will write; files that are there already count nothing.
  private(set) var plannedByteCount: Int64 = 0
  private(set) var plannedFileCount = 0

  /// Looks at every folder of the manifest. A folder that cannot be read counts as missing: the
  /// copy will run into the same error and name it.
  init(_ destination: Destination) {
    let manifest = destination.manifest
    for directory in manifest.directories.indices {
      let parent = manifest.directories[directory].parent
      let isPossible = directory == 0 || existing.contains(parent)
      guard isPossible, let handle = try? destination.tree.directory(directory),
        let listing = try? DirectoryListing(handle.directory)
      else {
        manifest.forEachFile(in: directory) { plan(manifest.files[$0].byteCount) }
        continue
      }
      existing.insert(directory)
      look(at: listing, directory, handle, manifest)
    }
  }

  private mutating func plan(_ byteCount: Int64) {
    plannedFileCount += 1
    plannedByteCount += byteCount
  }

  /// True for a file of the source itself.
  private static func plans(
    _ name: BytePath, in directory: Int, _ manifest: SourceManifest
  ) -> Bool {
    var isPlanned = false
    manifest.forEachFile(in: directory) { file in
      if manifest.name(ofFile: file) == name { isPlanned = true }
    }
    return isPlanned
  }

  private mutating func look(
    at listing: DirectoryListing, _ directory: Int, _ handle: DirectoryHandle,
    _ manifest: SourceManifest
  ) {
    var unfinished: Set<BytePath> = []
    for index in listing.entries.indices {
      let name = listing.name(index)
      if OwnName.isTemporary(name) {
        litter.append(Litter(directory: directory, name: name, kind: .temporary))
      } else if OwnName.isMarker(name) {
        litter.append(Litter(directory: directory, name: name, kind: .marker))
        if let marker = MarkerFile.read(name, in: handle) { unfinished.insert(marker.name) }
      } else if OwnName.isFailed(name), !Self.plans(name, in: directory, manifest) {
        litter.append(Litter(directory: directory, name: name, kind: .failedCopy))
      }
    }
    var planned: [Int64] = []
    manifest.forEachFile(in: directory) { file in
      let name = manifest.name(ofFile: file)
      let byteCount = manifest.files[file].byteCount
      if listing.firstIndex(of: name) == nil {
        planned.append(byteCount)
      } else if unfinished.contains(name) {
        // Its old bytes go first.
        let old = (try? handle.directory.metadata(of: name))?.byteCount ?? 0
        planned.append(max(0, byteCount - old))
      }
    }
    for byteCount in planned { plan(byteCount) }
  }
}
