import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// The mount itself, over a volume of one file.
  @Suite struct Session {
    @Test("50 mounts and unmounts leave no mount and no descriptor")
    func cycles() throws {
      let before = try fuseDescriptorCount()
      for _ in 0..<50 {
        let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
        let bytes = try FileSystem.contents(of: live.mountPoint.appending("file"))
        #expect(bytes == Array("hello".utf8))
        live.end()
      }
      #expect(Mounts.tagged().filter { $0.tag.pid == getpid() }.isEmpty)
      #expect(try fuseDescriptorCount() == before)
    }

    @Test("Attributes, listings, statistics and writes arrive as the volume gives them")
    func everyKindOfAnswer() throws {
      let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
      defer { live.end() }
      let path = live.mountPoint.appending("file")
      let metadata = try FileSystem.metadata(path, followingLinks: false)
      #expect(metadata.byteCount == 5)
      #expect(metadata.mode & 0o777 == 0o644)
      #expect(metadata.uid == getuid())
      #expect(metadata.modification == Timestamp(seconds: 1, nanoseconds: 500_000_000))
      #expect(metadata.change == Timestamp(seconds: -1, nanoseconds: 999_999_999))
      let folder = try PinnedDirectory.open(live.mountPoint)
      #expect(try folder.list().map(\.name) == ["file"])
      #expect(try folder.statistics().totalBytes == 4_096_000)
      #expect(throws: SystemError.self) {
        try FileSystem.metadata(live.mountPoint.appending("x"), followingLinks: false)
      }
      let file = try FileDescriptor.open(path, .readWrite)
      try file.writeAll(Array("HELLO, world".utf8))
      #expect(try FileSystem.contents(of: path) == Array("HELLO, world".utf8))
    }

    @Test(
      "What a re-read reaches: the volume under none, the page cache under kernel until DONTNEED",
      arguments: [CachePolicy.none, .kernel])
    func cachePolicy(_ policy: CachePolicy) throws {
      let live = try LiveMount(cache: policy) { OneFileVolume(bytes: pattern(65536, 1)) }
      defer { live.end() }
      let file = try FileDescriptor.open(live.mountPoint.appending("file"), .readOnly)
      #expect(try file.readAll(at: 0, count: 65536) == pattern(65536, 1))
      live.onLoop { rig in (rig.served as? OneFileVolume)?.bytes = pattern(65536, 2) }
      let again = try file.readAll(at: 0, count: 65536)
      #expect(again == (policy == .none ? pattern(65536, 2) : pattern(65536, 1)))
      let fresh = try FileDescriptor.open(live.mountPoint.appending("file"), .readOnly)
      #expect(try fresh.readAll(at: 0, count: 65536) == again)
      let proof = try PageCache.evict(file)
      #expect(proof == .proven)
      #expect(try file.readAll(at: 0, count: 65536) == pattern(65536, 2))
    }

    @Test(
      "Shared mappings work under none, and fail with ENODEV under nommap",
      arguments: [false, true])
    func sharedMapping(noMmap: Bool) throws {
      let live = try LiveMount(noMmap: noMmap) { OneFileVolume(bytes: pattern(8192, 1)) }
      defer { live.end() }
      let file = try FileDescriptor.open(live.mountPoint.appending("file"), .readWrite)
      let memory = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
      guard !noMmap else {
        #expect(memory == MAP_FAILED && errno == ENODEV)
        return
      }
      let bytes = try #require(memory == MAP_FAILED ? nil : memory)
      #expect(bytes.load(as: UInt8.self) == pattern(8192, 1)[0])
      memset(bytes + 100, 0x5a, 5)
      #expect(msync(bytes, 8192, MS_SYNC) == 0)
      munmap(bytes, 8192)
      let stored = live.onLoop { ($0.served as? OneFileVolume)?.bytes ?? [] }
      #expect(Array(stored[100..<105]) == [UInt8](repeating: 0x5a, count: 5))
    }

    @Test("An act that serves requests ends before the next one begins, and answers wait for both")
    func actsInTurn() throws {
      let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
      defer { live.end() }
      let log = Monitor<[String]>([])
      @Sendable func note(_ text: String) { log.update { $0.append(text) } }
      live.onLoop { rig in
        let loop = rig.loop
        loop.beforeAnswer {
          note("ejection begins")
          // What a rule of another volume asks for meanwhile; the client's request is answered
          // behind it.
          loop.beforeAnswer { note("insertion") }
          try? loop.serveWhile { usleep(500_000) }
          note("ejection ends")
        }
      }
      let point = live.mountPoint.escaped
      var client = try ChildProcess.spawn(
        ChildProcess.Command("/bin/sh", ["-c", "sleep 0.2; stat \(point)"].map { Array($0.utf8) }))
      #expect(try FileSystem.contents(of: live.mountPoint.appending("file")) == Array("hello".utf8))
      #expect(try client.wait(timeout: .seconds(5)) == .exited(0))
      #expect(log.read { $0 } == ["ejection begins", "ejection ends", "insertion"])
    }

    @Test("A held request is answered when its time comes")
    func held() throws {
      let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
      defer { live.end() }
      live.onLoop { rig in
        (rig.served as? OneFileVolume)?.holdReadsUntil = .now + .milliseconds(150)
      }
      let start = ContinuousClock.now
      let bytes = try FileSystem.contents(of: live.mountPoint.appending("file"))
      #expect(bytes == Array("hello".utf8))
      #expect(ContinuousClock.now - start >= .milliseconds(140))
    }

    @Test("A client of a held request dies at once when it is killed")
    func heldAndKilled() throws {
      let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
      defer { live.end() }
      live.onLoop { ($0.served as? OneFileVolume)?.holdReadsUntil = .now + .seconds(60) }
      var cat = try ChildProcess.spawn(
        ChildProcess.Command("/bin/cat", [live.mountPoint.appending("file").bytes]))
      #expect(try cat.wait(timeout: .milliseconds(200)) == nil)
      try cat.kill(.kill)
      #expect(try cat.wait(timeout: .seconds(5)) == .signalled(.kill))
    }

    @Test("A mount that ends fails its client instead of hanging it")
    func endWithClient() throws {
      let live = try LiveMount { OneFileVolume(bytes: Array("hello".utf8)) }
      live.onLoop { ($0.served as? OneFileVolume)?.holdReadsUntil = .now + .seconds(60) }
      var cat = try ChildProcess.spawn(
        ChildProcess.Command("/bin/cat", [live.mountPoint.appending("file").bytes]))
      #expect(try cat.wait(timeout: .milliseconds(200)) == nil)
      live.end()
      #expect(try cat.wait(timeout: .seconds(5)) == .exited(1))
    }
  }
}

/// Bytes that differ by seed and by place.
func pattern(_ count: Int, _ seed: UInt8) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 / 4096 &* 7 &+ $0) ^ seed }
}

extension FileDescriptor {
  /// Up to `count` bytes at an offset.
  borrowing func readAll(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
    let buffer = AlignedBuffer(byteCount: count)
    var done = 0
    while done < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[done..<count])
      let got = try read(into: rest, at: offset + Int64(done))
      if got == 0 { break }
      done += got
    }
    return Array(buffer.prefix(done))
  }
}

/// Descriptors of this process that are connections of FUSE.
func fuseDescriptorCount() throws -> Int {
  let folder = try PinnedDirectory.open(BytePath("/proc/\(getpid())/fd"))
  return try folder.list().filter { (try? folder.readLink($0.name)) == "/dev/fuse" }.count
}
