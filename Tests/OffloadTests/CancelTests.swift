import SystemIO
import Testing

@testable import Offload

/// What a stop in the middle leaves, and what is told on the way (offload contract 61, 79, 86).
@Suite struct CancelTests {
  /// Each look at it is a second later than the one before.
  private struct TickingClock: Clock {
    private let manual = ManualClock()

    func now() -> Timestamp { manual.now() }

    func monotonic() -> Duration {
      manual.advance(by: .seconds(1))
      return manual.monotonic()
    }

    func sleep(_ duration: Duration) { manual.sleep(duration) }
  }

  /// Runs a stage that is cancelled at the first progress for which `isTime`.
  private func run(
    _ stage: Stage, cancellingWhen isTime: @escaping @Sendable (OffloadEvent.Progress) -> Bool
  ) throws -> OffloadOutcome {
    let box = Monitor<OffloadEngine?>(nil)
    let engine = OffloadEngine(job: stage.job, clock: TickingClock()) { event in
      guard case .progress(let progress) = event, isTime(progress) else { return }
      box.read { $0 }?.cancel(.interrupt)
    }
    box.update { $0 = engine }
    defer { box.update { $0 = nil } }
    return try engine.run()
  }

  @Test(
    "offload 61, 143: cancelled while chunks flow, nothing is published anywhere",
    arguments: [1, nil] as [Int?], [false, true])
  func midFile(workers: Int?, whileVerifying: Bool) throws {
    let stage = try Stage(destinations: 2, workers: workers)
    try stage.card.file("d/clip.mov", seed: 1, count: 13_000_000)
    let outcome = try run(stage) { whileVerifying ? $0.bytesVerified > 0 : $0.bytesCopied > 0 }
    #expect(outcome.verdict == .interrupted)
    #expect(outcome.exitCode == 130)
    #expect(outcome.rows.count == 2)
    for row in outcome.rows {
      #expect(row.outcome == .failed)
      #expect(row.cause.contains("interrupted"))
    }
    for destination in stage.destinations {
      let left = try destination.entries().filter { $0.value.kind == .regular }.keys
      #expect(left.allSatisfy { $0.components.first == "Reports" }, "\(left)")
    }
  }

  @Test("offload 61: what was published before a stop stays, is right, and is claimed")
  func betweenFiles() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let outcome = try run(stage) { $0.filesVerified == 1 }
    #expect(outcome.verdict == .interrupted)
    #expect(outcome.rows.map(\.outcome) == [.verified, .failed, .failed])
    let after = try stage.destination.entries()
    #expect(after["DCIM/100/A.JPG"]?.bytes == (try stage.card.bytes("DCIM/100/A.JPG")))
    #expect(after["DCIM/100/B.MP4"] == nil)
    #expect(leftovers(after).isEmpty)
    #expect(try stage.run().verdict == .verified)
  }

  @Test("offload 86: progress is told at first, at most twice a second, and at the last of each")
  func progress() throws {
    let stage = try Stage()
    try stage.fillSmall()
    for index in 0..<20 { try stage.card.file(BytePath("more/\(index)"), seed: 7, count: 300) }
    func seen(_ clock: any Clock) throws -> [OffloadEvent.Progress] {
      let log = EventLog()
      let engine = OffloadEngine(job: stage.job, clock: clock) { log.add($0) }
      #expect(try engine.run().verdict == .verified)
      return log.all.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
    // Time stands still: only what must be told is.
    let still = try seen(ManualClock())
    #expect(still.count == 3)
    #expect(still.map(\.filesCopied) == [0, 23, 23])
    // They are one batch: the last one is copied before the first one is verified.
    #expect(still.map(\.filesVerified) == [0, 0, 23])
    #expect(try seen(TickingClock()).count > 40)
  }

  #if DEBUG
    @Test("offload 79: nothing of a run goes on when it has returned, whatever failed")
    func nothingGoesOn() async throws {
      let stage = try Stage(destinations: 2, workers: nil)
      for index in 0..<30 { try stage.card.file(BytePath("d/\(index)"), seed: 3, count: 40_000) }
      for index in 0..<3 { try stage.card.file(BytePath("l\(index)"), seed: 4, count: 9_000_000) }
      try await Interposer.withProcess(
        [.init("pread", path: "dst2", nth: 4, count: 3, .fail(.inputOutput))],
        within: stage.scratch.path
      ) { session in
        let outcome = try stage.run()
        let count = session.trace.count
        #expect(outcome.verdict == .failed)
        #expect(session.fired[0] > 0)
        try await Task.sleep(for: .milliseconds(100))
        #expect(session.trace.count == count)
      }
    }
  #endif
}
