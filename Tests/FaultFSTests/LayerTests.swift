import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Volatile and durable layers")
struct LayerTests {
  static let content = sampleBytes(7, 150_000)

  private func made(_ barriers: Barriers) -> (store: MemoryVolume, bench: Bench) {
    let store = MemoryVolume(persona: .plain(barriers), capacity: 64 << 20)
    return (store, Bench(store))
  }

  @Test(
    "fsync of a new file alone keeps its name only where a journal writes names too",
    arguments: [
      (Barriers.strict, true), (.apfs, true), (.weak, false), (.fat, false), (.ignored, false),
    ])
  func fileSyncOnly(barriers: Barriers, keepsName: Bool) throws {
    let (store, bench) = made(barriers)
    bench.mkdir("D")
    _ = try #require(bench.put("D/f", Self.content))
    #expect(try (store.snapshot(.durable)["D/f"] != nil) == keepsName)
    store.dropVolatile()
    #expect((bench.readAll("D/f") == Self.content) == keepsName)
  }

  @Test(
    "fsync of every folder keeps names everywhere but where barriers are ignored",
    arguments: [(Barriers.strict, true), (.weak, true), (.fat, true), (.ignored, false)])
  func folderSync(barriers: Barriers, keeps: Bool) throws {
    let (store, bench) = made(barriers)
    bench.mkdir("D")
    _ = try #require(bench.put("D/f", Self.content))
    #expect(bench.fsyncFolder("D") == nil)
    #expect(bench.fsyncFolder("") == nil)
    #expect(try (store.snapshot(.durable)["D/f"]?.byteCount == 150_000) == keeps)
  }

  @Test("A name without an fsync of the file leads to an empty one")
  func nameOnly() throws {
    for barriers in [Barriers.strict, .weak] {
      let (store, bench) = made(barriers)
      let file = try #require(bench.create("f"))
      #expect(bench.writeAll(file, Self.content))
      #expect(bench.fsyncFolder("") == nil)
      #expect(try store.snapshot(.durable)["f"]?.byteCount == 0)
      #expect(try store.snapshot(.volatile)["f"]?.byteCount == 150_000)
      store.dropVolatile()
      #expect(bench.readAll("f") == [])
    }
  }

  @Test("Close, time and reading make nothing durable; what is written after fsync is not")
  func afterSync() throws {
    let (store, bench) = made(.weak)
    let file = try #require(bench.create("f"))
    #expect(bench.writeAll(file, Self.content))
    #expect(bench.fsync(file) == nil)
    #expect(bench.fsyncFolder("") == nil)
    #expect(bench.write(file, [1, 2, 3], at: 10) == .count(3))
    #expect(bench.close(file) == nil)
    #expect(bench.readAll("f") != Self.content)
    let durable = try store.snapshot(.durable)
    let volatile = try store.snapshot(.volatile)
    #expect(durable["f"]?.digest != volatile["f"]?.digest)
    store.dropVolatile()
    #expect(bench.readAll("f") == Self.content)
  }

  @Test("A rename over an older file is whole after the folder's fsync, and not there before")
  func renameOver() throws {
    let (store, bench) = made(.weak)
    _ = try #require(bench.put("old", [1, 2, 3]))
    #expect(bench.fsyncFolder("") == nil)
    _ = try #require(bench.put("temp", Self.content))
    #expect(bench.rename("temp", "old") == nil)
    #expect(try store.snapshot(.durable).paths == ["", "old"])
    #expect(try store.snapshot(.durable)["old"]?.byteCount == 3)
    #expect(bench.fsyncFolder("") == nil)
    #expect(try store.snapshot(.durable)["old"]?.byteCount == 150_000)
    #expect(try store.snapshot(.durable).paths == ["", "old"])
  }

  @Test("A file moved between folders stands in both until both are synced")
  func moved() throws {
    let (store, bench) = made(.fat)
    bench.mkdir("A")
    bench.mkdir("B")
    _ = try #require(bench.put("A/f", Self.content))
    for folder in ["A", "B", ""] as [BytePath] { #expect(bench.fsyncFolder(folder) == nil) }
    #expect(bench.rename("A/f", "B/f") == nil)
    #expect(bench.fsyncFolder("B") == nil)
    #expect(try store.snapshot(.durable).paths == ["", "A", "A/f", "B", "B/f"])
    #expect(bench.fsyncFolder("A") == nil)
    #expect(try store.snapshot(.durable).paths == ["", "A", "B", "B/f"])
  }

  @Test("An unlinked file that was durable comes back with the power cut")
  func unlinked() throws {
    let (store, bench) = made(.weak)
    _ = try #require(bench.put("f", Self.content))
    #expect(bench.fsyncFolder("") == nil)
    #expect(bench.unlink("f") == nil)
    #expect(bench.readAll("f") == nil)
    #expect(store.usedBlocks == 0)
    store.dropVolatile()
    #expect(bench.readAll("f") == Self.content)
    #expect(store.usedBlocks == FileBytes.blocks(of: 150_000))
  }

  @Test("A folder that moved inside itself on the durable layer is listed once, not for ever")
  func cycle() throws {
    let (store, bench) = made(.fat)
    bench.mkdir("A")
    bench.mkdir("A/X")
    for folder in ["A/X", "A", ""] as [BytePath] { #expect(bench.fsyncFolder(folder) == nil) }
    #expect(bench.rename("A/X", "X") == nil)
    #expect(bench.fsyncFolder("") == nil)
    #expect(bench.rename("A", "X/A") == nil)
    #expect(bench.fsyncFolder("X") == nil)
    #expect(try store.snapshot(.durable).entries.count >= 4)
    store.dropVolatile()
    #expect(bench.node("X") != nil)
  }

  @Test("A clean remount writes everything; the views show each layer alone")
  func remount() throws {
    let (store, bench) = made(.weak)
    let file = try #require(bench.create("f"))
    #expect(bench.writeAll(file, Self.content))
    let durable = Bench(store.view(.durable))
    let volatile = Bench(store.view(.volatile))
    #expect(durable.list() == [])
    #expect(volatile.readAll("f") == Self.content)
    #expect(volatile.create("g") == nil)
    store.syncAll()
    store.dropVolatile()
    store.mountAnew()
    #expect(bench.readAll("f") == Self.content)
    #expect(durable.readAll("f") == Self.content)
    #expect(durable.list() == ["f"])
  }

  @Test("Attributes become durable with the file's fsync")
  func attributes() throws {
    let (store, bench) = made(.weak)
    let file = try #require(bench.put("f", [1]))
    #expect(bench.fsyncFolder("") == nil)
    var change = AttributeChange()
    change.mode = 0o600
    change.modification = .at(1_000_000_000)
    _ = bench.ask(.setattr(file.node, handle: nil, change))
    #expect(try store.snapshot(.volatile)["f"]?.mode == 0o600)
    #expect(try store.snapshot(.durable)["f"]?.mode == 0o644)
    let again = try #require(bench.open("f"))
    #expect(bench.fsync(again) == nil)
    #expect(try store.snapshot(.durable)["f"]?.modification == 1_000_000_000)
  }
}
