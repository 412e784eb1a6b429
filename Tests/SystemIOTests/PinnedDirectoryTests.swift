import Testing

@testable import SystemIO

@Suite struct PinnedDirectoryTests {
  @Test(
    "offload 45: a link in any component stops the descent, and says it is a link",
    arguments: 0..<4)
  func links(position: Int) throws {
    let scratch = try Scratch()
    let names: [BytePath] = ["a", "b", "c", "d"]
    // The real tree, and beside it one in which the component at `position` is a link to it.
    try FileSystem.makeDirectories(scratch.path.appending("real/a/b/c/d"))
    var parent = try scratch.open().makeDirectory("linked")
    var target: BytePath = "../real"
    for (index, name) in names.enumerated() {
      target = target.appending(name)
      if index == position {
        let up = BytePath(String(repeating: "../", count: index))
        try parent.symlink(up.appending(target), as: name)
        break
      }
      parent = try parent.makeDirectory(name)
    }
    let path = try FileSystem.resolve(scratch.path).appending("linked/a/b/c/d")
    // The kernel itself would follow it.
    #expect(try FileSystem.metadata(path, followingLinks: true).kind == .directory)
    let absolute = try systemError { _ = try PinnedDirectory.open(path) }
    let relative = try systemError { _ = try scratch.open().descend("linked/a/b/c/d") }
    for error in [absolute, relative] {
      #expect(error.errno == .notDirectory)
      #expect(error.detail == PinnedDirectory.linkDetail)
      #expect(error.path?.lastComponent == names[position])
    }
  }

  @Test("A file in the way, dots and relative or absolute misuse are refused")
  func refusals() throws {
    let scratch = try Scratch()
    let path = try FileSystem.resolve(scratch.path)
    let directory = try PinnedDirectory.open(path)
    try scratch.file("file")
    let table: [(Errno, () throws -> Void)] = [
      (.notDirectory, { _ = try PinnedDirectory.open(path.appending("file")) }),
      (.noSuchFile, { _ = try PinnedDirectory.open(path.appending("none")) }),
      (.invalid, { _ = try PinnedDirectory.open("relative") }),
      (.invalid, { _ = try PinnedDirectory.open(path.appending("../x")) }),
      (.invalid, { _ = try PinnedDirectory.open(path.appending("./x")) }),
    ]
    for (errno, body) in table { #expect(try systemError(body).errno == errno) }
    #expect(try systemError { _ = try directory.descend("/etc") }.errno == .invalid)
    #expect(try systemError { _ = try directory.descend("..") }.errno == .invalid)
  }

  @Test(
    "No call on a name leaves the directory: empty, dots and slashes are refused",
    arguments: ["", ".", "..", "a/b", "/etc", "a/"] as [BytePath])
  func plainNames(_ name: BytePath) throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    try scratch.file("a")
    func refused(_ body: (borrowing PinnedDirectory) throws -> Void) throws {
      let error = try systemError { try body(directory) }
      #expect(error.errno == .invalid)
      #expect(error.detail == "not a plain name")
    }
    try refused { _ = try $0.openFile(name, .readOnly) }
    try refused { _ = try $0.metadata(of: name) }
    try refused { _ = try $0.makeDirectory(name) }
    try refused { try $0.unlink(name) }
    try refused { try $0.removeDirectory(name) }
    try refused { try $0.link(name, to: $0, "x") }
    try refused { try $0.link("a", to: $0, name) }
    try refused { try $0.rename(name, to: $0, "x") }
    try refused { try $0.rename("a", to: $0, name) }
    try refused { try $0.symlink("x", as: name) }
    try refused { _ = try $0.readLink(name) }
    #expect(try directory.list().map(\.name) == ["a"])
  }

  @Test("offload 46: renaming the displayed path does not redirect what was pinned")
  func renamedPath() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    let pinned = try root.makeDirectory("place")
    try root.rename("place", to: root, "moved")
    _ = try root.makeDirectory("place")
    try pinned.openFile("f", .writeOnly, options: .exclusiveCreate).close()
    #expect(try root.descend("moved").list().map(\.name) == ["f"])
    #expect(try root.descend("place").list().isEmpty)
  }

  @Test("offload 47: making a directory takes an existing one, and neither a file nor a link")
  func makeDirectory() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    let first = try root.makeDirectory("d").metadata()
    #expect(try root.makeDirectory("d").metadata().inode == first.inode)
    #expect(
      try systemError { _ = try root.makeDirectory("d", tolerant: false) }.errno == .fileExists)
    try scratch.file("file")
    try root.symlink("d", as: "link")
    #expect(try systemError { _ = try root.makeDirectory("file") }.errno == .notDirectory)
    let link = try systemError { _ = try root.makeDirectory("link") }
    #expect(link.errno == .notDirectory)
    #expect(link.detail == PinnedDirectory.linkDetail)
  }

  @Test("A link is never opened as a file, created through, or read as metadata of its target")
  func linkedFiles() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    try scratch.file("target", [1])
    try root.symlink("target", as: "link")
    try root.symlink("nothing", as: "dangling")
    #expect(try systemError { _ = try root.openFile("link", .readOnly) }.errno == .tooManyLinks)
    #expect(
      try systemError { _ = try root.openFile("dangling", .writeOnly, options: .create) }.errno
        == .tooManyLinks)
    #expect(try root.metadata(of: "link").kind == .symlink)
    #expect(try root.readLink("link") == "target")
    #expect(try systemError { _ = try root.readLink("target") }.errno == .invalid)
    #expect(try root.metadataIfPresent(of: "nothing") == nil)
  }

  @Test(
    "Publishing never replaces: link and rename refuse an existing name of any kind",
    arguments: ["file", "folder", "link"] as [BytePath])
  func noReplace(_ taken: BytePath) throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    try scratch.file("new", [1])
    try scratch.file("file", [2])
    _ = try root.makeDirectory("folder")
    try root.symlink("nowhere", as: "link")
    let before = try root.metadata(of: taken)
    let file = try root.openFile("new", .readOnly)
    #expect(try systemError { try root.link("new", to: root, taken) }.errno == .fileExists)
    #expect(try systemError { try root.link(descriptor: file, as: taken) }.errno == .fileExists)
    #expect(
      try systemError { try root.rename("new", to: root, taken, options: .noReplace) }.errno
        == .fileExists)
    #expect(try root.metadata(of: taken) == before)
    #expect(try root.metadata(of: "new").linkCount == 1)
  }

  @Test("rename moves, replaces when nothing is asked, and exchanges")
  func rename() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    let other = try root.makeDirectory("other")
    try scratch.file("a", [1])
    try scratch.file("b", [2, 2])
    try root.rename("a", to: other, "moved", options: .noReplace)
    #expect(try other.metadata(of: "moved").byteCount == 1)
    try other.rename("moved", to: root, "b", options: .exchange)
    #expect(try other.metadata(of: "moved").byteCount == 2)
    try root.rename("b", to: other, "moved")
    #expect(try other.metadata(of: "moved").byteCount == 1)
    #expect(try root.metadataIfPresent(of: "b") == nil)
  }

  @Test("A descriptor's file gets its name even when the name it had now stands for another file")
  func linkDescriptor() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    try scratch.file("temp", [1, 2, 3])
    let file = try root.openFile("temp", .readOnly)
    try root.rename("temp", to: root, "elsewhere")
    try scratch.file("temp")
    try root.link(descriptor: file, as: "final")
    #expect(try root.metadata(of: "final").identity == (try file.metadata().identity))
  }

  @Test("Names are raw bytes: 0xFF, newline, quotes, both Unicode spellings and 255 bytes")
  func names() throws {
    let scratch = try Scratch()
    let root = try scratch.open()
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 255)
    let raw: [[UInt8]] = [
      [0xff, 0xfe], Array("a\nb".utf8), Array("\"'\\".utf8), [0x20], Array("e\u{301}".utf8),
      Array("\u{e9}".utf8), long, Array("...".utf8), Array("-rf".utf8),
    ]
    let names = try raw.map { try #require(BytePath($0)) }
    for name in names { try root.openFile(name, .writeOnly, options: .exclusiveCreate).close() }
    #expect(Set(try root.list().map(\.name)) == Set(names))
    for name in names { #expect(try root.metadata(of: name).kind == .regular) }
    let longer = try #require(BytePath(long + [1]))
    #expect(try systemError { _ = try root.metadata(of: longer) }.errno == .nameTooLong)
    for name in names { try root.unlink(name) }
    #expect(try root.list().isEmpty)
  }

  @Test("A listing may be stopped, and every listing starts at the front")
  func listing() throws {
    let scratch = try Scratch()
    for index in 0..<700 { try scratch.file(BytePath("name-\(index)")) }
    let root = try scratch.open()
    var seen = 0
    try root.forEachEntry { _ in
      seen += 1
      return seen < 10
    }
    #expect(seen == 10)
    #expect(Set(try root.list().map(\.name)).count == 700)
    #expect(try root.list().count == 700)
  }

  @Test("An ancestor that may be searched but not read does not stop the descent")
  func searchOnly() throws {
    let scratch = try Scratch()
    try FileSystem.makeDirectories(scratch.path.appending("a/b"))
    let middle = try FileDescriptor.open(scratch.path.appending("a"), .readOnly)
    try middle.setMode(0o111)
    #expect(try scratch.open().descend("a/b").list().isEmpty)
  }

  @Test("The root itself can be pinned, and an empty descent is the same directory anew")
  func roots() throws {
    let root = try PinnedDirectory.open("/")
    #expect(
      try root.metadata().identity == (try FileSystem.metadata("/", followingLinks: true).identity))
    let again = try root.descend("")
    #expect(again.descriptor.rawValue != root.descriptor.rawValue)
    #expect(try again.metadata().identity == (try root.metadata().identity))
  }

  @Test("Statistics: free, available and name limits are those of the file system")
  func statistics() throws {
    let scratch = try Scratch()
    let statistics = try scratch.open().statistics()
    #expect(statistics.totalBytes >= statistics.freeBytes)
    #expect(statistics.freeBytes >= statistics.availableBytes)
    #expect(statistics.nameMax >= 255)
    #expect(statistics.blockSize > 0)
    let proc = try FileDescriptor.open("/proc", .readOnly).statistics()
    #expect(proc.magic == 0x9fa0)
  }
}
