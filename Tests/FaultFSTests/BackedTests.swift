import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("The backed volume")
struct BackedTests {
  /// A folder of its own that goes with the test.
  final class Scratch {
    let path: BytePath

    init() throws {
      var template = Array("/tmp/custody-backed-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil, let path = BytePath(template.dropLast().map { UInt8($0) })
      else { throw RigError("no scratch folder") }
      self.path = path
    }

    deinit {
      let folder = try? BackingFolder(path)
      try? folder?.empty("")
      path.withCString { _ = rmdir($0) }
    }

    func bytes(_ name: BytePath) -> [UInt8]? {
      try? FileSystem.contents(of: path.appending(name))
    }
  }

  static let data = sampleBytes(3, 200_000)

  private func made(
    _ scratch: Scratch, _ barriers: Barriers = .weak, owned: Bool = true,
    _ change: (inout Persona) -> Void = { _ in }
  ) throws -> (store: MemoryVolume, bench: Bench) {
    let store = MemoryVolume(
      persona: .plain(barriers, change), capacity: 64 << 20,
      backing: try BackingFolder(scratch.path), ownsBacking: owned)
    try store.load(PlannedTree())
    return (store, Bench(store))
  }

  @Test("Files, folders, links, renames and times stand in the folder under the same names")
  func names() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    bench.mkdir("D")
    let file = try #require(bench.put("D/f", Self.data))
    #expect(scratch.bytes("D/f") == Self.data)
    #expect(bench.link(file.node, "g") == nil)
    #expect(bench.rename("D/f", "D/h") == nil)
    #expect(bench.rename("D", "E") == nil)
    #expect(scratch.bytes("E/h") == Self.data)
    #expect(scratch.bytes("g") == Self.data)
    var change = AttributeChange()
    change.modification = .at(1_234_567_890_123_456_789)
    change.mode = 0o600
    _ = bench.ask(.setattr(file.node, handle: nil, change))
    let metadata = try FileSystem.metadata(scratch.path.appending("g"), followingLinks: false)
    #expect(metadata.modification == Timestamp(seconds: 1_234_567_890, nanoseconds: 123_456_789))
    #expect(metadata.mode == 0o600 && metadata.linkCount == 2)
    #expect(bench.unlink("g") == nil)
    #expect(bench.unlink("E/h") == nil)
    #expect(bench.error(.rmdir(parent: 1, name: "E")) == nil)
    #expect(bench.error(.symlink(parent: 1, name: "l", text: "nowhere")) == nil)
    #expect(try FileSystem.readLink(scratch.path.appending("l")) == "nowhere")
    #expect(try store.snapshot(.volatile).paths == ["", "l"])
  }

  @Test("What is made in a folder that moved, gave way to another or came again stands in that one")
  func places() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    for name in ["A", "B", "A/in"] as [BytePath] { #expect(bench.mkdir(name) == nil) }
    _ = try #require(bench.put("A/in/1", Self.data))
    #expect(bench.rename("A/in", "B/in") == nil)
    _ = try #require(bench.put("B/in/2", Self.data))
    #expect(scratch.bytes("B/in/2") == Self.data)
    // The name gets another folder: over an empty one, by exchange, and made anew.
    #expect(bench.mkdir("C") == nil)
    _ = try #require(bench.put("C/3", Self.data))
    #expect(bench.rename("A", "D") == nil)
    _ = try #require(bench.put("D/4", Self.data))
    #expect(bench.rename("C", "A") == nil)
    _ = try #require(bench.put("A/5", Self.data))
    #expect(scratch.bytes("A/3") == Self.data && scratch.bytes("A/5") == Self.data)
    #expect(bench.rename("A", "D", flags: 2) == nil)
    _ = try #require(bench.put("D/6", Self.data))
    #expect(scratch.bytes("D/5") == Self.data && scratch.bytes("D/6") == Self.data)
    #expect(scratch.bytes("A/4") == Self.data)
    #expect(bench.unlink("A/4") == nil)
    #expect(bench.error(.rmdir(parent: 1, name: "A")) == nil)
    #expect(bench.mkdir("A") == nil)
    _ = try #require(bench.put("A/7", Self.data))
    #expect(scratch.bytes("A/7") == Self.data)
    #expect(bench.fsyncFolder("A") == nil)
    // Folders of the backing folder are made anew by a power cut that takes names.
    store.syncAll()
    _ = try #require(bench.put("A/8", Self.data))
    store.dropVolatile()
    _ = try #require(bench.put("A/9", Self.data))
    #expect(scratch.bytes("A/9") == Self.data && scratch.bytes("A/8") == nil)
    #expect(try store.snapshot(.volatile).paths.contains("A/7"))
  }

  @Test("A folder that is gone and still open takes no times and no barrier for another one")
  func goneFolder() throws {
    let scratch = try Scratch()
    let (_, bench) = try made(scratch)
    #expect(bench.mkdir("A") == nil)
    let node = try #require(bench.node("A"))
    guard case .opened(let handle) = bench.ask(.opendir(node)) else {
      Issue.record("the folder opens")
      return
    }
    #expect(bench.error(.rmdir(parent: 1, name: "A")) == nil)
    var change = AttributeChange()
    change.modification = .at(1_000_000_000)
    _ = bench.ask(.setattr(node, handle: handle, change))
    #expect(bench.error(.fsyncdir(node, handle)) == nil)
    let root = try FileSystem.metadata(scratch.path, followingLinks: false)
    #expect(root.modification.seconds != 1)
  }

  @Test("Beyond the limit files rest and are opened again; one that is gone frees its descriptor")
  func resting() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    let backing = try #require(store.backing)
    backing.openFiles = OpenFiles(limit: 3)
    let names = (0..<8).map { BytePath("f\($0)") }
    for (index, name) in names.enumerated() {
      let file = try #require(bench.put(name, sampleBytes(UInt64(index), 70_000)))
      #expect(bench.close(file) == nil)
      #expect(backing.openFiles.count == min(3, index + 1))
    }
    for (index, name) in names.enumerated() {
      let file = try #require(bench.open(name))
      #expect(bench.read(file, at: 0, 70_000) == sampleBytes(UInt64(index), 70_000))
      #expect(bench.close(file) == nil)
    }
    #expect(backing.openFiles.count == 3)
    // The middle, the newest and the oldest of those that are open.
    for (left, name) in [(2, "f6"), (1, "f7"), (0, "f5")] as [(Int, BytePath)] {
      let node = try #require(bench.node(name))
      #expect(bench.unlink(name) == nil)
      _ = bench.ask(.forget(node, lookups: .max))
      #expect(backing.openFiles.count == left)
    }
    let last = try #require(bench.open("f0"))
    #expect(bench.read(last, at: 0, 70_000) == sampleBytes(0, 70_000))
  }

  @Test("Somebody's files are shown and written in place; a load removes none of them")
  func adopted() throws {
    let scratch = try Scratch()
    do {
      let (_, bench) = try made(scratch)
      bench.mkdir("D")
      _ = try #require(bench.put("D/f", Self.data))
    }
    let (store, bench) = try made(scratch, owned: false)
    #expect(bench.readAll("D/f") == Self.data)
    #expect(try store.snapshot(.durable)["D/f"]?.byteCount == 200_000)
    let file = try #require(bench.open("D/f", flags: O_RDWR))
    #expect(bench.write(file, [9, 9], at: 5) == .count(2))
    #expect(bench.close(file) == nil)
    #expect(scratch.bytes("D/f")?[5] == 9)
    bench.mkdir("d")
    let (_, folding) = try made(scratch, owned: false) { $0.names.isCaseSensitive = false }
    #expect(folding.list().count == 1)
  }

  @Test("A power cut takes bytes, sizes and names back to what was synced, in the folder too")
  func cut() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    let kept = try #require(bench.put("kept", Self.data))
    let gone = try #require(bench.put("gone", [1, 2, 3]))
    _ = try #require(bench.put("old", [7]))
    #expect(bench.fsyncFolder("") == nil)
    // Overwritten, grown, cut, renamed, removed and replaced without a barrier.
    let file = try #require(bench.open("kept", flags: O_RDWR))
    #expect(bench.write(file, sampleBytes(4, 100_000), at: 50_000) == .count(100_000))
    #expect(bench.write(file, sampleBytes(5, 10_000), at: 300_000) == .count(10_000))
    #expect(try store.snapshot(.durable)["kept"]?.digest == digest(Self.data))
    #expect(bench.rename("kept", "moved") == nil)
    #expect(bench.unlink("gone") == nil)
    _ = try #require(bench.put("new", [4]))
    _ = try #require(bench.put("other", [5, 5]))
    #expect(bench.rename("other", "old") == nil)
    #expect(try store.snapshot(.durable).paths == ["", "gone", "kept", "old"])
    #expect(try store.snapshot(.durable)["old"]?.byteCount == 1)
    store.dropVolatile()
    #expect(bench.list() == ["kept", "gone", "old"])
    #expect(bench.readAll("kept") == Self.data)
    #expect(bench.readAll("gone") == [1, 2, 3])
    #expect(scratch.bytes("kept") == Self.data)
    #expect(scratch.bytes("gone") == [1, 2, 3])
    #expect(scratch.bytes("old") == [7])
    #expect(scratch.bytes("new") == nil && scratch.bytes("moved") == nil)
    _ = (kept, gone)
    #expect(try store.snapshot(.volatile) == store.snapshot(.durable))
  }

  @Test("A power cut that takes nothing but new files takes them from the folder too")
  func cutNew() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    _ = try #require(bench.put("kept", Self.data))
    bench.mkdir("D")
    #expect(bench.fsyncFolder("") == nil)
    bench.mkdir("D/E")
    _ = try #require(bench.put("D/E/new", [4]))
    store.dropVolatile()
    #expect(try store.snapshot(.volatile).paths == ["", "D", "kept"])
    #expect(scratch.bytes("D/E/new") == nil && scratch.bytes("kept") == Self.data)
    store.mountAnew()
    bench.mkdir("D/E")
    #expect(bench.put("D/E/new", [5]) != nil)
    #expect(try store.snapshot(.volatile)["D/E/new"]?.byteCount == 1)
  }

  @Test("What is lost or forgotten never lasts, and what is written again does")
  func losses() throws {
    let scratch = try Scratch()
    let (store, bench) = try made(scratch)
    let file = try #require(bench.create("f"))
    #expect(bench.writeAll(file, Self.data))
    store.lose(file.node, ByteRange(offset: 1000, count: 50))
    #expect(bench.fsync(file) == nil)
    #expect(bench.fsyncFolder("") == nil)
    var expected = Self.data
    expected.replaceSubrange(1000..<1050, with: repeatElement(0, count: 50))
    #expect(try store.snapshot(.durable)["f"]?.digest == digest(expected))
    #expect(try store.snapshot(.volatile)["f"]?.digest == digest(Self.data))
    #expect(bench.write(file, sampleBytes(9, 100), at: 0) == .count(100))
    store.loseUnsynced(file.node)
    #expect(bench.fsync(file) == nil)
    #expect(try store.snapshot(.durable)["f"]?.digest == digest(expected))
    #expect(bench.writeAll(file, Self.data))
    #expect(bench.fsync(file) == nil)
    #expect(try store.snapshot(.durable)["f"]?.digest == digest(Self.data))
  }

  @Test("The same requests give the same tree, numbers aside, as on the volume in memory")
  func sameAsMemory() throws {
    let scratch = try Scratch()
    let (backed, one) = try made(scratch, .strict)
    let memory = MemoryVolume(persona: .plain(.strict), capacity: 64 << 20)
    let two = Bench(memory)
    for bench in [one, two] {
      bench.mkdir("A")
      let file = try #require(bench.put("A/x", Self.data))
      #expect(bench.rename("A/x", "A/y", flags: 1) == nil)
      #expect(bench.link(file.node, "z") == nil)
      let again = try #require(bench.open("z", flags: O_RDWR))
      var change = AttributeChange()
      change.byteCount = 70_000
      _ = bench.ask(.setattr(again.node, handle: again.handle, change))
      #expect(bench.write(again, [1], at: 90_000) == .count(1))
      #expect(
        bench.error(.fallocate(again.node, again.handle, mode: 3, offset: 100, count: 5000)) == nil)
      #expect(bench.fsync(again) == nil)
      #expect(bench.unlink("A/y") == nil)
    }
    for layer in [Layer.volatile, .durable] {
      let left = try backed.snapshot(layer)
      let right = try memory.snapshot(layer)
      #expect(left.paths == right.paths)
      #expect(left.paths.map { left[$0]?.digest } == right.paths.map { right[$0]?.digest })
    }
  }

  private func digest(_ bytes: [UInt8]) -> String {
    var file = FileState(mode: 0, access: 0, modification: 0, change: 0)
    bytes.withUnsafeBytes { file.bytes.write($0, at: 0) }
    return DigestCache().digest(of: file, on: DigestCache())
  }
}
