import Offload
import SystemIO
import Testing

/// Compiles as an outside client does: public names only.
@Suite("Offload as a library")
struct OffloadClientTests {
  @Test("a client copies a folder, hears its events and reads its rows")
  func copies() throws {
    let root = try #require(BytePath(#filePath).parent?.parent?.parent)
    let scratch = root.appending(".build/scratch").appending(BytePath(RandomID().text))
    let (card, copy) = (scratch.appending("card"), scratch.appending("copy"))
    try FileSystem.makeDirectories(card)
    try FileSystem.makeDirectories(copy)
    defer { Self.remove(scratch) }
    let file = try FileDescriptor.open(
      card.appending("C0001.MP4"), .writeOnly, options: .exclusiveCreate)
    try file.writeAll(Array(repeating: 7, count: 100_000))
    try file.close()

    let seen = Monitor<[OffloadEvent]>([])
    var job = CopyJob(source: card, destinations: [copy], mode: .thorough)
    job.headroomByteCount = 0
    let engine = OffloadEngine(job: job) { event in seen.update { $0.append(event) } }
    let outcome = try engine.run()

    #expect(outcome.verdict == .verified || outcome.verdict == .copiedNotVerified)
    #expect(outcome.rows.map(\.path) == ["C0001.MP4"])
    #expect(outcome.rows.allSatisfy { $0.digests.count == 2 })
    #expect(outcome.report != nil)
    let events = seen.read { $0 }
    guard case .started(let started)? = events.first, case .finished? = events.last else {
      Issue.record("the events begin with started and end with finished")
      return
    }
    #expect(started.fileCount == 1)
    #expect(events.allSatisfy { $0.json["event"] != nil })
  }

  private static func remove(_ path: BytePath) {
    guard let parent = path.parent, let folder = try? PinnedDirectory.open(parent) else { return }
    empty(path.lastComponent, of: folder)
  }

  private static func empty(_ name: BytePath, of parent: borrowing PinnedDirectory) {
    if let inner = try? parent.descend(name) {
      for entry in (try? inner.list()) ?? [] { empty(entry.name, of: inner) }
      try? parent.removeDirectory(name)
    } else {
      try? parent.unlink(name)
    }
  }
}
