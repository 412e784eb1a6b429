import SystemIO
import Testing

@testable import Offload

/// Large files on volumes that allow it go past the page cache, whatever their length.
@Suite struct DirectIOTests {
  private static let mebibyte = 1 << 20

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

  #if DEBUG
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
