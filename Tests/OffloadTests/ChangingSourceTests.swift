import SystemIO
import Testing

@testable import Offload

/// A card that changes while it is copied (offload contract 18, 58; decision 20).
@Suite struct ChangingSourceTests {
  enum Change: String, CaseIterable, CustomTestStringConvertible {
    case grown, cut, rewritten, replaced, symlink, removed, folder, added, folderSwapped
    var testDescription: String { rawValue }
  }

  private static let victim: BytePath = "DCIM/100/A.JPG"

  private static func apply(_ change: Change, _ card: Tree) throws {
    let folder = try PinnedDirectory.open(card.root.appending("DCIM/100"))
    let metadata = try card.metadata(victim)
    switch change {
    case .grown: try card.file(victim, seed: 1, count: 5001)
    case .cut: try card.file(victim, seed: 1, count: 4999)
    case .rewritten:
      // The time is put back: only ctime tells.
      try card.file(victim, Tree.bytes(seed: 9, count: 5000), modification: metadata.modification)
    case .replaced:
      try folder.unlink("A.JPG")
      try card.file(victim, Tree.bytes(seed: 9, count: 5000), modification: metadata.modification)
    case .symlink:
      try folder.unlink("A.JPG")
      try folder.symlink("B.MP4", as: "A.JPG")
    case .removed: try folder.unlink("A.JPG")
    case .folder:
      try folder.unlink("A.JPG")
      try card.folder(victim)
    case .added: try card.file("DCIM/new/C.JPG", [1])
    case .folderSwapped:
      let above = try PinnedDirectory.open(card.root.appending("DCIM"))
      try above.rename("100", to: above, "101")
      try above.symlink("101", as: "100")
    }
  }

  @Test(
    "offload 18, 58, decision 20: what changes between the walk and the copy fails by its name",
    arguments: Change.allCases, [1, nil] as [Int?])
  func beforeCopy(change: Change, workers: Int?) throws {
    let stage = try Stage(workers: workers)
    try stage.fillSmall()
    let card = stage.card
    let engine = OffloadEngine(job: stage.job) { event in
      if case .started = event { try? Self.apply(change, card) }
    }
    try expectFailure(stage, try engine.run(), change)
  }

  @Test("offload 58: a source that changed fails what would be reused too, and it stays as it is")
  func beforeReuse() throws {
    let stage = try Stage()
    try stage.fillSmall()
    _ = try stage.run()
    let before = try stage.destination.entries()[Self.victim]
    let card = stage.card
    let outcome = try OffloadEngine(job: stage.job) { event in
      if case .started = event { try? Self.apply(.rewritten, card) }
    }.run()
    #expect(outcome.exitCode == 1)
    #expect(try stage.row(outcome, Self.victim).outcome == .failed)
    #expect(try stage.row(outcome, "DCIM/100/B.MP4").isReused)
    #expect(try stage.destination.entries()[Self.victim] == before)
  }

  private func expectFailure(_ stage: Stage, _ outcome: OffloadOutcome, _ change: Change) throws {
    #expect(outcome.exitCode == 1)
    let failed = Set(outcome.rows.filter { !$0.outcome.isSuccess }.map(\.path))
    switch change {
    case .added: #expect(failed == ["DCIM/new/C.JPG"])
    case .folderSwapped:
      #expect(failed == ["DCIM/100/A.JPG", "DCIM/100/B.MP4", "DCIM/101/A.JPG", "DCIM/101/B.MP4"])
    default: #expect(failed == [Self.victim])
    }
    #expect(try stage.row(outcome, "zero").outcome == .verified)
    // Contract 58: nothing of a file that changed before it was read is on the destination.
    if change != .added { #expect(!stage.destination.contains(Self.victim)) }
    let left = leftovers(try stage.destination.entries())
    #expect(left.isEmpty, "\(left)")
  }

  @Test("offload 18, decision 20: a file that changes after it was verified fails at the last look")
  func afterVerification() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let card = stage.card
    // There is no event between verification and the last look: the look is asked directly.
    let root = DirectoryHandle(try PinnedDirectory.open(card.root))
    let manifest = try CardSource.scan(root) { false }
    let source = SourceSide(
      root: try OpenedRoot.source(card.root, stage.job.facts), manifest: manifest,
      openDirectories: 3)
    let ledger = RunLedger(
      manifest: manifest, destinations: stage.job.destinations, algorithms: [])
    for file in manifest.files.indices {
      ledger.succeed(file, 0, .verified, level: .evicted, isReused: false)
    }
    try Self.apply(.rewritten, card)
    SourceCheck(source: source, ledger: ledger, destinationCount: 1).run()
    #expect(ledger.rows.filter { !$0.outcome.isSuccess }.map(\.path) == [Self.victim])
  }

  @Test("offload 1: a card that is moved away fails every row, and nothing hangs")
  func moved() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let place = stage.scratch.path
    let engine = OffloadEngine(job: stage.job) { event in
      guard case .started = event, let folder = try? PinnedDirectory.open(place) else { return }
      try? folder.rename("card", to: folder, "gone")
    }
    let outcome = try engine.run()
    #expect(outcome.exitCode == 1)
    #expect(outcome.rows.allSatisfy { $0.outcome == .failed })
  }

  @Test("offload 46, 49: a destination that is moved away takes no byte and fails every row")
  func destinationMoved() throws {
    let stage = try Stage(destinations: 2)
    try stage.fillSmall()
    let place = stage.scratch.path
    let engine = OffloadEngine(job: stage.job) { event in
      guard case .started = event, let folder = try? PinnedDirectory.open(place) else { return }
      try? folder.rename("dst2", to: folder, "elsewhere")
      try? FileSystem.makeDirectories(place.appending("dst2"))
    }
    let outcome = try engine.run()
    #expect(outcome.exitCode == 1)
    for row in outcome.rows {
      #expect(row.outcome == (row.destination == 0 ? .verified : .failed))
    }
    #expect(try Tree(root: place.appending("dst2")).entries().isEmpty)
  }
}
