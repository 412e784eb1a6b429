import SystemIO

/// The saboteurs' walk over a card: regular files and folders, sorted by path.
struct SourceWalk {
  private let root: BytePath
  private let defect: Saboteur.Defect?

  struct Manifest {
    var files: [NaiveCopier.SourceFile] = []
    var folders: [BytePath] = []
  }

  private static let rootMetadata: Set<BytePath> = [
    ".Spotlight-V100", ".fseventsd", ".Trashes", ".TemporaryItems", ".DocumentRevisions-V100",
  ]

  init(_ root: BytePath, _ defect: Saboteur.Defect?) {
    self.root = root
    self.defect = defect
  }

  /// Any error ends it: half a manifest is none.
  func manifest() throws(CopyFailure) -> Manifest {
    do throws(SystemError) {
      var manifest = Manifest()
      try walk(try PinnedDirectory.open(root), "", &manifest)
      manifest.files.sort { $0.path < $1.path }
      manifest.folders.sort()
      for path in manifest.files.map(\.path) + manifest.folders where path.utf8 == nil {
        throw SystemError(call: "getdents64", errno: .illegalSequence, path: path)
      }
      return manifest
    } catch {
      throw .refused("the source cannot be listed: \(error)")
    }
  }

  private func walk(
    _ folder: borrowing PinnedDirectory, _ path: BytePath, _ manifest: inout Manifest
  ) throws(SystemError) {
    var seen: Set<BytePath> = []
    for entry in try folder.list() {
      let below = path.appending(entry.name)
      if !seen.insert(entry.name).inserted, defect != .takesEntriesTwice {
        throw SystemError(call: "getdents64", errno: .fileExists, path: below)
      }
      let metadata = try folder.metadata(of: entry.name)
      switch defect == .trustsEntryTypes ? entry.kind ?? metadata.kind : metadata.kind {
      case .regular: manifest.files.append(.init(path: below, metadata: metadata))
      case .directory:
        if path.bytes.isEmpty && Self.rootMetadata.contains(entry.name) { continue }
        manifest.folders.append(below)
        try walk(try folder.descend(entry.name), below, &manifest)
      default: break
      }
    }
  }
}
