import SystemIO
import Testing

/// A new directory below the checkout's build folder, removed with its content when it goes.
final class Scratch {
  let path: BytePath

  init(file: String = #filePath) throws {
    let root = try #require(BytePath(file).parent?.parent?.parent)
    let made = root.appending(".build").appending("scratch").appending(BytePath(RandomID().text))
    try FileSystem.makeDirectories(made)
    path = try FileSystem.resolve(made)
  }

  deinit {
    guard let parent = path.parent, let directory = try? PinnedDirectory.open(parent) else {
      return
    }
    Self.remove(path.lastComponent, from: directory)
  }

  static func remove(_ name: BytePath, from parent: borrowing PinnedDirectory) {
    if let inner = try? parent.descend(name) {
      for entry in (try? inner.list()) ?? [] { remove(entry.name, from: inner) }
      try? parent.removeDirectory(name)
    } else {
      try? parent.unlink(name)
    }
  }
}

/// One entry of a tree, as a test compares it.
struct Entry: Equatable, CustomStringConvertible {
  let kind: FileKind
  let bytes: [UInt8]
  let modification: Timestamp
  let change: Timestamp
  let mode: UInt16
  let inode: UInt64

  var description: String { "\(kind) of \(bytes.count) bytes, \(modification), inode \(inode)" }

  /// The same but for what reading or listing may move.
  func isSame(_ other: Entry) -> Bool {
    kind == other.kind && bytes == other.bytes && mode == other.mode
      && (kind == .directory || modification == other.modification)
  }
}

/// A folder with files that a test makes and reads back by plain calls.
struct Tree {
  let root: BytePath

  /// Everything below, by relative path.
  func entries() throws -> [BytePath: Entry] {
    var found: [BytePath: Entry] = [:]
    try add("", &found)
    return found
  }

  private func add(_ path: BytePath, _ found: inout [BytePath: Entry]) throws {
    let directory = try PinnedDirectory.open(root.appending(path))
    for entry in try directory.list() {
      let below = path.appending(entry.name)
      let metadata = try directory.metadata(of: entry.name)
      let bytes =
        metadata.kind == .regular ? try FileSystem.contents(of: root.appending(below)) : []
      found[below] = Entry(
        kind: metadata.kind, bytes: bytes, modification: metadata.modification,
        change: metadata.change, mode: metadata.mode, inode: metadata.inode)
      if metadata.kind == .directory { try add(below, &found) }
    }
  }

  func contains(_ path: BytePath) -> Bool {
    (try? FileSystem.metadata(root.appending(path), followingLinks: false)) != nil
  }

  func bytes(_ path: BytePath) throws -> [UInt8] {
    try FileSystem.contents(of: root.appending(path))
  }

  func metadata(_ path: BytePath) throws -> Metadata {
    try FileSystem.metadata(root.appending(path), followingLinks: false)
  }

  /// Makes a file and the folders above it.
  func file(_ path: BytePath, _ bytes: [UInt8], modification: Timestamp? = nil) throws {
    let place = root.appending(path)
    if let parent = place.parent { try FileSystem.makeDirectories(parent) }
    let file = try FileDescriptor.open(
      place, .writeOnly, options: [.create, .truncate], mode: 0o644)
    try file.writeAll(bytes)
    if let modification { try file.setTimes(modification: modification) }
    try file.close()
  }

  /// Seeded bytes, different for each seed.
  func file(_ path: BytePath, seed: UInt64, count: Int) throws {
    try file(path, Tree.bytes(seed: seed, count: count))
  }

  func folder(_ path: BytePath) throws {
    try FileSystem.makeDirectories(root.appending(path))
  }

  static func bytes(seed: UInt64, count: Int) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var bytes = [UInt8](repeating: 0, count: count)
    bytes.withUnsafeMutableBytes { random.fill($0) }
    return bytes
  }
}
