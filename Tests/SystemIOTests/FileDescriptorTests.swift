import Glibc
import Testing

@testable import SystemIO

@Suite struct FileDescriptorTests {
  @Test("open tells why: missing, a directory in the way, existing, a link, a file as directory")
  func openErrors() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    try scratch.file("file")
    try directory.symlink("file", as: "link")
    let table: [(BytePath, FileAccess, OpenOptions, Errno)] = [
      ("none", .readOnly, [], .noSuchFile),
      (".", .writeOnly, [], .isDirectory),
      ("file", .writeOnly, .exclusiveCreate, .fileExists),
      ("link", .writeOnly, .exclusiveCreate, .fileExists),
      ("link", .readOnly, .noFollow, .tooManyLinks),
      ("file", .readOnly, .directory, .notDirectory),
      ("file/below", .readOnly, [], .notDirectory),
    ]
    for (name, access, options, errno) in table {
      let path = scratch.path.appending(name)
      let error = try systemError { _ = try FileDescriptor.open(path, access, options: options) }
      #expect(error.errno == errno, "\(name)")
      #expect(error.path == path)
      #expect(error.call == "openat")
    }
  }

  @Test("The kernel copies a range from the start of one file to the start of another")
  func copyRange() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    let from = try directory.openFile("from", .readWrite, options: .exclusiveCreate, mode: 0o644)
    let to = try directory.openFile("to", .readWrite, options: .exclusiveCreate, mode: 0o644)
    try from.writeAll(Array("seven bytes".utf8))
    #expect(try from.copyRange(to: to, byteCount: 5) == 5)
    #expect(try FileSystem.contents(of: scratch.path.appending("to")) == Array("seven".utf8))
    let error = try systemError { _ = try from.copyRange(to: from, byteCount: 5) }
    #expect(error.call == "copy_file_range" && error.errno == .invalid, "one file onto itself")
  }

  @Test("A write to a full device is ENOSPC with the offset")
  func full() throws {
    let device = try FileDescriptor.open("/dev/full", .writeOnly)
    let error = try systemError { try device.writeAll([1, 2, 3]) }
    #expect(error.errno == .noSpace)
    #expect(error.description == "write(/dev/full): No space left on device [ENOSPC 28]")
  }

  @Test("Dropping a descriptor closes it, releasing it does not")
  func ownership() throws {
    try FileDescriptor.pipe().split { reading, writing in
      let number = writing.release()
      let buffer = AlignedBuffer(byteCount: 16)
      do {
        let unowned = FileDescriptor(unowned: number)
        try unowned.writeAll([7])
      }
      let first = try reading.read(into: buffer.bytes)
      do { _ = FileDescriptor(owning: number) }
      let second = try reading.read(into: buffer.bytes)
      #expect([first, second] == [1, 0])
    }
  }

  @Test("Descriptors are closed on exec, duplicates too")
  func closeOnExec() throws {
    let file = try FileDescriptor.open("/", .readOnly)
    let copy = try file.duplicate()
    for number in [file.rawValue, copy.rawValue] { #expect(fcntl(number, F_GETFD) == FD_CLOEXEC) }
  }

  @Test("Times are kept to the nanosecond; both are set, the access time to now unless given")
  func times() throws {
    let scratch = try Scratch()
    let file = try FileDescriptor.open(scratch.path.appending("f"), .writeOnly, options: .create)
    try file.setTimes(modification: Timestamp(seconds: 1), access: Timestamp(seconds: 1))
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)
    try file.setTimes(modification: time)
    let after = try file.metadata()
    #expect(after.modification == time)
    #expect(after.access.seconds >= time.seconds)
    let early = Timestamp(seconds: -1, nanoseconds: 999_999_999)
    try file.setTimes(modification: early, access: time)
    #expect(try file.metadata().modification == early)
    #expect(try file.metadata().access == time)
  }

  @Test("Metadata of each kind of entry, links not followed")
  func kinds() throws {
    let scratch = try Scratch()
    let directory = try scratch.open()
    try scratch.file("file", [1, 2, 3])
    try directory.symlink("nowhere", as: "link")
    _ = try directory.makeDirectory("folder")
    let made = scratch.path.appending("fifo").withCString { mkfifo($0, 0o600) }
    #expect(made == 0)
    let kinds: [(BytePath, FileKind)] = [
      ("file", .regular), ("link", .symlink), ("folder", .directory), ("fifo", .fifo),
    ]
    for (name, kind) in kinds {
      #expect(try directory.metadata(of: name).kind == kind)
      #expect(
        try FileSystem.metadata(scratch.path.appending(name), followingLinks: false).kind == kind)
    }
    let listed = Dictionary(uniqueKeysWithValues: try directory.list().map { ($0.name, $0.kind) })
    for (name, kind) in kinds { #expect(listed[name] == .some(kind)) }
    let file = try directory.metadata(of: "file")
    #expect(file.byteCount == 3)
    #expect(file.mode == 0o600)
    #expect(file.linkCount == 1)
    #expect(file.mountID == (try directory.metadata().mountID))
    #expect(try FileSystem.metadata("/dev/null", followingLinks: true).kind == .character)
    let error = try systemError {
      _ = try FileSystem.metadata(scratch.path.appending("link"), followingLinks: true)
    }
    #expect(error.errno == .noSuchFile)
  }

  @Test("Holes and data are told apart where the file system knows them")
  func holes() throws {
    let scratch = try Scratch()
    let file = try FileDescriptor.open(scratch.path.appending("f"), .readWrite, options: .create)
    try file.truncate(to: 1 << 20)
    try [1, 2, 3].withUnsafeBytes { try file.writeAll(UnsafeRawBufferPointer($0), at: 512 << 10) }
    let first = try #require(try file.seekData(from: 0))
    #expect(first == 0 || first == 512 << 10)
    #expect(try file.seekHole(from: 512 << 10) != nil)
    #expect(try file.seekHole(from: 2 << 20) == nil)
    #expect(try file.seekData(from: 1 << 20) == nil)
  }

  @Test("Only one descriptor holds the lock")
  func lock() throws {
    let scratch = try Scratch()
    let path = scratch.path.appending("f")
    let first = try FileDescriptor.open(path, .writeOnly, options: .create)
    let second = try FileDescriptor.open(path, .writeOnly)
    #expect(try first.tryLock())
    #expect(try !second.tryLock())
    try first.close()
    #expect(try second.tryLock())
  }

  @Test("Extended attributes are set, listed, read and removed; a missing one is nil")
  func attributes() throws {
    let scratch = try Scratch()
    let file = try FileDescriptor.open(scratch.path.appending("f"), .readWrite, options: .create)
    do throws(SystemError) {
      try file.setExtendedAttribute("user.custody", [0, 1, 255])
    } catch {
      // Some file systems have none; that they say so is all there is to test then.
      #expect(error.errno == .notSupported)
      return
    }
    try file.setExtendedAttribute("user.empty", [])
    #expect(try file.extendedAttribute("user.custody") == [0, 1, 255])
    #expect(try file.extendedAttribute("user.empty") == [])
    #expect(try file.extendedAttribute("user.none") == nil)
    #expect(Set(try file.extendedAttributeNames()).isSuperset(of: ["user.custody", "user.empty"]))
    try file.removeExtendedAttribute("user.custody")
    #expect(try file.extendedAttribute("user.custody") == nil)
  }

  @Test("A timestamp carries nanoseconds over, forward and back")
  func timestamps() {
    let time = Timestamp(seconds: 10, nanoseconds: 999_999_999)
    #expect(time + .nanoseconds(1) == Timestamp(seconds: 11))
    #expect(time + .nanoseconds(-1_000_000_000) == Timestamp(seconds: 9, nanoseconds: 999_999_999))
    #expect(
      Timestamp(seconds: 1) + .milliseconds(-1) == Timestamp(seconds: 0, nanoseconds: 999_000_000))
    #expect(Timestamp(seconds: 1, nanoseconds: 2) < Timestamp(seconds: 1, nanoseconds: 3))
    #expect(Timestamp(seconds: 1, nanoseconds: 9) < Timestamp(seconds: 2))
  }
}
