#if DEBUG
  import SystemIO
  import Testing

  @testable import Offload

  /// Another file takes the name while a copy is under way (offload contract 46, 67, 68, 74).
  @Suite struct SwapTests {
    private static let bytes = Tree.bytes(seed: 1, count: 9000)

    /// A copy that is written and sealed, with links or without.
    private func sealed(_ stage: Stage, hasLinks: Bool) throws -> DestinationCopy {
      try stage.card.file("clip.mov", Self.bytes)
      let copy = try stage.copy()
      Interposer.with(hasLinks ? [] : OrderTests.noLinks) { _ in copy.prepare() }
      Self.bytes.withUnsafeBytes { copy.write($0, at: 0) }
      copy.complete()
      copy.sync()
      #expect(copy.isAlive, "\(copy.failure?.cause ?? "")")
      return copy
    }

    /// Puts other bytes, or the same, under a name as a new file.
    private func swap(_ stage: Stage, _ name: BytePath, _ bytes: [UInt8]) throws {
      let folder = try PinnedDirectory.open(stage.destination.root)
      try stage.destination.file("intruder", bytes)
      try folder.rename("intruder", to: folder, name)
    }

    @Test(
      "offload 74: a name that leads elsewhere after the sync fails, and the other file stays",
      arguments: [true, false], [true, false])
    func beforeReadBack(hasLinks: Bool, hasSameBytes: Bool) throws {
      let stage = try Stage()
      let copy = try sealed(stage, hasLinks: hasLinks)
      let other = hasSameBytes ? Self.bytes : Tree.bytes(seed: 2, count: 9000)
      let name = copy.currentName
      try swap(stage, name, other)
      copy.openForReadBack()
      #expect(copy.failure?.cause.contains("another file has taken the name") == true)
      copy.discard()
      let left = try stage.destination.entries()
      if !hasLinks { #expect(left["clip.mov"]?.bytes == other) }
      #expect(!left.keys.contains { OwnName.isMarker($0) }, "the file is not ours to mark")
    }

    @Test(
      "offload 68, decision 19: a name that leads elsewhere at publication fails",
      arguments: [true, false])
    func beforePublication(hasLinks: Bool) throws {
      let stage = try Stage()
      let copy = try sealed(stage, hasLinks: hasLinks)
      copy.openForReadBack()
      try swap(stage, copy.currentName, Self.bytes)
      copy.publish()
      #expect(copy.failure?.cause.contains("another file has taken the name") == true)
      copy.discard()
      #expect(try stage.destination.entries().keys.allSatisfy { !OwnName.isMarker($0) })
    }

    @Test(
      "offload 67, decision 19: bytes that differ are kept under a name that says so",
      arguments: [true, false])
    func mismatch(hasLinks: Bool) throws {
      let stage = try Stage()
      let copy = try sealed(stage, hasLinks: hasLinks)
      copy.openForReadBack()
      copy.fail(Failure("differs", outcome: .checksumMismatch))
      copy.discard()
      let left = try stage.destination.entries()
      #expect(Set(left.keys) == ["clip.mov.custody-failed"])
      #expect(left["clip.mov.custody-failed"]?.bytes == Self.bytes)
      let kept = stage.destination.root.appending("clip.mov.custody-failed")
      #expect(copy.destination.leftBehind == [kept])
    }

    @Test(
      "offload 68: an older failed copy of that name is never replaced", arguments: [true, false])
    func mismatchTwice(hasLinks: Bool) throws {
      let stage = try Stage()
      try stage.destination.file("clip.mov.custody-failed", [7])
      let copy = try sealed(stage, hasLinks: hasLinks)
      copy.openForReadBack()
      copy.fail(Failure("differs", outcome: .checksumMismatch))
      copy.discard()
      let left = try stage.destination.entries()
      #expect(Set(left.keys) == ["clip.mov.custody-failed"])
      #expect(left["clip.mov.custody-failed"]?.bytes == [7])
    }

    @Test("offload 68: without a no-replace rename the failed name is claimed first")
    func mismatchWithoutNoReplace() throws {
      let stage = try Stage()
      let copy = try sealed(stage, hasLinks: false)
      copy.openForReadBack()
      copy.fail(Failure("differs", outcome: .checksumMismatch))
      Interposer.with([Interposer.Rule("renameat2", .fail(.invalid))]) { _ in copy.discard() }
      #expect(Set(try stage.destination.entries().keys) == ["clip.mov.custody-failed"])
    }

    @Test("decision 19: a copy that cannot be read stays under its marker, named")
    func readError() throws {
      let stage = try Stage()
      try stage.card.file("clip.mov", Self.bytes)
      let outcome = try Interposer.with(
        OrderTests.noLinks + [
          Interposer.Rule("pread", path: "dst1/clip.mov", count: .max, .fail(.inputOutput))
        ]
      ) { _ in try stage.run() }
      #expect(outcome.rows[0].outcome == .failed)
      let left = try stage.destination.entries()
      #expect(Before.covered(left) == ["clip.mov"])
      #expect(outcome.leftBehind.contains(stage.destination.root.appending("clip.mov")))
      #expect(try stage.run().verdict == .verified, "the next run clears it")
    }
  }
#endif
