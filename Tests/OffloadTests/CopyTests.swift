import SystemIO
import Testing
import Wire

@testable import Offload

@Suite struct CopyTests {
  @Test(
    "offload 52, 53, 83: a card arrives whole, empty folders and files too, and every row is verified",
    arguments: [1, 2], [CopyMode.standard, .thorough, .paranoid])
  func whole(destinations: Int, mode: CopyMode) throws {
    let stage = try Stage(destinations: destinations, mode: mode)
    try stage.fillSmall()
    let before = try stage.card.entries()
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.exitCode == 0)
    #expect(outcome.rows.count == 3 * destinations)
    for row in outcome.rows {
      #expect(row.outcome == .verified)
      #expect(row.level == .evicted)
      #expect(row.digests.map(\.algorithm) == mode.algorithms)
      #expect(row.cause == "")
    }
    for destination in stage.destinations { try expectWhole(stage, destination) }
    #expect(try stage.card.entries() == before)
  }

  @Test(
    "offload 144: sizes at the edges of chunks are byte-identical",
    arguments: [0, 1, 4095, 4096, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 9_000_001],
    [1, nil] as [Int?])
  func sizes(count: Int, workers: Int?) throws {
    let stage = try Stage(destinations: 2, mode: .paranoid, workers: workers)
    try stage.card.file("a/deep/path/of/some/folders/clip.mov", seed: 7, count: count)
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    for destination in stage.destinations { try expectWhole(stage, destination) }
  }

  @Test("offload 72: a second run reuses every file and writes nothing")
  func secondRun() throws {
    let stage = try Stage()
    try stage.fillSmall()
    _ = try stage.run()
    let before = try stage.destination.entries().filter { $0.value.kind == .regular }
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.rows.allSatisfy { $0.isReused && $0.outcome == .verified })
    let after = try stage.destination.entries()
    for (path, entry) in before { #expect(after[path] == entry, "\(path)") }
  }

  @Test("offload 70, 73, 89: quick mode copies, verifies nothing, and takes no existing file")
  func quick() throws {
    let stage = try Stage(mode: .quick)
    try stage.fillSmall()
    let first = try stage.run()
    #expect(first.verdict == .copiedNotVerified)
    #expect(first.exitCode == 5)
    #expect(first.rows.allSatisfy { $0.outcome == .copiedUnverified && $0.level == .notRead })
    try expectWhole(stage, stage.destination)
    let second = try stage.run()
    #expect(second.exitCode == 1)
    #expect(second.rows.allSatisfy { $0.outcome == .failed && $0.cause.contains("conflict") })
  }

  @Test(
    "offload 70, 71: what has the name stays, byte for byte, and the file fails",
    arguments: ["other bytes", "other size", "empty", "folder", "link"])
  func conflict(_ kind: String) throws {
    let stage = try Stage()
    try stage.fillSmall()
    let path: BytePath = "DCIM/100/A.JPG"
    switch kind {
    case "other bytes": try stage.destination.file(path, seed: 99, count: 5000)
    case "other size": try stage.destination.file(path, seed: 99, count: 6000)
    case "empty": try stage.destination.file(path, [])
    case "folder": try stage.destination.folder(path)
    default:
      try stage.destination.folder("DCIM/100")
      try PinnedDirectory.open(stage.destination.root.appending("DCIM/100"))
        .symlink("/etc/hostname", as: "A.JPG")
    }
    let before = try #require(try stage.destination.entries()[path])
    let outcome = try stage.run()
    #expect(outcome.exitCode == 1)
    #expect(try stage.row(outcome, path).outcome == .failed)
    #expect(try stage.row(outcome, "DCIM/100/B.MP4").outcome == .verified)
    #expect(try stage.destination.entries()[path] == before)
  }

  @Test("decision 6, 14: a level that proves no medium is copied, not verified, exit 5")
  func cached() throws {
    let stage = try Stage(level: .cached)
    try stage.fillSmall()
    let outcome = try stage.run()
    #expect(outcome.verdict == .copiedNotVerified)
    #expect(outcome.exitCode == 5)
    #expect(outcome.rows.allSatisfy { $0.outcome == .copiedUnverified && $0.level == .cached })
    #expect(outcome.rows.allSatisfy { $0.cause.contains("proves no medium") })
    try expectWhole(stage, stage.destination)
  }

  @Test("offload 60, 61: a run that was cancelled before it began writes nothing")
  func cancelledBefore() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let engine = stage.engine()
    engine.cancel(.terminate)
    let outcome = try engine.run()
    #expect(outcome.verdict == .interrupted)
    #expect(outcome.exitCode == 143)
    #expect(try stage.destination.entries().isEmpty)
  }

  @Test("offload 60: an engine runs one job at a time")
  func oneAtATime() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let box = EngineBox()
    let engine = OffloadEngine(job: stage.job) { event in
      if case .started = event { box.tryAgain() }
    }
    box.engine = engine
    _ = try engine.run()
    #expect(box.error == .operationAlreadyInProgress)
  }

  @Test("offload 15: AppleDouble companions come after all media")
  func companionsLast() throws {
    let stage = try Stage()
    try stage.card.file("._A", seed: 1, count: 100)
    try stage.card.file("A", seed: 2, count: 100)
    try stage.card.file("z/B", seed: 3, count: 100)
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    let companion = try stage.destination.metadata("._A").birth
    let media = try stage.destination.metadata("z/B").birth
    if let companion, let media { #expect(companion >= media) }
  }

  @Test("offload 62, 85: a companion in the way fails alone, and its row says so in a word")
  func companionConflict() throws {
    let stage = try Stage()
    try stage.fillSmall()
    try stage.card.file("DCIM/100/._A.JPG", seed: 3, count: 4096)
    try stage.destination.file("DCIM/100/._A.JPG", seed: 4, count: 4096)
    try stage.destination.file("DCIM/100/B.MP4", seed: 5, count: 70_000)
    let outcome = try stage.run()
    #expect(outcome.exitCode == 1)
    #expect(try stage.row(outcome, "DCIM/100/._A.JPG").reason == .companionConflict)
    #expect(try stage.row(outcome, "DCIM/100/B.MP4").reason == nil)
    #expect(try stage.row(outcome, "DCIM/100/A.JPG").outcome == .verified)
    #expect(try stage.row(outcome, "zero").outcome == .verified)
    let report = try JSON.parse(try FileSystem.contents(of: try #require(outcome.report)))
    let rows = try #require(report["rows"]?.array)
    #expect(rows.count == 4)
    for row in rows {
      let reason = row["path"] == "DCIM/100/._A.JPG" ? "companionConflict" : nil
      #expect(row["reason"]?.text == reason)
    }
  }

  @Test(
    "offload 47, 53: folders are nobody else's to write, an unfinished file nobody else's to read")
  func modes() throws {
    let stage = try Stage()
    try stage.card.file("d/f", [1])
    try stage.card.file("clip.mov", [1])
    let copy = try stage.copy()
    copy.prepare()
    #expect(try stage.destination.metadata(copy.currentName).mode & 0o777 == 0o600)
    #expect(copy.currentName != "clip.mov")
    copy.fail(Failure("enough seen"))
    copy.discard()
    #expect(try stage.run().verdict == .verified)
    let folder = try stage.destination.metadata("d").mode & 0o777
    #expect(folder & 0o700 == 0o700)
    #expect(folder & 0o022 == 0)
  }

  @Test("offload 51, 77: many workers and one give the same rows and the same trees")
  func differential() throws {
    var seen: [[FileRow]] = []
    for workers in [1, nil, 7] as [Int?] {
      let stage = try Stage(destinations: 2, workers: workers)
      for index in 0..<60 {
        try stage.card.file(
          BytePath("d\(index % 5)/f\(index)"), seed: UInt64(index), count: index * 997)
      }
      try stage.card.file("big", seed: 1000, count: 11_000_000)
      try stage.destinations[1].file("d2/f7", seed: 1, count: 5)
      let outcome = try stage.run()
      #expect(outcome.exitCode == 1)
      let root = stage.scratch.path.bytes.count
      seen.append(
        outcome.rows.map { row in
          FileRow(
            path: row.path, destination: row.destination,
            target: BytePath(Array(row.target.bytes[root...])) ?? "", outcome: row.outcome,
            level: row.level, byteCount: row.byteCount, digests: row.digests,
            isReused: row.isReused, cause: row.cause, reason: row.reason, witness: row.witness)
        })
      try expectWhole(stage, stage.destinations[0])
    }
    #expect(seen[0] == seen[1])
    #expect(seen[0] == seen[2])
  }
}

private final class EngineBox: @unchecked Sendable {
  // Written before the run, and by the run's own thread during it.
  var engine: OffloadEngine?
  var error: OffloadError?

  func tryAgain() {
    do throws(OffloadError) {
      _ = try engine?.run()
    } catch {
      self.error = error
    }
  }
}
