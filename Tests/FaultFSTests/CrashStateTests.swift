import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite("States after a crash")
struct CrashStateTests {
  /// Counts by hand for: create `.custody.tmp.a`, write it in one go, fsync, rename to `a`, fsync
  /// of the folder, end with a claim. A state counts once before and once after the claim.
  static let counts: [(barriers: String, points: Int, generated: Int, unique: Int)] = [
    // Points: start, create, write, fsync, rename, fsyncdir, end.
    // 1 + 2 + 8 + 2 + 4 + 1 + 1; none, empty, zeros, whole, named | named.
    ("weak", 7, 19, 6),
    // The rename is two entries: 8 sets instead of 4, and both names at once.
    ("fat", 7, 23, 7),
    // 1 + 2 + 3 + 1 + 2 + 1 + 1; none, empty, whole, named | named.
    ("strict", 7, 11, 5),
    // The size stands without its bytes: 6 sets after the write.
    ("apfs", 7, 14, 6),
    // Barriers change nothing and make no points: 1 + 2 + 8 + 16 | 16; none and three contents
    // under either name, twice.
    ("ignored", 5, 43, 14),
  ]

  @Test("crash states: hand-counted sets of each barrier model", arguments: counts)
  func handCounted(row: (barriers: String, points: Int, generated: Int, unique: Int)) throws {
    let scene = try Scene(
      """
      volume dst persona posix-strict capacity 64MiB barriers \(row.barriers)
      crash dst at every op keep subsets
      """)
    let bench = scene.destination
    let file = try #require(bench.create(".custody.tmp.a"))
    bench.write(file, sampleBytes(1, 5000), at: 0)
    #expect(bench.fsync(file) == nil)
    #expect(bench.rename(".custody.tmp.a", "a") == nil)
    #expect(bench.fsyncFolder("") == nil)
    scene.injector.endRun(claimed: true)
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    #expect(list.points == row.points)
    #expect(list.generated == row.generated)
    #expect(list.states.count == row.unique)
    let claimed = list.states.indices.filter { list.states[$0].isClaimed }
    let named = try claimed.map { index in
      _ = try scene.injector.install(crashState: index)
      return scene.durable().entries["a"]?.digest == scene.digest(sampleBytes(1, 5000))
    }
    #expect(named.allSatisfy { $0 } == (row.barriers != "ignored"))
  }

  @Test("crash states: nothing kept is the durable layer, all kept is the volatile one")
  func layers() throws {
    for barriers in [Barriers.strict, .weak, .fat, .apfs, .ignored] {
      for seed in UInt64(1)...12 { try Self.compareLayers(barriers, seed) }
    }
  }

  /// Random changes and barriers, and after each of them both ends of what a crash may leave.
  private static func compareLayers(_ barriers: Barriers, _ seed: UInt64) throws {
    let store = MemoryVolume(persona: .plain(barriers), capacity: 64 << 20)
    let bench = Bench(store)
    var random = SmallRandom(seed: seed)
    for _ in 0..<random.below(12) { RandomChange.make(&random, bench, store) }
    let recorder = store.record()
    var moments: [(moment: Int, none: TreeSnapshot, all: TreeSnapshot)] = []
    func note() throws {
      moments.append(
        (recorder.moment, try store.snapshot(.durable), try store.snapshot(.volatile)))
    }
    try note()
    for _ in 0..<60 {
      RandomChange.make(&random, bench, store)
      try note()
    }
    store.recorder = nil
    let other = MemoryVolume(persona: .plain(barriers), capacity: 64 << 20)
    for keep in [CrashSubset.none, .all] {
      let timeline = CrashTimeline(recorder, barriers)
      for (step, noted) in moments.enumerated() {
        let found = timeline.states(at: noted.moment, keep: keep)
        other.install(try #require(found.states.first).image, recorder.nodes) { _ in
          other.nextVersion()
        }
        let wanted = keep == .none ? noted.none : noted.all
        let place = "\(barriers) seed \(seed) step \(step) keep \(keep)"
        #expect(try Self.shown(other.snapshot(.durable), keep) == shown(wanted, keep), "\(place)")
        #expect(try other.snapshot(.durable) == other.snapshot(.volatile), "\(place)")
      }
    }
  }

  /// What both sides know: attributes of an inode that was never synced are anybody's guess.
  private static func shown(_ tree: TreeSnapshot, _ keep: CrashSubset) -> [String] {
    tree.paths.filter { !$0.bytes.isEmpty }.compactMap { path in
      tree[path].map { entry in
        let attributes =
          keep == .all && entry.kind == .file ? "\(entry.mode) \(entry.modification)" : ""
        return "\(path) \(entry.kind) \(entry.byteCount) \(entry.digest) \(attributes)"
      }
    }
  }

  @Test("crash states: what is lost on the way is in no state")
  func lost() throws {
    let scene = try Scene(
      """
      volume dst persona posix-strict capacity 64MiB barriers weak
      lose write dst:a
      crash dst at every op keep subsets
      """)
    let file = try #require(scene.destination.create("a"))
    scene.destination.write(file, sampleBytes(1, 5000), at: 0)
    #expect(scene.destination.fsync(file) == nil)
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    for index in list.states.indices {
      _ = try scene.injector.install(crashState: index)
      let digest = scene.durable().entries["a"]?.digest
      #expect(digest != scene.digest(sampleBytes(1, 5000)))
    }
  }

  @Test("crash states: a torn last write keeps its first sectors, by option")
  func torn() throws {
    let scene = try Scene(
      """
      volume dst persona posix-strict capacity 64MiB barriers weak
      crash dst at every op keep subsets
      """)
    let bench = scene.destination
    let file = try #require(bench.create("a"))
    #expect(bench.fsyncFolder("") == nil)
    bench.write(file, sampleBytes(1, 5000), at: 0)
    let list = try scene.injector.crashStates(tearsLastWrite: true)
    var cut = [UInt8](repeating: 0, count: 5000)
    cut.replaceSubrange(0..<512, with: sampleBytes(1, 512))
    let digests = try list.states.indices.map { index in
      _ = try scene.injector.install(crashState: index)
      return scene.durable().entries["a"]?.digest
    }
    // None, empty, zeros, whole; and of ten sectors one, five and nine.
    #expect(list.states.count == 7)
    #expect(digests.contains(scene.digest(cut)))
  }

  @Test("crash states: two volumes are put together, each with its own barriers")
  func product() throws {
    let scene = try Scene(
      """
      volume dst persona posix-strict capacity 64MiB barriers weak
      volume dst2 persona posix-strict capacity 64MiB barriers weak
      crash dst,dst2 at every op keep subsets
      """)
    _ = try #require(scene["dst"].create("a"))
    _ = try #require(scene["dst2"].create("a"))
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    #expect(list.points == 4, "the end is a point of its own")
    #expect(list.states.count == 4)
    let both = try list.states.indices.map { index in
      _ = try scene.injector.install(crashState: index)
      return [scene.durable("dst"), scene.durable("dst2")].map { $0.entries["a"] != nil }
    }
    #expect(both == [[false, false], [true, false], [false, true], [true, true]])
  }

  @Test("crash states: a volume that the crash spares is as it was at that point")
  func spared() throws {
    let scene = try Scene(
      """
      volume dst persona posix-strict capacity 64MiB barriers weak
      volume dst2 persona posix-strict capacity 64MiB barriers weak
      crash dst at every op keep subsets
      """)
    _ = try #require(scene["dst2"].create("a"))
    _ = try #require(scene["dst"].create("a"))
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    #expect(list.states.count == 3, "before, with dst2's, and with both")
    _ = try scene.injector.install(crashState: 1)
    #expect(scene.durable("dst2").entries["a"] != nil && scene.durable("dst").entries.count == 1)
  }

  @Test("crash states: two names of one file on a volume without links are two files afterwards")
  func crossLinked() throws {
    let scene = try Scene("crash dst at every op keep subsets", persona: "exfat-linux")
    let bench = scene.destination
    let file = try #require(bench.put("t", sampleBytes(1, 5000)))
    #expect(bench.fsyncFolder("") == nil)
    #expect(bench.rename("t", "a") == nil)
    _ = file
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    var sawBoth = false
    for index in list.states.indices {
      _ = try scene.injector.install(crashState: index)
      guard let one = bench.node("t"), let other = bench.node("a") else { continue }
      sawBoth = true
      #expect(one != other && scene.durable()["t"]?.digest == scene.durable()["a"]?.digest)
    }
    #expect(sawBoth)
  }

  @Test("crash: the subject dies, nothing is answered, and what was durable comes up")
  func crash() throws {
    let scene = try Scene("crash dst after rename keep none")
    let bench = scene.destination
    let file = try #require(bench.put("t", sampleBytes(1, 5000)))
    #expect(bench.rename("t", "a") == nil)
    #expect(scene.host.log.contains("kill"))
    #expect(bench.fsync(file) == .noDevice)
    #expect(bench.list() == [])
    scene.injector.endRun(claimed: false)
    scene.injector.beginRun()
    #expect(bench.list() == ["t"], "the fsync wrote the journal, the rename came later")
    #expect(scene.fired == 1)
    #expect(scene.injector.acts.map(\.kind) == [.crashed])
  }

  @Test("crash: keep all keeps what was written")
  func keepAll() throws {
    let scene = try Scene("crash dst after write keep all")
    let file = try #require(scene.destination.create("t"))
    scene.destination.write(file, sampleBytes(1, 5000), at: 0)
    scene.injector.endRun(claimed: false)
    #expect(scene.durable()["t"]?.digest == scene.digest(sampleBytes(1, 5000)))
  }

  @Test("crash: subsets at one point are the states of that point alone")
  func onePoint() throws {
    let scene = try Scene("crash dst after write keep subsets")
    let file = try #require(scene.destination.create("t"))
    scene.destination.write(file, sampleBytes(1, 5000), at: 0)
    scene.injector.endRun(claimed: false)
    let list = try scene.injector.crashStates(tearsLastWrite: false)
    #expect(list.points == 1 && list.states.count == 3)
    #expect(!list.states.contains { $0.isClaimed })
  }

  @Test("crash: every state of a moment comes up alone by the numbers of its changes")
  func byNumbers() throws {
    func states(_ keep: String) throws -> (list: CrashStateList, trees: [TreeSnapshot]) {
      let scene = try Scene("crash dst after rename keep \(keep)")
      let file = try #require(scene.destination.create("t"))
      scene.destination.write(file, sampleBytes(1, 5000), at: 0)
      #expect(scene.destination.rename("t", "a") == nil)
      scene.injector.endRun(claimed: false)
      let list = try scene.injector.crashStates(tearsLastWrite: false)
      let trees = try list.states.indices.map { index in
        _ = try scene.injector.install(crashState: index)
        return scene.durable()
      }
      return (list, trees)
    }
    let all = try states("subsets")
    #expect(all.list.states.count > 3)
    for (state, tree) in zip(all.list.states, all.trees) where !state.kept.isEmpty {
      let one = try states("only \(state.kept.map(String.init).joined(separator: ","))")
      #expect(one.list.states.map(\.kept) == [state.kept])
      #expect(one.trees[0].entries.mapValues(\.digest) == tree.entries.mapValues(\.digest))
    }
    #expect(try states("only 99").list.states.isEmpty)
  }
}

@Suite("Which sets of unsynced changes a crash may leave")
struct SubsetTests {
  @Test("all closed sets up to the limit, none first")
  func closed() {
    let units = [
      CrashUnit(operations: [0]), CrashUnit(operations: [1], requires: [0]),
      CrashUnit(operations: [2]),
    ]
    #expect(
      SubsetChoice(units: units).sets == [[], [0], [0, 1], [2], [0, 2], [0, 1, 2]])
  }

  @Test("changes that are named come with what they need, and nothing else")
  func named() {
    let units = [
      CrashUnit(operations: [4]), CrashUnit(operations: [5, 6], requires: [0]),
      CrashUnit(operations: [9]),
    ]
    #expect(SubsetChoice(units: units).closure(of: [6]) == [0, 1])
    #expect(SubsetChoice(units: units).closure(of: [9]) == [2])
    #expect(SubsetChoice(units: units).closure(of: []) == [])
  }

  @Test("beyond the limit: none, all, each alone, all but each, prefixes")
  func bounded() {
    var units = (0..<6).map { CrashUnit(operations: [$0]) }
    units[5].requires = [1]
    let sets = SubsetChoice(units: units, limit: 16).sets
    #expect(sets.prefix(2) == [[], [0, 1, 2, 3, 4, 5]])
    #expect(sets.contains([1, 5]) && !sets.contains([5]), "alone means with what it needs")
    #expect(sets.contains([0, 2, 3, 4]) && !sets.contains([0, 2, 3, 4, 5]))
    #expect(sets.contains([0, 1, 2]))
    // Six alone, six without one (without 5 is the longest prefix), four other prefixes.
    #expect(Set(sets).count == sets.count && sets.count == 2 + 6 + 6 + 3)
  }

  @Test("256 are exhaustive, one more unit is not")
  func limit() {
    let units = (0..<9).map { CrashUnit(operations: [$0]) }
    #expect(SubsetChoice(units: Array(units.dropLast())).sets.count == 256)
    #expect(SubsetChoice(units: units).sets.count < 50)
  }

  @Test("states of several volumes: all combinations, or each beside the ends of the others")
  func products() {
    #expect(CrashProduct(counts: [2, 3]).picks.count == 6)
    #expect(CrashProduct(counts: [0, 3]).picks == [])
    let many = CrashProduct(counts: [40, 30]).picks
    #expect(many.count == 2 * 70 && many.contains([39, 1]) && many.contains([0, 29]))
  }
}

/// Numbers that look random, the same for a seed.
struct SmallRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15
  }

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}

/// One change or barrier among few names, so that they meet often. Some are refused.
enum RandomChange {
  private static let names: [BytePath] = ["a", "b", "D/a", "D/b", "D/E/a"]

  static func make(_ random: inout SmallRandom, _ bench: Bench, _ store: MemoryVolume) {
    let path = names[random.below(names.count)]
    let other = names[random.below(names.count)]
    switch random.below(15) {
    case 0, 1:
      bench.mkdir("D")
      bench.mkdir("D/E")
    case 2, 3, 4: _ = bench.create(path)
    case 5, 6, 7:
      guard let file = bench.open(path, flags: 1) else { return }
      let bytes = sampleBytes(UInt64(random.below(1000)), 1 + random.below(9000))
      bench.write(file, bytes, at: UInt64(random.below(3) * 4096))
    case 8:
      guard let node = bench.node(path) else { return }
      _ = bench.ask(
        .setattr(node, handle: nil, AttributeChange(byteCount: UInt64(random.below(9000)))))
    case 9: _ = bench.unlink(path)
    case 10: _ = bench.rename(path, other)
    case 11: if let node = bench.node(path) { _ = bench.link(node, other) }
    case 12: if let file = bench.open(path) { _ = bench.fsync(file) }
    case 13: _ = bench.fsyncFolder(path.parent ?? "")
    default:
      guard let node = bench.node(path) else { return }
      _ = bench.ask(
        .setattr(node, handle: nil, AttributeChange(mode: UInt16(0o600 + random.below(8)))))
    }
  }
}
