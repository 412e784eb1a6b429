import SystemIO
import Testing

@testable import Offload

/// Large files on volumes that allow it go past the page cache, whatever their length.
@Suite struct DirectIOTests {
  private static let mebibyte = 1 << 20

  private static func facts(_ level: VerificationLevel) -> VolumeFacts {
    VolumeFacts(type: "ext4", bestLevel: level, inodesLast: true, changeTimeIsReal: true)
  }

  private static func stage(_ count: Int, destinations: Int = 1) throws -> Stage {
    let stage = try Stage(destinations: destinations, level: .direct, workers: nil)
    try stage.card.file("clip.mov", seed: 11, count: count)
    return stage
  }

  @Test(
    "offload 55: a large file of any length is copied and read back directly, byte for byte",
    arguments: [
      8 * mebibyte, 8 * mebibyte + 1, 8 * mebibyte + 4095, 9 * mebibyte + 512,
      12 * mebibyte + 4097, 16 * mebibyte - 1,
    ])
  func lengths(count: Int) throws {
    let stage = try Self.stage(count, destinations: 2)
    let before = try stage.card.entries()
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.rows.count == 2)
    for row in outcome.rows { #expect(row.level == .direct) }
    for destination in stage.destinations { try expectWhole(stage, destination) }
    #expect(try stage.card.entries() == before)
  }

  @Test("A second run proves the large file directly and writes nothing")
  func reuse() throws {
    let stage = try Self.stage(8 * Self.mebibyte + 77)
    _ = try stage.run()
    let before = try stage.destination.entries()["clip.mov"]
    let outcome = try stage.run()
    #expect(try stage.row(outcome, "clip.mov").isReused)
    #expect(try stage.row(outcome, "clip.mov").level == .direct)
    #expect(try stage.destination.entries()["clip.mov"] == before)
  }

  @Test(
    "decision 14: a row is no better than the facts of either volume",
    arguments: VerificationLevel.allCases.dropFirst(), VerificationLevel.allCases.dropFirst())
  func levels(source: VerificationLevel, destination: VerificationLevel) throws {
    let stage = try Self.stage(8 * Self.mebibyte + 77)
    try stage.card.file("small.jpg", seed: 12, count: 5000)
    stage.job.facts = VolumeFactsProvider(given: [
      (stage.card.root, Self.facts(source)), (stage.destination.root, Self.facts(destination)),
    ])
    let outcome = try stage.run()
    let level = min(source, destination)
    #expect(outcome.verdict == (level.provesMedium ? .verified : .copiedNotVerified))
    for row in outcome.rows { #expect(row.level == level, "\(row.path)") }
  }

  #if DEBUG
    @Test("decision 14: direct reads are on for every file, with nothing evicted and no call more")
    func calls() throws {
      let stage = try Stage(level: .direct)
      try stage.card.file("a", seed: 1, count: 9000)
      try stage.card.file("b", seed: 2, count: 9000)
      let trace = try Interposer.with([], within: stage.scratch.path) { session in
        let outcome = try stage.run()
        #expect(outcome.verdict == .verified)
        return session.trace
      }
      func counts(_ isMeant: (BytePath) -> Bool) -> [BytePath: [String: Int]] {
        var counts: [BytePath: [String: Int]] = [:]
        for record in trace {
          guard let path = record.path, isMeant(path) else { continue }
          counts[path, default: [:]][record.call, default: 0] += 1
        }
        return counts
      }
      // The first file is asked whether direct reads work; then each pass is one read of the
      // bytes and one of what must not follow them.
      let card = counts { $0.parent == stage.card.root }
      let first = try #require(card[stage.card.root.appending("a")])
      let second = try #require(card[stage.card.root.appending("b")])
      #expect(first["fcntl"] == 2 && first["pread"] == 5, "\(first)")
      #expect(second["fcntl"] == 2 && second["pread"] == 4, "\(second)")
      let copies = counts {
        $0.parent == stage.destination.root && OwnName.isTemporary($0.lastComponent)
      }.values.filter { $0["pwrite"] != nil }
      #expect(copies.count == 2)
      #expect(copies.map { $0["fcntl"] } == [1, 1])
      #expect(copies.compactMap { $0["pread"] }.sorted() == [2, 3])
      for calls in [first, second] + copies {
        #expect(calls["posix_fadvise"] == nil && calls["cachestat"] == nil)
      }
    }

    @Test("decision 14: whether direct reads work is asked once a device, of a file that has bytes")
    func asked() throws {
      let scratch = try Scratch()
      let tree = Tree(root: scratch.path)
      try tree.file("f", seed: 1, count: 9000)
      let direct = DirectReading(Self.facts(.direct))
      /// What `begin` answers, the calls that it makes, and whether reads are direct then.
      func begin(
        _ direct: DirectReading, device: UInt64, byteCount: Int64 = 9000,
        _ rules: [Interposer.Rule] = []
      ) throws -> [String] {
        let file = try FileDescriptor.open(scratch.path.appending("f"), .readOnly)
        return Interposer.with(rules) { session in
          let answer = file.begin(direct, device: device, byteCount: byteCount)
          let calls = session.trace.map(\.call)
          var byte: UInt8 = 0
          let readsBytes =
            (try? withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: 1) })
          return [answer ? "yes" : "no"] + calls + [readsBytes == 1 ? "cached" : "direct"]
        }
      }
      #expect(try begin(DirectReading(Self.facts(.evicted)), device: 1) == ["no", "cached"])
      #expect(try begin(direct, device: 1, byteCount: 0) == ["no", "cached"])
      #expect(
        try begin(direct, device: 1, [.init("pread", .fail(.invalid))])
          == ["no", "fcntl", "pread", "fcntl", "cached"])
      #expect(try begin(direct, device: 1) == ["no", "cached"])
      #expect(try begin(direct, device: 2) == ["yes", "fcntl", "pread", "direct"])
      #expect(try begin(direct, device: 2) == ["yes", "fcntl", "direct"])
      #expect(
        try begin(direct, device: 2, [.init("fcntl", .fail(.invalid))]) == [
          "no", "fcntl", "cached",
        ])
      #expect(try begin(direct, device: 1) == ["no", "cached"])
    }

    @Test("offload 57: short direct reads are continued where blocks end")
    func shortReads() async throws {
      let stage = try Self.stage(12 * Self.mebibyte + 77)
      let (outcome, fired) = try await Self.run(
        stage, [.init("pread", count: .max, .limit(65_536))])
      #expect(fired[0] > 3 * 12 * 16)
      #expect(outcome.verdict == .verified)
      #expect(try stage.row(outcome, "clip.mov").level == .direct)
    }

    @Test("decision 14: pages that somebody holds are passed by; advice that fails proves nothing")
    func heldPages() throws {
      for (effect, level) in [
        (Interposer.Effect.pretend, VerificationLevel.evicted), (.fail(.inputOutput), .cached),
      ] {
        let stage = try Stage(level: .evicted)
        try stage.card.file("clip.mov", seed: 1, count: 9000)
        stage.job.facts = VolumeFactsProvider(given: [
          (stage.card.root, Self.facts(.direct)), (stage.destination.root, Self.facts(.evicted)),
        ])
        let outcome = try Interposer.with(
          [.init("posix_fadvise", path: ".custody.tmp", count: .max, effect)],
          within: stage.scratch.path
        ) { _ in try stage.run() }
        #expect(outcome.rows[0].level == level)
        #expect(outcome.rows[0].outcome == (level == .evicted ? .verified : .copiedUnverified))
        try expectWhole(stage, stage.destination)
      }
    }

    @Test(
      "offload 58, 80: a read that ends early fails the file, on either side, whatever its size says",
      arguments: [("card/clip.mov", "ended after"), (".custody.tmp", "another length")])
    func endsEarly(path: String, cause: String) async throws {
      let stage = try Self.stage(12 * Self.mebibyte + 77)
      let (outcome, fired) = try await Self.run(
        stage, [.init("pread", path: BytePath(path), nth: 3, count: .max, .limit(0))])
      #expect(fired[0] > 0)
      #expect(try stage.row(outcome, "clip.mov").cause.contains(cause))
    }

    @Test("An error of one direct write fails the file, though a second try would succeed")
    func oneError() async throws {
      let stage = try Self.stage(12 * Self.mebibyte + 77)
      let (outcome, fired) = try await Self.run(
        stage, [.init("pwrite", path: ".custody.tmp", nth: 2, .fail(.inputOutput))])
      #expect(fired == [1])
      #expect(outcome.verdict == .failed)
    }

    /// Runs the engine while calls on its scratch folder follow the rules.
    private static func run(
      _ stage: Stage, _ rules: [Interposer.Rule]
    ) async throws -> (outcome: OffloadOutcome, fired: [Int]) {
      try await Interposer.withProcess(rules, within: stage.scratch.path) { session in
        (try stage.run(), session.fired)
      }
    }

    @Test("Without direct I/O the same file goes through the cache, with proof of eviction")
    func refusedFlag() async throws {
      let stage = try Self.stage(8 * Self.mebibyte + 77)
      let (outcome, fired) = try await Self.run(
        stage, [.init("fcntl", count: .max, .fail(.invalid))])
      #expect(fired[0] >= 3)
      #expect(outcome.verdict == .verified)
      #expect(try stage.row(outcome, "clip.mov").level == .evicted)
      try expectWhole(stage, stage.destination)
    }

    @Test(
      "A direct write that is refused, or stops within a block, goes on through the cache",
      arguments: [Interposer.Effect.fail(.invalid), .limit(1000)])
    func refusedWrite(effect: Interposer.Effect) async throws {
      let stage = try Self.stage(12 * Self.mebibyte + 77)
      let (outcome, fired) = try await Self.run(
        stage, [.init("pwrite", path: ".custody.tmp", nth: 2, effect)])
      #expect(fired == [1])
      #expect(outcome.verdict == .verified)
      #expect(try stage.row(outcome, "clip.mov").level == .direct)
      try expectWhole(stage, stage.destination)
    }

    @Test(
      "An error of a direct write or read fails the file, and nothing is left",
      arguments: [("pwrite", ".custody.tmp"), ("pread", ".custody.tmp"), ("pread", "clip.mov")])
    func errors(call: String, path: String) async throws {
      let stage = try Self.stage(12 * Self.mebibyte + 77)
      // The second matching call: the first read only asks whether direct reads work.
      let (outcome, _) = try await Self.run(
        stage, [.init(call, path: BytePath(path), nth: 2, count: .max, .fail(.inputOutput))])
      #expect(outcome.verdict == .failed)
      let names = try stage.destination.entries().keys.filter { $0.components.first != "Reports" }
      #expect(names.isEmpty, "\(names)")
    }
  #endif
}
