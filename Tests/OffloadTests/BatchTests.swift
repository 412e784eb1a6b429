import Hashing
import SystemIO
import Testing

@testable import Offload

/// Small files that are copied together.
@Suite struct BatchTests {
  private static let kibibyte: Int64 = 1024

  /// A card of one folder, with files of these sizes.
  private static func manifest(_ sizes: [Int64]) throws -> SourceManifest {
    let scratch = try Scratch()
    let file = try FileDescriptor.open(
      scratch.path.appending("f"), .readWrite, options: .exclusiveCreate)
    var manifest = SourceManifest()
    _ = manifest.addDirectory("", parent: 0, FileIdentity(device: 1, inode: 1))
    for (index, size) in sizes.enumerated() {
      let name = BytePath("\(1000 + index)")
      try file.truncate(to: size)
      #expect(manifest.addFile(name, directory: 0, try file.metadata()))
    }
    return manifest
  }

  private static func split(
    _ sizes: [Int64], workers: Int = 1, descriptors: Int = 1000
  ) throws -> [Int] {
    let files = Array(sizes.indices.map { UInt32($0) })
    let bound = BatchBound(destinations: 1, descriptorCount: descriptors)
    let batches = Batches(files, try manifest(sizes), bound, workers: workers)
    var counts: [Int] = []
    var next: UInt32 = 0
    while let batch = batches.next() {
      #expect(Array(batch) == Array(next..<(next + UInt32(batch.count))))
      next += UInt32(batch.count)
      counts.append(batch.count)
    }
    #expect(Int(next) == sizes.count)
    return counts
  }

  @Test("Each file is in one batch, in order, and a batch stays within its bounds")
  func split() throws {
    let small = [Int64](repeating: 16 * Self.kibibyte, count: 70)
    #expect(try Self.split([]) == [])
    #expect(try Self.split([0]) == [1])
    #expect(try Self.split(small) == [32, 32, 6], "by count and by bytes: 32 of 16 KiB")
    #expect(try Self.split([Int64](repeating: 0, count: 40)) == [32, 8])
    let larger = [Int64](repeating: 20 * Self.kibibyte, count: 30)
    #expect(try Self.split(larger) == [25, 5], "by bytes")
    #expect(try Self.split([5, 1 << 40, 5, 5]) == [1, 1, 2], "a large file comes alone")
    #expect(try Self.split([1 << 43, 1 << 43]) == [1, 1])
    #expect(try Self.split(small, workers: 35) == [Int](repeating: 2, count: 35), "shared by all")
    #expect(try Self.split([1, 1, 1], workers: 16) == [1, 1, 1])
    #expect(try Self.split(small, descriptors: 12).allSatisfy { $0 <= 3 }, "four for each file")
    #expect(try Self.split([1, 1], descriptors: 0) == [1, 1])
  }

  @Test(
    "A card of many small files is copied whole, whatever shares a batch",
    arguments: [1, 3, nil], [VerificationLevel.evicted, .direct])
  func whole(workers: Int?, level: VerificationLevel) throws {
    let stage = try Stage(destinations: 2, level: level, workers: workers)
    for index in 0..<90 {
      let count = [0, 1, 4095, 4096, 4097, 16384, 70_000][index % 7]
      try stage.card.file(
        BytePath("d\(index / 20)/C\(index)"), seed: UInt64(index), count: count)
    }
    let before = try stage.card.entries()
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    for destination in stage.destinations { try expectWhole(stage, destination) }
    for row in outcome.rows {
      let bytes = try #require(before[row.path]?.bytes)
      #expect(row.digests == [try #require(try Digests.of(bytes, [.sha256])[.sha256])])
    }
    #expect(try stage.card.entries() == before)
  }

  @Test("A copy read ahead brings what its file holds, or the error of a plain read")
  func readAhead() throws {
    let bytes = Tree.bytes(seed: 1, count: 9000)
    let other = Tree.bytes(seed: 2, count: 9000)
    enum Change: CaseIterable { case none, other, cut }
    for change in Change.allCases {
      let stage = try Stage(level: .direct)
      try stage.card.file("clip.mov", bytes)
      let copy = try stage.copy()
      copy.prepare()
      bytes.withUnsafeBytes { copy.write($0, at: 0) }
      copy.complete()
      copy.sync()
      let path = stage.destination.root.appending(copy.currentName)
      let file = try FileDescriptor.open(path, .writeOnly)
      switch change {
      case .none: break
      case .other: try other.withUnsafeBytes { try file.writeAll($0, at: 0) }
      case .cut: try file.truncate(to: 5000)
      }
      // A file that changed length is no copy at all; this one changes once it is open.
      if change == .cut { try file.truncate(to: 9000) }
      try file.fsync()
      copy.openForReadBack()
      copy.evict()
      #expect(copy.isAlive, "\(copy.failure?.cause ?? "")")
      if change == .cut { try file.truncate(to: 5000) }
      let ahead = ReadAhead(byteCount: 1 << 20, readCount: 4)
      copy.readBack(by: ahead)
      #expect(copy.ahead != nil)
      ahead.run()
      let sink = try ReadBackSink(
        copy, [.sha256], buffer: AlignedBuffer(byteCount: 16384), comparesBytes: false)
      sink.readAlone(progress: { _ in }, isCancelled: { false })
      switch change {
      case .none: #expect(sink.digests == (try Digests.of(bytes, [.sha256])))
      case .other: #expect(sink.digests == (try Digests.of(other, [.sha256])))
      case .cut:
        #expect(sink.digests == nil)
        #expect(copy.failure?.cause.contains("another length") == true)
      }
      copy.discard()
    }
  }

  @Test("offload 66: what has the name is read anew, not taken from what was read ahead")
  func staleAhead() throws {
    let bytes = Tree.bytes(seed: 1, count: 9000)
    let stage = try Stage(level: .direct)
    try stage.card.file("clip.mov", bytes)
    let copy = try stage.copy()
    copy.prepare()
    bytes.withUnsafeBytes { copy.write($0, at: 0) }
    copy.complete()
    copy.sync()
    copy.openForReadBack()
    copy.evict()
    let ahead = ReadAhead(byteCount: 1 << 20, readCount: 4)
    copy.readBack(by: ahead)
    ahead.run()
    let other = Tree.bytes(seed: 2, count: 9000)
    try stage.destination.file("clip.mov", other)
    copy.publish()
    #expect(copy.hasLostName)
    copy.takeWhatIsThere()
    copy.openForReadBack()
    copy.evict()
    let sink = try ReadBackSink(
      copy, [.sha256], buffer: AlignedBuffer(byteCount: 16384), comparesBytes: false)
    sink.readAlone(progress: { _ in }, isCancelled: { false })
    #expect(sink.digests == (try Digests.of(other, [.sha256])))
  }

  #if DEBUG
    @Test(
      "offload 56, 65: in a batch too every copy is synced before its name, and its folder after",
      arguments: [true, false])
    func order(hasLinks: Bool) throws {
      let stage = try Stage()
      let names = ["a", "b", "c", "d"]
      for (index, name) in names.enumerated() {
        try stage.card.file(BytePath("f/" + name), seed: UInt64(index), count: 5000)
      }
      let rules = hasLinks ? [] : OrderTests.noLinks
      let trace = try Interposer.with(rules, within: stage.destination.root) { session in
        let outcome = try stage.run()
        #expect(outcome.verdict == .verified)
        return session.trace
      }
      func places(_ call: String, _ isMeant: (BytePath) -> Bool) -> [Int] {
        trace.indices.filter { index in
          trace[index].call == call && trace[index].forced == nil
            && trace[index].path.map(isMeant) == true
        }
      }
      func isCopy(_ path: BytePath) -> Bool {
        let name = path.lastComponent
        return path.parent?.lastComponent == "f"
          && (hasLinks ? OwnName.isTemporary(name) : names.contains(name.escaped))
      }
      let synced = places("fsync", isCopy)
      #expect(synced.count == names.count)
      #expect(Set(synced.map { trace[$0].path }).count == names.count, "each by itself")
      let started = places("sync_file_range", isCopy)
      #expect(started.count == names.count)
      #expect(try #require(started.last) < (try #require(synced.first)), "together")
      let named =
        hasLinks
        ? places("linkat") { names.contains($0.lastComponent.escaped) }
        : places("unlinkat") { OwnName.isMarker($0.lastComponent) }
      #expect(named.count == names.count)
      #expect(try #require(synced.last) < (try #require(named.first)))
      let folder = places("fsync") { $0.lastComponent == "f" }
      #expect(try #require(named.last) < (try #require(folder.last)))
      #expect(hasLinks ? folder.count == 1 : folder.count == names.count + 1)
    }
  #endif
}
