import Glibc
import SystemIO
import Testing
import Wire

extension IntegrationTests {
  /// Real drivers on loop devices, judged by `sha256sum` after a remount.
  @Suite("A card on real volumes")
  struct RealVolumeTests {
    static let usable = LoopVolume.Kind.disks.filter { $0.blocker == nil }
    static let blockers = LoopVolume.Kind.disks.compactMap(\.blocker).joined(separator: "; ")

    private static let exFAT = ConditionTrait.enabled(
      if: LoopVolume.Kind.exfat.blocker == nil && LoopVolume.Kind.ext4.blocker == nil,
      "blocked: \(blockers)")

    @Test(
      "every kind of volume can be made here",
      .enabled(if: blockers.isEmpty, "blocked: \(blockers)"))
    func blocked() {
      #expect(Self.usable == LoopVolume.Kind.disks)
    }

    /// What `custody` may exit with on a volume: through FUSE nothing proves the medium.
    private func expectCode(_ run: Finished, on kind: LoopVolume.Kind) throws {
      let finished = try #require(try run.events("finished").first)
      let levels = Set(try run.events("row").compactMap { $0["level"]?.text })
      if kind.isFUSE {
        #expect(run.status == .exited(5), "\(run.output)\(run.errors)")
        #expect(levels == ["cached"])
        #expect(finished["verdict"]?.text == "copiedNotVerified")
      } else {
        // The proof through a loop device depends on what may be flushed below it; what is
        // claimed must fit the level in any case.
        let isProven = levels.isSubset(of: ["direct", "evicted"])
        #expect(run.status == .exited(isProven ? 0 : 5), "\(run.output)\(run.errors)")
        #expect(finished["verdict"]?.text == (isProven ? "verified" : "copiedNotVerified"))
      }
    }

    @Test(
      "every byte and folder of a card arrives and survives a remount",
      arguments: usable, ["sony-m4", "p2"])
    func copies(kind: LoopVolume.Kind, name: String) throws {
      let scratch = try Scratch()
      let card = try Card(name, in: scratch)
      let volume = try LoopVolume(kind, in: scratch)
      let target = volume.path.appending("card")
      try FileSystem.makeDirectories(target)
      let run = try Product.custody(
        ["copy", card.path, "--to", target, "--headroom", "0", "--json"])
      try expectCode(run, on: kind)
      #expect(try run.events("row").count == card.layout.fileCount)
      try volume.remount()
      try card.expectCopy(target)
      try card.expectUntouched()
    }

    @Test(
      "facts that the caller gives count, on every driver, and every report says so",
      arguments: usable, ["standard", "paranoid"])
    func facts(kind: LoopVolume.Kind, mode: BytePath) throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let volume = try LoopVolume(kind, in: scratch)
      let target = volume.path.appending("card")
      try FileSystem.makeDirectories(target)
      let isKernel = !kind.isFUSE
      let facts: JSON = [
        "volumes": [
          [
            "root": .string(volume.path.bytes), "type": .text(kind.rawValue), "level": "evicted",
            "inodesLast": .bool(isKernel), "changeTimeIsReal": .bool(isKernel),
            "modificationGrainNanoseconds": isKernel ? 1 : 2_000_000_000,
          ]
        ]
      ]
      try scratch.file("facts.json", facts.encoded())
      let run = try Product.custody([
        "copy", card.path, "--to", target, "--headroom", "0", "--json", "--mode", mode,
        "--volume-facts", scratch.path.appending("facts.json"),
      ])
      #expect(run.status == .exited(0), "\(run.output)\(run.errors)")
      #expect(try run.events("started").first?["factsGivenByCaller"] == true)
      #expect(try run.events("row").allSatisfy { $0["level"] == "evicted" })
      try volume.remount()
      try card.expectCopy(target)
    }

    @Test("two volumes of different kinds take one read of the card", exFAT)
    func two() throws {
      let scratch = try Scratch()
      let card = try Card("p2", in: scratch)
      let first = try LoopVolume(.ext4, in: scratch)
      let second = try LoopVolume(.exfat, in: scratch)
      let run = try Product.custody([
        "copy", card.path, "--to", first.path, "--to", second.path, "--headroom", "0", "--json",
        "--mode", "paranoid",
      ])
      #expect(run.status == .exited(5), "\(run.output)\(run.errors)")
      try first.remount()
      try second.remount()
      try FileSystem.removeLostAndFound(first.path)
      try card.expectCopy(first.path)
      try card.expectCopy(second.path)
    }

    @Test("a volume that is too small is refused before anything is written", exFAT)
    func tooSmall() throws {
      let scratch = try Scratch()
      let card = try Card("sony-m4", in: scratch)
      let volume = try LoopVolume(.exfat, in: scratch, byteCount: 16 << 20)
      let run = try Product.custody(
        ["copy", card.path, "--to", volume.path, "--headroom", "0", "--json"])
      #expect(run.status == .exited(3), "\(run.output)\(run.errors)")
      try volume.remount()
      #expect(try PinnedDirectory.open(FileSystem.resolve(volume.path)).list().isEmpty)
    }

    @Test("killed in the middle, then run again: complete, and nothing else is left", exFAT)
    func killed() throws {
      let scratch = try Scratch()
      let card = try Card("sony-m4", in: scratch)
      let volume = try LoopVolume(.exfat, in: scratch)
      let target = volume.path.appending("card")
      try FileSystem.makeDirectories(target)
      let arguments: [BytePath] = ["copy", card.path, "--to", target, "--headroom", "0", "--json"]
      // Ever later, so that at least one kill lands in the middle of the copy.
      var landed = 0
      for step in 1...8 {
        var child = try ChildProcess.spawn(
          ChildProcess.Command(try Product.path("custody"), arguments.map(\.bytes)),
          descriptors: [(try null(), 1)])
        SystemClock().sleep(.milliseconds(25 * step))
        try child.kill(.kill)
        if try child.wait() == .signalled(.kill) { landed += 1 }
      }
      #expect(landed > 0, "every run ended before it was killed")
      let run = try Product.custody(arguments)
      try expectCode(run, on: .exfat)
      try volume.remount()
      try card.expectCopy(target)
      try card.expectUntouched()
    }

    private func null() throws -> CInt {
      try FileDescriptor.open("/dev/null", .writeOnly).release()
    }
  }
}

extension FileSystem {
  /// What mkfs.ext4 puts into a new volume is no part of a card.
  fileprivate static func removeLostAndFound(_ path: BytePath) throws {
    try Tool.must("/bin/rmdir", [path.appending("lost+found")])
  }
}
