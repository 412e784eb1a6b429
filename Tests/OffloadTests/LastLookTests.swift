import SystemIO
import Testing

@testable import Offload

/// The last look at a destination (offload contract 49, 50, 69).
@Suite struct LastLookTests {
  enum Change: String, CaseIterable, CustomTestStringConvertible {
    case none, written, removed, cut, folder, symlink, replaced, folderRemoved, folderReplaced,
      rootMoved
    var testDescription: String { rawValue }
  }

  private static let victim: BytePath = "DCIM/100/A.JPG"

  private func apply(_ change: Change, _ stage: Stage) throws {
    let root = try PinnedDirectory.open(stage.destination.root)
    let folder = try root.descend("DCIM/100")
    let bytes = try stage.destination.bytes(Self.victim)
    switch change {
    case .none: break
    case .written:
      let kept = try stage.destination.metadata(Self.victim).modification
      try stage.destination.file(Self.victim, bytes.map { ~$0 })
      // More than the steps of any file system.
      let file = try folder.openFile("A.JPG", .readWrite)
      try file.setTimes(
        modification: Timestamp(seconds: kept.seconds + 3, nanoseconds: kept.nanoseconds))
    case .removed: try folder.unlink("A.JPG")
    case .cut: try stage.destination.file(Self.victim, Array(bytes.dropLast()))
    case .folder:
      try folder.unlink("A.JPG")
      try stage.destination.folder(Self.victim)
    case .symlink:
      try folder.rename("A.JPG", to: folder, "B")
      try folder.symlink("B", as: "A.JPG")
    case .replaced:
      try stage.destination.file("DCIM/100/other", bytes)
      try folder.rename("other", to: folder, "A.JPG")
    case .folderRemoved: try root.descend("DCIM").rename("100", to: root, "elsewhere")
    case .folderReplaced:
      let above = try root.descend("DCIM")
      try above.rename("100", to: above, "101")
      try stage.destination.file(Self.victim, bytes)
      try stage.destination.file(
        "DCIM/100/B.MP4", try stage.destination.bytes("DCIM/101/B.MP4"))
    case .rootMoved:
      let place = try PinnedDirectory.open(stage.scratch.path)
      try place.rename("dst1", to: place, "moved")
    }
  }

  /// What looks at a copy that was made a moment ago, and a ledger that calls it verified.
  private func look(_ stage: Stage) throws -> DestinationCheck {
    try stage.fillSmall()
    #expect(try stage.run().verdict == .verified)
    let manifest = try CardSource.scan(
      DirectoryHandle(try PinnedDirectory.open(stage.card.root))
    ) { false }
    let destination = Destination(
      index: 0, root: try OpenedRoot.destination(stage.destination.root, stage.job.facts),
      manifest: manifest, openDirectories: 3)
    for directory in manifest.directories.indices {
      _ = try destination.tree.directory(directory)
    }
    let ledger = RunLedger(
      manifest: manifest, destinations: stage.job.destinations, algorithms: [])
    for file in manifest.files.indices {
      let made = try stage.destination.metadata(manifest.path(ofFile: file))
      ledger.succeed(
        file, 0, .verified, level: .evicted, isReused: false, inode: made.inode,
        modification: made.modification)
    }
    return DestinationCheck(destination: destination, ledger: ledger)
  }

  private func failed(_ look: DestinationCheck) -> Set<BytePath> {
    Set(look.ledger.rows.filter { !$0.outcome.isSuccess }.map(\.path))
  }

  @Test(
    "offload 49, 50, 69: what is not there as it was verified fails, by number only where they last",
    arguments: Change.allCases, [true, false])
  func changes(change: Change, inodesLast: Bool) throws {
    let stage = try Stage(inodesLast: inodesLast)
    let look = try look(stage)
    try apply(change, stage)
    look.run()
    let folder: Set<BytePath> = [Self.victim, "DCIM/100/B.MP4"]
    switch change {
    case .none: #expect(failed(look).isEmpty)
    case .written, .removed, .cut, .folder, .symlink: #expect(failed(look) == [Self.victim])
    case .replaced: #expect(failed(look) == (inodesLast ? [Self.victim] : []))
    case .folderReplaced: #expect(failed(look) == (inodesLast ? folder : []))
    case .folderRemoved: #expect(failed(look) == folder)
    case .rootMoved: #expect(failed(look) == folder.union(["zero"]))
    }
  }

  @Test("offload 50: the last look hides no earlier failure")
  func earlierFailure() throws {
    let stage = try Stage()
    let look = try look(stage)
    look.ledger.fail(0, 0, Failure("first"))
    try apply(.folderRemoved, stage)
    look.run()
    #expect(failed(look).count == 2)
    #expect(look.ledger.rows[0].cause == "first")
    #expect(look.ledger.rows[1].cause.contains("at the end"))
  }

  #if DEBUG
    @Test("offload 50: a folder that cannot be listed at the end fails all its files")
    func listingFails() throws {
      let stage = try Stage()
      let look = try look(stage)
      Interposer.with(
        [Interposer.Rule("getdents64", path: "dst1/DCIM/100", nth: 2, .fail(.inputOutput))]
      ) { _ in look.run() }
      #expect(failed(look) == [Self.victim, "DCIM/100/B.MP4"])
    }
  #endif
}
