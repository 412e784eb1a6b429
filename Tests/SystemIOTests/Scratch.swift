import Testing

@testable import SystemIO

/// A new directory below the checkout's build folder, on a real disk as a rule; removed with its
/// content when the value goes.
final class Scratch {
  let path: BytePath

  init(file: String = #filePath) throws {
    let tests = try #require(BytePath(file).parent?.parent?.parent)
    path = tests.appending(".build").appending("scratch").appending(BytePath(RandomID().text))
    try FileSystem.makeDirectories(path)
  }

  deinit {
    guard let parent = path.parent, let directory = try? PinnedDirectory.open(parent) else {
      return
    }
    Self.remove(path.lastComponent, from: directory)
  }

  /// The directory, pinned.
  func open() throws -> PinnedDirectory {
    try PinnedDirectory.open(FileSystem.resolve(path))
  }

  /// Makes a file of some bytes.
  func file(_ name: BytePath, _ bytes: [UInt8] = []) throws {
    let file = try FileDescriptor.open(
      path.appending(name), .writeOnly, options: .exclusiveCreate)
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

/// The system error that `body` throws; a test failure when it throws none.
func systemError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> SystemError {
  do {
    try body()
  } catch let error as SystemError {
    return error
  }
  return try #require(nil as SystemError?, "nothing was thrown", sourceLocation: sourceLocation)
}
