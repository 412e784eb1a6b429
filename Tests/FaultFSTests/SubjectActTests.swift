import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Acts on the subject and on clocks, copies, locks and owners")
struct SubjectActTests {
  @Test("stop and limit reach the subject with their numbers")
  func subject() throws {
    let scene = try Scene(
      "limit subject descriptors 16\nlimit subject memory 77\nstop subject for 5s at 20%")
    #expect(scene.copy("b"))
    #expect(scene.host.log == ["limit descriptors 16", "limit memory 77", "stop 5000"])
  }

  @Test(
    "clock: what is made afterwards has the other time, to and fro",
    arguments: [("+60m", 3600), ("-2h", -7200)])
  func clock(jump: String, seconds: Int64) throws {
    let plain = try Scene("disarm")
    let scene = try Scene("clock dst \(jump)")
    for one in [plain, scene] { _ = try #require(one.destination.create("x")) }
    let usual = try #require(plain.volatile()["x"]?.modification)
    let moved = try #require(scene.volatile()["x"]?.modification)
    #expect(abs((moved - usual) / 1_000_000_000 - seconds) <= 1)
  }

  @Test("barriers: the script's word is in force, not the persona's row")
  func barriers() throws {
    for (word, isDurable) in [("strict", true), ("ignored", false)] {
      let scene = try Scene("volume dst persona posix-strict capacity 64MiB barriers \(word)")
      #expect(scene.copy("a"))
      #expect((scene.durable()["a"] != nil) == isDurable)
    }
  }

  @Test("barriers: a volume that is used again has those of its new case")
  func barriersAgain() throws {
    let cases = ["strict", "ignored", "weak"].map { word in
      """
      case "\(word)"
        volume dst persona ext4 capacity 64MiB barriers \(word)
        expect sound
      """
    }
    let text =
      "custody-fault 1\nvolume src persona ext4 capacity 1MiB\n" + cases.joined(separator: "\n")
    let script = try ScriptParser.parse(Array(text.utf8), name: "test")
    let host = Scene.Host()
    let injector = Injector(host: host, trees: TreeBuilder(cards: CardLibrary(folders: [])))
    for (index, isDurable) in [(0, true), (1, false), (2, true)] {
      try injector.load(script.cases[index])
      let volume = try #require(injector.volume("dst"))
      let bench = Bench(volume)
      _ = try #require(bench.put("x", [1]))
      #expect(bench.fsyncFolder("") == nil)
      #expect((try volume.snapshot(.durable)["x"] != nil) == isDurable)
    }
  }

  @Test("nth counts over the whole volume in gate mode, else for each inode")
  func counting() throws {
    for (isGated, fired) in [(false, 0), (true, 1)] {
      let scene = try Scene("fail open src:** nth 2 with EACCES maybe")
      scene.injector.countsAcrossVolumes = isGated
      #expect((scene.source.open("a") == nil) == false)
      #expect((scene.source.open("b") == nil) == isGated)
      #expect(scene.fired == fired)
    }
  }

  @Test("copyrange is struck within a volume, and where the bytes come from another")
  func copies() throws {
    for rule in ["short copyrange dst:y bytes 1000", "drop copyrange dst:y range 0+1000"] {
      let scene = try Scene(rule)
      let bench = scene.destination
      let data = sampleBytes(4, 5000)
      let from = try #require(bench.put("x", data))
      let to = try #require(bench.create("y"))
      let reply = data.withUnsafeBytes { bytes in
        bench.ask(.receive(to.node, to.handle, offset: 0, data: bytes))
      }
      guard case .written(let count) = reply else {
        Issue.record("not written")
        continue
      }
      let isShort = rule.hasPrefix("short")
      #expect(count == (isShort ? 1000 : 5000) && scene.fired == 1)
      let other = try #require(bench.create("z"))
      let copied = bench.ask(
        .copyFileRange(
          from.node, from.handle, offset: 0, to: other.node, other.handle, toOffset: 0,
          count: 1 << 30))
      guard case .written(5000) = copied else {
        Issue.record("not copied")
        continue
      }
      let held = try #require(bench.readAll("y"))
      let zeros = [UInt8](repeating: 0, count: 1000)
      #expect(Array(held.prefix(1000)) == (isShort ? Array(data[..<1000]) : zeros))
    }
    let scene = try Scene("drop copyrange dst:y always")
    let from = try #require(scene.destination.put("x", sampleBytes(4, 5000)))
    let to = try #require(scene.destination.create("y"))
    guard
      case .written(5000) = scene.destination.ask(
        .copyFileRange(
          from.node, from.handle, offset: 0, to: to.node, to.handle, toOffset: 0, count: 1 << 30))
    else {
      Issue.record("not acknowledged")
      return
    }
    #expect(scene.destination.attributes(to.node)?.byteCount == 0 && scene.fired == 1)
  }

  @Test("ioctl knows nothing, and answers a rule's error; stat tells another owner")
  func others() throws {
    let scene = try Scene(
      "fail ioctl src:a with EIO\nreport stat src:a uid 7\nreport stat src:b gid 8")
    let file = try #require(scene.source.open("a"))
    #expect(scene.source.error(.ioctl(file.node, file.handle, command: 1)) == .inputOutput)
    #expect(scene.source.error(.ioctl(file.node, file.handle, command: 1))?.rawValue == ENOTTY)
    #expect(scene.source.attributes(file.node)?.uid == 7)
    #expect(scene.source.attributes(file.node)?.uid == nil)
    let other = try #require(scene.source.node("b"))
    #expect(scene.source.attributes(other)?.gid == 8)
  }

  @Test("report stat: a lookup shows what stat says, for kernels that keep it, and is not counted")
  func reportedLookup() throws {
    let scene = try Scene("report stat src:a size 5 always")
    let call = Request.Call.lookup(parent: MemoryVolume.rootID, name: "a")
    guard case .entry(let found) = scene.source.ask(call) else {
      Issue.record("not found")
      return
    }
    #expect(found.byteCount == 5 && scene.fired == 0)
    #expect(scene.source.attributes(found.node)?.byteCount == 5 && scene.fired == 1)
  }

  @Test("sidecars come with a file, follow its name and go with it, as acts of the rig")
  func sidecars() throws {
    let scene = try Scene("disarm")
    let store = MemoryVolume(persona: .plain { $0.makesSidecars = true }, capacity: 1 << 20)
    try store.load(PlannedTree())
    let bench = Bench(FaultyVolume(name: "dst", store: store, injector: scene.injector))
    bench.mkdir("D")
    _ = try #require(bench.create("D/x"))
    #expect(bench.list("D") == ["x", "._x"])
    #expect(bench.readAll("D/._x")?.count == 4096)
    #expect(bench.rename("D/x", "D/y") == nil)
    #expect(Set(bench.list("D")) == ["y", "._y"])
    #expect(scene.injector.acts.map(\.path) == ["D/._x", "D/._y"].map { Array($0.utf8) })
    #expect(scene.injector.acts.allSatisfy { $0.kind == .sidecar })
    #expect(bench.unlink("D/y") == nil)
    #expect(bench.list("D") == [])
    let plain = try Scene("disarm")
    _ = try #require(plain.destination.create("x"))
    #expect(plain.destination.list() == ["x"])
  }

  @Test("insert as: the other medium is mounted, and the first keeps what was durable on it")
  func insertedOther() throws {
    let scene = try Scene(
      "volume other persona ext4 capacity 64MiB\ngiven other \"x\" bytes 5\neject dst at 20%")
    #expect(!scene.copy("b"))
    #expect(scene.host.log == ["eject dst"])
    #expect(scene.volatile("other").files.count == 1 && scene.volatile("dst").files.isEmpty)
  }
}
