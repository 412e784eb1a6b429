import Synchronization
import SystemIO
import Testing

@testable import Offload

/// A card, its destinations, and the engine on them.
final class Stage {
  let scratch: Scratch
  let card: Tree
  let destinations: [Tree]
  var job: CopyJob
  /// Every event of the runs so far.
  let events = EventLog()

  /// - Parameters:
  ///   - level: the best level that the facts of all volumes allow.
  ///   - workers: nil for the engine's own choice.
  init(
    destinations count: Int = 1, mode: CopyMode = .standard, level: VerificationLevel = .evicted,
    inodesLast: Bool = true, workers: Int? = 1, readsSourceOnce: Bool = false
  ) throws {
    scratch = try Scratch()
    card = Tree(root: scratch.path.appending("card"))
    try card.folder("")
    let place = scratch.path
    destinations = try (1...count).map { number in
      let tree = Tree(root: place.appending(BytePath("dst\(number)")))
      try tree.folder("")
      return tree
    }
    let facts = VolumeFacts(
      type: "ext4", bestLevel: level, inodesLast: inodesLast, changeTimeIsReal: inodesLast,
      isGivenByCaller: true)
    job = CopyJob(
      source: card.root, destinations: destinations.map(\.root), mode: mode,
      readsSourceOnce: readsSourceOnce, headroomByteCount: 0,
      facts: VolumeFactsProvider(given: [(place, facts)]), workerCount: workers)
  }

  var destination: Tree { destinations[0] }

  /// A card of folders, small files and an empty one.
  func fillSmall() throws {
    try card.file("DCIM/100/A.JPG", seed: 1, count: 5000)
    try card.file("DCIM/100/B.MP4", seed: 2, count: 70_000)
    try card.file("zero", [])
    try card.folder("empty")
  }

  func engine() -> OffloadEngine {
    OffloadEngine(job: job) { [events] in events.add($0) }
  }

  func run() throws -> OffloadOutcome {
    try engine().run()
  }

  /// The row of a file on a destination.
  func row(_ outcome: OffloadOutcome, _ path: BytePath, _ destination: Int = 0) throws -> FileRow {
    try #require(outcome.rows.first { $0.path == path && $0.destination == destination })
  }
}

/// What an engine told.
final class EventLog: Sendable {
  private let state = Mutex<[OffloadEvent]>([])

  func add(_ event: OffloadEvent) { state.withLock { $0.append(event) } }

  var all: [OffloadEvent] { state.withLock { $0 } }
}

/// Expects that every file of the card is on a destination, byte for byte, and nothing of ours.
func expectWhole(
  _ stage: Stage, _ destination: Tree, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let source = try stage.card.entries()
  let copied = try destination.entries()
  for (path, entry) in source {
    #expect(copied[path]?.bytes == entry.bytes, "\(path)", sourceLocation: sourceLocation)
    #expect(copied[path]?.kind == entry.kind, "\(path)", sourceLocation: sourceLocation)
    if entry.kind == .regular {
      #expect(
        copied[path]?.modification == entry.modification, "\(path)", sourceLocation: sourceLocation)
    }
  }
  #expect(leftovers(copied).isEmpty, sourceLocation: sourceLocation)
}

/// Temporary files, markers and failed copies in a tree.
func leftovers(_ entries: [BytePath: Entry]) -> [BytePath] {
  entries.keys.filter {
    let name = $0.lastComponent
    return OwnName.isTemporary(name) || OwnName.isMarker(name)
      || name.bytes.suffix(OwnName.failedSuffix.count).elementsEqual(OwnName.failedSuffix)
  }.sorted()
}
