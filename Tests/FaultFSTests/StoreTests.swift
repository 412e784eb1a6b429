import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("The volume in memory")
struct StoreTests {
  private func made(
    capacity: UInt64 = 64 << 20, _ change: (inout Persona) -> Void = { _ in }
  ) -> (store: MemoryVolume, bench: Bench) {
    let store = MemoryVolume(persona: .plain(.weak, change), capacity: capacity)
    return (store, Bench(store))
  }

  @Test("Names: exclusive create, link counts, rename over, no-replace, exchange")
  func names() throws {
    let (_, bench) = made()
    let file = try #require(bench.put("a", [1, 2, 3]))
    #expect(bench.create("a") == nil)
    #expect(bench.link(file.node, "b") == nil)
    #expect(bench.link(file.node, "b") == .fileExists)
    #expect(bench.attributes(file.node)?.linkCount == 2)
    #expect(bench.rename("a", "b") == nil, "two names of one inode: nothing happens")
    #expect(bench.list() == ["a", "b"])
    _ = try #require(bench.put("c", [9]))
    #expect(bench.rename("c", "b", flags: 1) == .fileExists)
    #expect(bench.rename("c", "b") == nil)
    #expect(bench.readAll("b") == [9])
    #expect(bench.rename("a", "b", flags: 2) == nil)
    #expect(bench.readAll("a") == [9])
    #expect(bench.rename("a", "nothing", flags: 2) == .noSuchFile)
    #expect(bench.rename("nothing", "a") == .noSuchFile)
    #expect(bench.unlink("nothing") == .noSuchFile)
  }

  @Test("Folders: not empty, not into themselves, not over files")
  func folders() throws {
    let (_, bench) = made()
    bench.mkdir("A")
    bench.mkdir("A/B")
    #expect(bench.mkdir("A") == .fileExists)
    _ = try #require(bench.put("f", [1]))
    #expect(bench.error(.rmdir(parent: 1, name: "A")) == .notEmpty)
    #expect(bench.error(.rmdir(parent: 1, name: "f")) == .notDirectory)
    #expect(bench.unlink("A") == .isDirectory)
    #expect(bench.rename("A", "A/B/C") == .invalid)
    #expect(bench.rename("f", "A") == .isDirectory)
    #expect(bench.rename("A", "f") == .notDirectory)
    #expect(bench.rename("A/B", "B") == nil)
    #expect(bench.error(.rmdir(parent: 1, name: "A")) == nil)
    #expect(bench.list() == ["f", "B"])
  }

  @Test("An open file outlives its name, and its room comes back with the last handle")
  func unlinkWhileOpen() throws {
    let (store, bench) = made()
    let file = try #require(bench.create("f"))
    #expect(bench.writeAll(file, sampleBytes(1, 100_000)))
    #expect(bench.unlink("f") == nil)
    #expect(bench.read(file, at: 99_990, 100)?.count == 10)
    #expect(bench.attributes(file.node)?.linkCount == 0)
    #expect(store.usedBlocks == 25)
    #expect(bench.close(file) == nil)
    #expect(store.usedBlocks == 0)
    _ = bench.ask(.forget(file.node, lookups: 1))
    #expect(bench.error(.getattr(file.node, handle: nil)) == .stale)
  }

  @Test("Node numbers never come again, and late requests find nothing")
  func reset() throws {
    let (store, bench) = made()
    let file = try #require(bench.create("f"))
    try store.load(
      PlannedTree(entries: [
        "f": PlannedEntry(
          kind: .file, content: sampleContent(1, 10), mode: 0o644, modification: 0)
      ]))
    #expect(bench.error(.getattr(file.node, handle: nil)) == .stale)
    #expect(bench.write(file, [1], at: 0) == .failed(.stale))
    #expect(bench.close(file) == .stale)
    #expect(bench.node("f").map { $0 > file.node } == true)
    #expect(bench.readAll("f") == sampleBytes(1, 10))
  }

  @Test("Full: what fits is written, then no space; folders need a block, names do not")
  func full() throws {
    let (_, bench) = made(capacity: 10 * 4096)
    let file = try #require(bench.create("f"))
    #expect(bench.write(file, sampleBytes(1, 50_000), at: 0) == .count(10 * 4096))
    #expect(bench.write(file, [1], at: 10 * 4096) == .failed(.noSpace))
    #expect(bench.write(file, [1], at: 0) == .count(1))
    #expect(bench.mkdir("D") == .noSpace)
    #expect(bench.create("g") != nil)
    guard case .statistics(let statistics) = bench.ask(.statfs(1)) else {
      Issue.record("no statistics")
      return
    }
    #expect(statistics.blocks == 10)
    #expect(statistics.freeBlocks == 0)
    #expect(bench.unlink("f") == nil)
    #expect(bench.close(file) == nil)
    #expect(bench.mkdir("D") == nil)
  }

  @Test("Without holes a far write takes everything before it")
  func notSparse() throws {
    let (store, bench) = made(capacity: 40 * 4096) { $0.isSparse = false }
    let file = try #require(bench.create("f"))
    #expect(bench.write(file, [1], at: 100_000) == .count(1))
    #expect(store.usedBlocks == 25)
    #expect(bench.write(file, [1], at: 1 << 20) == .failed(.noSpace))
    var change = AttributeChange()
    change.byteCount = 1 << 20
    #expect(bench.error(.setattr(file.node, handle: nil, change)) == .noSpace)
    guard case .offset(let hole) = bench.ask(.lseek(file.node, file.handle, offset: 0, whence: 4))
    else {
      Issue.record("no offset")
      return
    }
    #expect(hole == 100_001)
  }

  @Test("Holes are found, reserved and punched")
  func holes() throws {
    let (store, bench) = made()
    let file = try #require(bench.create("f"))
    #expect(bench.write(file, [1], at: 200_000) == .count(1))
    func seek(_ offset: UInt64, _ whence: Int32) -> UInt64? {
      if case .offset(let found) = bench.ask(
        .lseek(file.node, file.handle, offset: offset, whence: whence))
      {
        found
      } else {
        nil
      }
    }
    #expect(seek(0, 3) == 196_608)
    #expect(seek(0, 4) == 0)
    #expect(seek(200_000, 4) == 200_001)
    #expect(store.usedBlocks == 1)
    #expect(bench.error(.fallocate(file.node, file.handle, mode: 0, offset: 0, count: 8192)) == nil)
    #expect(store.usedBlocks == 3)
    #expect(
      bench.error(.fallocate(file.node, file.handle, mode: 3, offset: 0, count: 300_000)) == nil)
    #expect(store.usedBlocks == 0)
    #expect(bench.read(file, at: 200_000, 10) == [0])
  }

  @Test("Listings keep their order and their place while entries come and go")
  func listing() throws {
    let (_, bench) = made()
    let names = (0..<40).map { "f\($0)" }
    for name in names { _ = try #require(bench.create(BytePath(name))) }
    #expect(bench.list(bufferByteCount: 100) == names)
    #expect(bench.list(bufferByteCount: 4096) == names)
    guard case .opened(let handle) = bench.ask(.opendir(1)),
      case .listing(let first) = bench.ask(.readdir(1, handle, offset: 0, count: 200)),
      let last = first.last
    else {
      Issue.record("no listing")
      return
    }
    #expect(bench.unlink("f1") == nil)
    #expect(bench.unlink("f20") == nil)
    guard
      case .listing(let rest) = bench.ask(
        .readdir(1, handle, offset: last.nextOffset, count: 4096))
    else {
      Issue.record("no listing")
      return
    }
    let seen = (first + rest).map { $0.name.escaped }.filter { $0.first == "f" }
    #expect(seen == names.filter { $0 != "f20" })
  }

  @Test("Two volumes with the same requests are the same, times and numbers included")
  func deterministic() throws {
    func run() throws -> TreeSnapshot {
      let (store, bench) = made()
      bench.mkdir("D")
      _ = try #require(bench.put("D/a", sampleBytes(3, 70_000)))
      _ = try #require(bench.put("b", [1, 2]))
      #expect(bench.rename("b", "D/b") == nil)
      return try store.snapshot(.volatile)
    }
    #expect(try run() == run())
  }

  @Test("copy_file_range copies, short at the end of the source")
  func copyRange() throws {
    let (_, bench) = made()
    let data = sampleBytes(5, 10_000)
    _ = try #require(bench.put("a", data))
    let from = try #require(bench.open("a"))
    let to = try #require(bench.create("b"))
    let call = Request.Call.copyFileRange(
      from.node, from.handle, offset: 1000, to: to.node, to.handle, toOffset: 5, count: 20_000)
    guard case .written(let count) = bench.ask(call) else {
      Issue.record("no count")
      return
    }
    #expect(count == 9000)
    #expect(bench.readAll("b") == [0, 0, 0, 0, 0] + data[1000...])
  }

  @Test("Extended attributes: create, replace, size, range, remove")
  func extended() throws {
    let (_, bench) = made()
    let file = try #require(bench.create("f"))
    let set = { (name: BytePath, flags: Int32) in
      bench.error(.setxattr(file.node, name: name, value: [1, 2, 3], flags: flags))
    }
    #expect(set("user.a", 2) == Errno(rawValue: ENODATA))
    #expect(set("user.a", 0) == nil)
    #expect(set("user.a", 1) == .fileExists)
    if case .size(let size) = bench.ask(.getxattr(file.node, name: "user.a", count: 0)) {
      #expect(size == 3)
    }
    #expect(bench.error(.getxattr(file.node, name: "user.a", count: 2)) == Errno(rawValue: ERANGE))
    #expect(bench.error(.removexattr(file.node, name: "user.a")) == nil)
    #expect(bench.error(.getxattr(file.node, name: "user.a", count: 9)) == Errno(rawValue: ENODATA))
  }

  @Test("A planned tree loads with links, modes and times, durable at once")
  func load() throws {
    let (store, bench) = made()
    let content = sampleContent(1, 5000)
    let tree = PlannedTree(entries: [
      "D": PlannedEntry(kind: .directory, mode: 0o700, modification: 5),
      "D/f": PlannedEntry(kind: .file, content: content, mode: 0o640, modification: 7),
      "g": PlannedEntry(
        kind: .file, content: content, mode: 0o640, modification: 7, hardLink: "D/f"),
      "l": PlannedEntry(kind: .symlink, mode: 0o777, modification: 9, linkText: "D/f"),
      "p": PlannedEntry(kind: .fifo, mode: 0o644, modification: 9),
    ])
    try store.load(tree)
    let shown = try store.snapshot(.volatile)
    #expect(try store.snapshot(.durable) == shown)
    #expect(shown["D/f"]?.digest == content.digest())
    #expect(shown["D/f"]?.inode == shown["g"]?.inode)
    #expect(shown["D/f"]?.modification == 7)
    #expect(shown["D"]?.mode == 0o700)
    #expect(shown["D"]?.modification == 5)
    #expect(shown["l"]?.linkText == "D/f")
    #expect(shown["p"]?.kind == .fifo)
    #expect(bench.readAll("g") == sampleBytes(1, 5000))
  }
}
