import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// Real system calls on a clean volume in memory.
  @Suite struct Volume {
    private static func mounted(
      _ persona: String = "posix-strict", cache: CachePolicy = .none
    ) throws -> LiveMount {
      let persona = try #require(Persona.named(persona))
      return try LiveMount(cache: cache) {
        MemoryVolume(persona: persona, capacity: 64 << 20)
      }
    }

    @Test("Create, write, fsync, read back and close", arguments: [CachePolicy.none, .kernel])
    func files(_ cache: CachePolicy) throws {
      let live = try Self.mounted(cache: cache)
      defer { live.end() }
      let root = try PinnedDirectory.open(live.mountPoint)
      let file = try root.openFile("a", .readWrite, options: .exclusiveCreate)
      let bytes = pattern(600_000, 1)
      try file.writeAll(bytes)
      try file.fsync()
      #expect(try file.metadata().byteCount == 600_000)
      #expect(try file.readAll(at: 0, count: 700_000) == bytes)
      try file.close()
      #expect(try FileSystem.contents(of: live.mountPoint.appending("a")) == bytes)
      #expect(
        errno(of: { try root.openFile("a", .readWrite, options: .exclusiveCreate) }) == .fileExists)
      #expect(errno(of: { try root.openFile("b", .readOnly) }) == .noSuchFile)
    }

    @Test("Folders, links, renames with NOREPLACE and EXCHANGE, symbolic links, fsync of folders")
    func names() throws {
      let live = try Self.mounted()
      defer { live.end() }
      let root = try PinnedDirectory.open(live.mountPoint)
      let folder = try root.makeDirectory("folder")
      try root.openFile("a", .readWrite, options: .create).writeAll(Array("a".utf8))
      try root.openFile("b", .readWrite, options: .create).writeAll(Array("bb".utf8))
      try root.link("a", to: folder, "c")
      #expect(try folder.metadata(of: "c").linkCount == 2)
      #expect(try folder.metadata(of: "c").identity == root.metadata(of: "a").identity)
      #expect(errno(of: { try root.link("a", to: root, "b") }) == .fileExists)
      #expect(
        errno(of: { try root.rename("a", to: root, "b", options: .noReplace) }) == .fileExists)
      try root.rename("a", to: root, "b", options: .exchange)
      #expect(try root.metadata(of: "a").byteCount == 2)
      try root.rename("b", to: folder, "d", options: .noReplace)
      try root.rename("a", to: folder, "d")
      #expect(try folder.list().map(\.name).sorted() == ["c", "d"])
      #expect(try root.list().map(\.name) == ["folder"])
      try root.symlink("folder/c", as: "link")
      #expect(try root.readLink("link") == "folder/c")
      try folder.fsync()
      try root.fsync()
      #expect(errno(of: { try root.removeDirectory("folder") }) == .notEmpty)
      try folder.unlink("c")
      try folder.unlink("d")
      try root.removeDirectory("folder")
      try root.unlink("link")
      #expect(try root.list().isEmpty)
    }

    @Test("Truncate, allocate, holes, times, modes, attributes and free space")
    func attributes() throws {
      let live = try Self.mounted()
      defer { live.end() }
      let root = try PinnedDirectory.open(live.mountPoint)
      let before = try root.statistics().freeBytes
      let file = try root.openFile("a", .readWrite, options: .create)
      try file.writeAll(pattern(100_000, 1))
      #expect(ftruncate(file.rawValue, 50_000) == 0)
      #expect(ftruncate(file.rawValue, 1_000_000) == 0)
      #expect(try file.metadata().byteCount == 1_000_000)
      #expect(lseek(file.rawValue, 0, 4 /* SEEK_HOLE */) <= 53_248)
      #expect(try file.readAll(at: 49_999, count: 2) == [pattern(50_000, 1)[49_999], 0])
      #expect(posix_fallocate(file.rawValue, 0, 2_000_000) == 0)
      #expect(try file.metadata().byteCount == 2_000_000)
      #expect(try root.statistics().freeBytes + 2_000_000 <= before)
      #expect(fchmod(file.rawValue, 0o640) == 0)
      let moment = Timestamp(seconds: 1_700_000_000, nanoseconds: 123_456_789)
      try file.setTimes(modification: moment)
      let metadata = try file.metadata()
      #expect(metadata.mode & 0o777 == 0o640)
      #expect(metadata.modification == moment)
      try file.setExtendedAttribute("user.one", Array("value".utf8))
      #expect(try file.extendedAttribute("user.one") == Array("value".utf8))
      #expect(try file.extendedAttributeNames() == ["user.one"])
      try file.removeExtendedAttribute("user.one")
      #expect(try file.extendedAttributeNames().isEmpty)
    }

    @Test("A mapped write arrives")
    func mapping() throws {
      let live = try Self.mounted()
      defer { live.end() }
      let root = try PinnedDirectory.open(live.mountPoint)
      let file = try root.openFile("a", .readWrite, options: .create)
      try file.writeAll(pattern(10_000, 1))
      let memory = mmap(nil, 10_000, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0)
      let bytes = try #require(memory == MAP_FAILED ? nil : memory)
      memset(bytes + 9_000, 0x5a, 10)
      #expect(msync(bytes, 10_000, MS_SYNC) == 0)
      munmap(bytes, 10_000)
      #expect(try file.metadata().byteCount == 10_000)
      #expect(try file.readAll(at: 9_000, count: 10) == [UInt8](repeating: 0x5a, count: 10))
    }

    @Test("A single-threaded subject makes the same requests 200 times over")
    func determinism() throws {
      let persona = try #require(Persona.named("ext4"))
      let live = try LiveMount { Recorder(MemoryVolume(persona: persona, capacity: 64 << 20)) }
      defer { live.end() }
      var first: [String] = []
      for round in 0..<201 {
        try smallCopy(below: live.mountPoint)
        let trace = live.onLoop { rig -> [String] in
          guard let recorder = rig.served as? Recorder else { return [] }
          defer { recorder.reset() }
          return recorder.calls
        }
        // The first round primes what the kernel asks once for each mount.
        if round == 1 { first = trace }
        if round > 1 { #expect(trace == first) }
      }
      #expect(first.count > 40)
    }

    private func smallCopy(below place: BytePath) throws {
      let root = try PinnedDirectory.open(place)
      for name in [BytePath("one"), "two", "three"] {
        let temporary = BytePath(".tmp-\(name)")
        let file = try root.openFile(temporary, .readWrite, options: .exclusiveCreate)
        try file.writeAll(pattern(5000, 3))
        try file.fsync()
        _ = try file.readAll(at: 0, count: 5000)
        try file.close()
        try root.link(temporary, to: root, name)
        try root.unlink(temporary)
        _ = try root.metadata(of: name)
      }
      try root.fsync()
      _ = try root.list()
    }
  }
}

/// Keeps the words of every countable request.
private final class Recorder: Served {
  private let volume: MemoryVolume
  private(set) var calls: [String] = []

  init(_ volume: MemoryVolume) {
    self.volume = volume
  }

  func reset() {
    calls = []
    volume.reset()
  }

  func serve(_ request: Request) -> Settlement {
    switch request.call {
    case .forget, .release, .releasedir: break
    case .write(_, _, let offset, let data): calls.append("write \(offset) \(data.count)")
    case .lookup(_, let name): calls.append("lookup \(name)")
    case .create(_, let name, _, _): calls.append("create \(name)")
    case .read(_, _, let offset, let count): calls.append("read \(offset) \(count)")
    default: calls.append("\(request.call)".prefix { $0 != "(" }.description)
    }
    return volume.serve(request)
  }
}

/// The errno that a call fails with; nil when it does not.
func errno<Value: ~Copyable>(of body: () throws -> Value) -> Errno? {
  do {
    _ = try body()
    return nil
  } catch {
    return (error as? SystemError)?.errno
  }
}
