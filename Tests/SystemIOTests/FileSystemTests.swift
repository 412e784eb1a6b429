import Testing

@testable import SystemIO

@Suite struct FileSystemTests {
  @Test("resolve follows every link and keeps raw bytes")
  func resolve() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    let name = try #require(BytePath([0xff, 0x0a, 0x41]))
    _ = try root.makeDirectory(name)
    try root.symlink(name, as: "link")
    let resolved = try FileSystem.resolve(scratch.path.appending("link"))
    #expect(resolved == (try FileSystem.resolve(scratch.path)).appending(name))
    try root.symlink("loop", as: "loop")
    #expect(
      try systemError { _ = try FileSystem.resolve(scratch.path.appending("loop")) }.errno
        == .tooManyLinks)
  }

  @Test("Missing parents are made, existing ones taken, a file in the way is an error")
  func makeDirectories() throws {
    let scratch = try Scratch()
    try FileSystem.makeDirectories(scratch.path.appending("a/b/c"))
    try FileSystem.makeDirectories(scratch.path.appending("a/b/c"))
    #expect(try scratch.open().descend("a/b/c").list().isEmpty)
    try scratch.file("file")
    #expect(
      try systemError { try FileSystem.makeDirectories(scratch.path.appending("file")) }.errno
        == .fileExists)
    #expect(
      try systemError { try FileSystem.makeDirectories(scratch.path.appending("file/x")) }.errno
        == .notDirectory)
  }

  @Test("Contents are read whole up to the limit and refused above it")
  func contents() throws {
    let scratch = try Scratch()
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    try scratch.file("f", bytes)
    let path = scratch.path.appending("f")
    #expect(try FileSystem.contents(of: path, limit: 100_000) == bytes)
    #expect(
      try systemError { _ = try FileSystem.contents(of: path, limit: 99_999) }.errno
        == .fileTooLarge)
    #expect(
      try systemError { _ = try FileSystem.metadata("", followingLinks: true) }.errno == .noSuchFile
    )
  }
}
