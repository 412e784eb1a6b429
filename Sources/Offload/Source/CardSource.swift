import SystemIO

/// Why a source cannot be taken as it is: the whole run is refused.
struct ScanError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  init(_ error: SystemError) {
    message = "the source cannot be read whole: \(error)"
  }
}

/// Walks a source once, from a pinned root (offload contract 7 to 17).
struct CardSource {
  /// Direct children of the root that are real directories with these names are the card's own
  /// bookkeeping; deeper, or as a file, such a name is user data.
  static let systemFolders: Set<BytePath> = [
    ".Spotlight-V100", ".fseventsd", ".Trashes", ".TemporaryItems", ".DocumentRevisions-V100",
  ]

  /// Ancestors that stay open during the walk; those below are opened again on the way back.
  private static let openLevels = 8

  private struct Level {
    let index: Int
    /// nil while the walk is further down than `openLevels`.
    var handle: DirectoryHandle?
    let listing: DirectoryListing
    var next = 0
  }

  private let root: DirectoryHandle
  private var manifest = SourceManifest()
  private var levels: [Level] = []

  private init(_ root: DirectoryHandle) {
    self.root = root
  }

  /// The manifest of everything below the root; any error on the way fails the walk. A cancelled
  /// walk ends early.
  static func scan(
    _ root: DirectoryHandle, isCancelled: () -> Bool
  ) throws(ScanError) -> SourceManifest {
    var walk = CardSource(root)
    do throws(SystemError) {
      let identity = try root.directory.metadata().identity
      _ = walk.manifest.addDirectory("", parent: 0, identity)
    } catch {
      throw ScanError(error)
    }
    try walk.enter(root, 0)
    while !walk.levels.isEmpty && !isCancelled() { try walk.step() }
    return walk.manifest
  }

  /// Lists a directory and checks its names.
  private mutating func enter(_ handle: DirectoryHandle, _ index: Int) throws(ScanError) {
    let listing: DirectoryListing
    do throws(SystemError) {
      listing = try DirectoryListing(handle.directory)
    } catch {
      throw ScanError(error)
    }
    func path(_ name: BytePath) -> String {
      manifest.path(ofDirectory: index).appending(name).escaped
    }
    if let twice = listing.duplicate {
      throw ScanError("the source lists a name twice: \(path(twice))")
    }
    for place in listing.entries.indices where listing.name(place).utf8 == nil {
      throw ScanError("a name on the source is not UTF-8: \(path(listing.name(place)))")
    }
    levels.append(Level(index: index, handle: handle, listing: listing))
  }

  /// Takes the next entry of the directory at hand.
  private mutating func step() throws(ScanError) {
    let top = levels.count - 1
    let level = levels[top]
    guard level.next < level.listing.entries.count else {
      levels.removeLast()
      return
    }
    levels[top].next += 1
    let name = level.listing.name(level.next)
    let path = manifest.path(ofDirectory: level.index).appending(name)
    switch level.listing.entries[level.next].kind {
    case .directory:
      if level.index == 0, Self.systemFolders.contains(name) {
        manifest.skip(path, .systemFolder)
      } else {
        try descend(name, top)
      }
    case .regular: try addFile(name, path, top)
    case .symlink: manifest.skip(path, .symlink)
    case .fifo, .socket, .character, .block: manifest.skip(path, .special)
    case nil: throw ScanError("the source changed while it was listed: \(path.escaped)")
    }
  }

  private mutating func addFile(
    _ name: BytePath, _ path: BytePath, _ top: Int
  ) throws(ScanError) {
    let metadata: Metadata
    do throws(SystemError) {
      metadata = try handle(top).directory.metadata(of: name)
    } catch {
      throw ScanError(error)
    }
    guard metadata.kind == .regular else {
      throw ScanError("the source changed while it was listed: \(path.escaped)")
    }
    guard manifest.addFile(name, directory: levels[top].index, metadata) else {
      throw ScanError("the sizes on the source add up to more than any disk holds")
    }
  }

  private mutating func descend(_ name: BytePath, _ top: Int) throws(ScanError) {
    let opened: DirectoryHandle
    let identity: FileIdentity
    do throws(SystemError) {
      opened = DirectoryHandle(try handle(top).directory.descend(name))
      identity = try opened.directory.metadata().identity
    } catch {
      throw ScanError(error)
    }
    let index = manifest.addDirectory(name, parent: levels[top].index, identity)
    if levels.count > Self.openLevels { levels[top].handle = nil }
    try enter(opened, index)
  }

  /// The open directory of a level, opened again where it was let go.
  private mutating func handle(_ top: Int) throws(SystemError) -> DirectoryHandle {
    if let handle = levels[top].handle { return handle }
    let path = manifest.path(ofDirectory: levels[top].index)
    let handle = DirectoryHandle(try root.directory.descend(path))
    levels[top].handle = handle
    return handle
  }
}
