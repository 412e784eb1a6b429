import SystemIO
import Testing

/// A folder of its own for a test, on the checkout's disk; removed with its content when the value
/// goes. Not in /tmp, which may be in memory.
final class Scratch {
  let path: BytePath

  init(file: String = #filePath) throws {
    let root = try #require(BytePath(file).parent?.parent?.parent)
    path = root.appending(".build").appending("scratch").appending(BytePath(RandomID().text))
    try FileSystem.makeDirectories(path)
  }

  deinit { Self.remove(path) }

  /// Removes a folder with its content, as far as it can be.
  static func remove(_ path: BytePath) {
    guard let parent = path.parent, let folder = try? PinnedDirectory.open(parent) else { return }
    remove(path.lastComponent, from: folder)
  }

  /// Makes a folder below.
  func folder(_ name: BytePath) throws -> BytePath {
    try FileSystem.makeDirectories(path.appending(name))
    return path.appending(name)
  }

  /// Makes a file of some bytes.
  func file(_ name: BytePath, _ bytes: [UInt8] = []) throws {
    let file = try FileDescriptor.open(
      path.appending(name), .writeOnly, options: .exclusiveCreate, mode: 0o644)
    try file.writeAll(bytes)
    try file.close()
  }

  private static func remove(_ name: BytePath, from parent: borrowing PinnedDirectory) {
    if let inner = try? parent.descend(name) {
      for entry in (try? inner.list()) ?? [] { remove(entry.name, from: inner) }
      try? parent.removeDirectory(name)
    } else {
      try? parent.unlink(name)
    }
  }
}
