#if DEBUG
  import Testing

  @testable import SystemIO

  /// One system call as a test makes it.
  struct Call: CustomTestStringConvertible, Sendable {
    let name: String
    let run: @Sendable (Scratch) throws -> Void
    var testDescription: String { name }

    init(_ name: String, _ run: @escaping @Sendable (Scratch) throws -> Void) {
      self.name = name
      self.run = run
    }

    /// A call on an open file of eight bytes.
    static func file(
      _ name: String, _ run: @escaping @Sendable (borrowing FileDescriptor) throws -> Void
    ) -> Call {
      Call(name) { scratch in
        let path = scratch.path.appending("file")
        let file = try FileDescriptor.open(path, .readWrite, options: [.create])
        try file.truncate(to: 8)
        try run(file)
      }
    }

    /// A call on an open directory that holds `a`, a link and an empty directory.
    static func directory(
      _ name: String, _ run: @escaping @Sendable (borrowing PinnedDirectory) throws -> Void
    ) -> Call {
      Call(name) { scratch in
        let directory = try scratch.open()
        try directory.openFile("a", .writeOnly, options: .create).close()
        if try directory.metadataIfPresent(of: "link") == nil {
          try directory.symlink("a", as: "link")
        }
        _ = try directory.makeDirectory("empty")
        try run(directory)
      }
    }

    private static func withBuffer(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
      let buffer = AlignedBuffer(byteCount: 4096)
      try body(UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<4]))
    }

    static let files: [Call] = [
      .file("pread") { file in try withBuffer { _ = try file.read(into: $0, at: 2) } },
      .file("read") { file in try withBuffer { _ = try file.read(into: $0) } },
      .file("pwrite") { file in
        try withBuffer { try file.writeAll(UnsafeRawBufferPointer($0), at: 2) }
      },
      .file("write") { file in try file.writeAll([1, 2]) },
      .file("fsync") { try $0.fsync() },
      .file("fdatasync") { try $0.fdatasync() },
      .file("ftruncate") { try $0.truncate(to: 3) },
      .file("fallocate") { try $0.allocate(offset: 0, byteCount: 8) },
      .file("futimens") { try $0.setTimes(modification: Timestamp(seconds: 5)) },
      .file("fchmod") { try $0.setMode(0o640) },
      .file("statx") { _ = try $0.metadata() },
      .file("fstatfs") { _ = try $0.statistics() },
      .file("lseek") { _ = try $0.seekData(from: 0) },
      .file("posix_fadvise") { try $0.adviseDontNeed() },
      .file("sync_file_range") { try $0.startWriteback(offset: 0, byteCount: 8) },
      .file("flock") { _ = try $0.tryLock() },
      .file("fcntl") { _ = try $0.duplicate() },
      .file("flistxattr") { _ = try $0.extendedAttributeNames() },
      .file("fgetxattr") { _ = try $0.extendedAttribute("user.none") },
      .file("fsetxattr") { try $0.setExtendedAttribute("user.some", [1]) },
    ]

    static let names: [Call] = [
      Call("openat") { _ = try FileDescriptor.open($0.path, .readOnly) },
      .directory("mkdirat") {
        _ = try $0.makeDirectory(BytePath("new-\(RandomID())"), tolerant: false)
      },
      .directory("getdents64") { _ = try $0.list() },
      .directory("unlinkat") { try $0.unlink("a") },
      .directory("linkat") { try $0.link("a", to: $0, BytePath("b-\(RandomID())")) },
      .directory("renameat2") { try $0.rename("a", to: $0, "c", options: .noReplace) },
      .directory("symlinkat") { try $0.symlink("x", as: BytePath("l-\(RandomID())")) },
      .directory("readlinkat") { _ = try $0.readLink("link") },
      Call("readlink") { _ in _ = try FileSystem.currentDirectory() },
      // On a disk it would wait for what everybody else has written.
      Call("syncfs") { _ in try FileDescriptor.open("/proc", .readOnly).syncFileSystem() },
      Call("mkdir") { try FileSystem.makeDirectories($0.path.appending("m")) },
    ]
  }

  @Suite struct ForcedErrnoTests {
    static let errnos: [Errno] = [
      .inputOutput, .noSpace, .quotaExceeded, .readOnly, .stale, .permissionDenied,
      Errno(rawValue: 511),
    ]

    @Test("A failed call names itself, its path and its errno", arguments: Call.files + Call.names)
    func named(_ call: Call) throws {
      for errno in Self.errnos {
        let scratch = try Scratch()
        let error = try systemError {
          try Interposer.with([.init(call.name, .fail(errno))]) { _ in try call.run(scratch) }
        }
        #expect(error.call == call.name)
        #expect(error.errno == errno)
        if !["readlink", "syncfs"].contains(call.name) {
          let place = try #require(error.path)
          #expect(place.bytes.starts(with: scratch.path.bytes), "\(place)")
        }
      }
    }

    @Test("EINTR is retried until the call is done", arguments: Call.files + Call.names)
    func interrupted(_ call: Call) throws {
      let scratch = try Scratch()
      try Interposer.with([.init(call.name, count: 3, .fail(.interrupted))]) { session in
        try call.run(scratch)
        #expect(session.fired == [3])
        #expect(session.trace.filter { $0.call == call.name }.count >= 4)
      }
    }

    @Test(
      "offload 56: an error of close, EINTR included, is reported and not retried",
      arguments: [Errno.interrupted, .inputOutput, .noSpace, .quotaExceeded])
    func close(_ errno: Errno) throws {
      let scratch = try Scratch()
      let path = scratch.path.appending("f")
      let number = try FileDescriptor.open(path, .writeOnly, options: .create).release()
      let (error, calls) = Interposer.with([.init("close", count: .max, .fail(errno))]) {
        session -> (SystemError?, [String]) in
        do throws(SystemError) {
          try FileDescriptor(owning: number, path: path).close()
          return (nil, [])
        } catch {
          return (error, session.trace.map(\.call))
        }
      }
      #expect(calls == ["close"])
      #expect(error?.errno == errno)
      #expect(error?.call == "close")
      #expect(error?.path == scratch.path.appending("f"))
    }

    @Test("A refused close has retired its descriptor: the reader of its pipe sees the end")
    func closeRetires() throws {
      try FileDescriptor.pipe().split { reading, writing in
        let number = writing.release()
        let error = Interposer.with([.init("close", .fail(.inputOutput))]) { _ -> SystemError? in
          do throws(SystemError) {
            try FileDescriptor(owning: number).close()
            return nil
          } catch {
            return error
          }
        }
        #expect(error != nil)
        let buffer = AlignedBuffer(byteCount: 16)
        let count = try reading.read(into: buffer.bytes)
        #expect(count == 0)
      }
    }

    @Test(
      "offload 57: short writes are continued at their offsets, and nothing written is an error")
    func shortWrites() throws {
      let scratch = try Scratch()
      let path = scratch.path.appending("f")
      let file = try FileDescriptor.open(path, .readWrite, options: .create)
      let bytes = [UInt8](0..<10)
      try Interposer.with([.init("pwrite", count: .max, .limit(3))]) { session in
        try bytes.withUnsafeBytes { try file.writeAll($0, at: 100) }
        #expect(session.trace.filter { $0.call == "pwrite" }.count == 4)
      }
      #expect(Array(try FileSystem.contents(of: path).suffix(10)) == bytes)
      let error = try systemError {
        try Interposer.with([.init("pwrite", nth: 2, .limit(0)), .init("pwrite", .limit(4))]) { _ in
          try bytes.withUnsafeBytes { try file.writeAll($0, at: 0) }
        }
      }
      #expect(error.errno == .inputOutput)
      #expect(error.offset == 4)
      #expect(error.detail == "wrote 0 bytes")
    }

    @Test("Short reads are continued, and the end of the file ends them")
    func shortReads() throws {
      let scratch = try Scratch()
      try scratch.file("f", [UInt8](0..<10))
      let file = try FileDescriptor.open(scratch.path.appending("f"), .readOnly)
      let buffer = AlignedBuffer(byteCount: 64)
      let count = try Interposer.with([.init("pread", count: .max, .limit(3))]) { _ in
        try file.readAll(into: buffer.bytes, at: 1)
      }
      #expect(count == 9)
      #expect(Array(buffer.prefix(9)) == [UInt8](1..<10))
    }

    @Test("Blocks are read on where a sector ends, and no more once a read ends within one")
    func blocks() throws {
      let scratch = try Scratch()
      try scratch.file("f", [UInt8](repeating: 7, count: 1000))
      let file = try FileDescriptor.open(scratch.path.appending("f"), .readOnly)
      let buffer = AlignedBuffer(byteCount: AlignedBuffer.alignment)
      for (limit, calls) in [(Int.max, 1), (512, 2), (1000, 1)] {
        try Interposer.with([.init("pread", count: .max, .limit(limit))]) { session in
          let count = try file.readBlocks(into: buffer.bytes, at: 0)
          #expect(count == 1000)
          #expect(session.trace.count == calls)
        }
      }
    }

    @Test("A call performed and then reported as failed has happened")
    func failAfter() throws {
      let scratch = try Scratch()
      let directory = try scratch.open()
      try scratch.file("a")
      let error = try systemError {
        try Interposer.with([.init("linkat", .failAfter(.inputOutput))]) { _ in
          try directory.link("a", to: directory, "b")
        }
      }
      #expect(error.errno == .inputOutput)
      #expect(try directory.metadata(of: "b").linkCount == 2)
    }

    @Test("offload 9: an error in the middle of a listing fails the listing")
    func listing() throws {
      let scratch = try Scratch()
      for index in 0..<2000 { try scratch.file(BytePath("a-rather-long-name-\(index)")) }
      let directory = try scratch.open()
      let calls = try Interposer.with([]) { session in
        _ = try directory.list()
        return session.trace.filter { $0.call == "getdents64" }.count
      }
      #expect(calls > 2)
      for nth in 1...calls {
        let error = try systemError {
          try Interposer.with([.init("getdents64", nth: nth, .fail(.inputOutput))]) { _ in
            _ = try directory.list()
          }
        }
        #expect(error.errno == .inputOutput)
      }
    }

    @Test("The n-th call fails and no other, until none is left: a sweep of a whole operation")
    func sweep() throws {
      var hits = 0
      for nth in 1... {
        let scratch = try Scratch()
        let (fired, failed) = try Interposer.with(
          [.init(nil, nth: nth, .fail(.inputOutput))], within: scratch.path
        ) { session in
          var failed = false
          do {
            let directory = try scratch.open()
            let file = try directory.openFile("f", .writeOnly, options: .exclusiveCreate)
            try file.writeAll([1])
            try file.fsync()
            try file.close()
            try directory.fsync()
          } catch is SystemError {
            failed = true
          }
          return (session.fired[0], failed)
        }
        #expect(failed == (fired == 1))
        if fired == 0 { break }
        hits += 1
      }
      #expect(hits >= 6)
    }

    @Test("A rule for one path leaves other paths alone, and other threads")
    func scope() throws {
      let scratch = try Scratch()
      try Interposer.with([.init("openat", path: "wanted", .fail(.inputOutput))]) { session in
        try FileDescriptor.open(scratch.path, .readOnly).close()
        let thread = try Thread(name: "other") { [path = scratch.path] in
          _ = try? FileDescriptor.open(path.appending("wanted"), .readOnly)
        }
        thread.join()
        #expect(session.fired == [0])
        #expect(throws: SystemError.self) {
          _ = try FileDescriptor.open(scratch.path.appending("wanted"), .readOnly)
        }
        #expect(session.fired == [1])
      }
    }

    @Test("A session of the process sees every thread's calls on its paths")
    func processScope() async throws {
      let scratch = try Scratch()
      let path = scratch.path.appending("none")
      try await Interposer.withProcess([], within: scratch.path) { session in
        let pool = try ThreadPool(name: "p", threadCount: 2)
        for _ in 0..<4 { await pool.run { _ = try? FileDescriptor.open(path, .readOnly) } }
        pool.shutdown()
        #expect(session.trace.filter { $0.call == "openat" && $0.path == path }.count == 4)
      }
    }
  }
#endif
