import SystemIO
import Testing
import Wire

extension IntegrationTests {
  /// Volumes mounted below a root whose facts say nothing about them.
  @Suite("Volumes below the root")
  struct NestedVolumeTests {
    /// What is mounted below.
    enum Below: String, CaseIterable, CustomTestStringConvertible {
      case tmpfs, ext4
      var testDescription: String { rawValue }
    }

    private static let blocker = LoopVolume.Kind.ext4.blocker
    private static let files: [(path: BytePath, count: Int)] = [
      ("above.bin", 70_000), ("below/small.bin", 5000), ("below/large.bin", 9_000_001),
    ]

    /// A tree on a folder, with `below` on a volume of its own.
    private final class Nested {
      let root: LoopVolume
      private var inner: LoopVolume?
      private let mountPoint: BytePath
      private var isMounted = false

      init(_ below: Below, in scratch: Scratch) throws {
        root = try LoopVolume(.ext4, in: scratch)
        mountPoint = root.path.appending("below")
        try FileSystem.makeDirectories(mountPoint)
        let mount = try #require(Tool.find("mount"))
        switch below {
        case .tmpfs: try Tool.must(mount, ["-t", "tmpfs", "custody-test", mountPoint])
        case .ext4:
          let volume = try LoopVolume(.ext4, in: scratch)
          inner = volume
          try Tool.must(mount, ["--bind", volume.path, mountPoint])
        }
        isMounted = true
        for folder in [root.path, mountPoint] {
          _ = try Tool.run("/bin/rmdir", [folder.appending("lost+found")])
        }
      }

      deinit {
        guard isMounted, let umount = Tool.find("umount") else { return }
        _ = try? Tool.run(umount, [mountPoint])
      }
    }

    /// The levels and outcomes by path of a copy between two folders of whom the caller says that
    /// their volumes prove the medium.
    private func copy(
      _ scratch: Scratch, _ source: BytePath, _ target: BytePath, level: String
    ) throws -> (run: Finished, rows: [BytePath: JSON]) {
      let volumes: [JSON] = [source, target].map { root in
        [
          "root": .string(root.bytes), "type": "ext4", "level": .text(level), "inodesLast": true,
          "changeTimeIsReal": true,
        ]
      }
      let facts = BytePath("facts-\(RandomID().text)")
      try scratch.file(facts, JSON.object([.init("volumes", .array(volumes))]).encoded())
      let run = try Product.custody([
        "copy", source, "--to", target, "--headroom", "0", "--json", "--volume-facts",
        scratch.path.appending(facts),
      ])
      var rows: [BytePath: JSON] = [:]
      for row in try run.events("row") { rows[BytePath(try #require(row["path"]?.text))] = row }
      return (run, rows)
    }

    private func expectHeldBack(
      _ run: Finished, _ rows: [BytePath: JSON], level: String
    ) {
      #expect(run.status == .exited(5), "\(run.output)\(run.errors)")
      #expect(rows.count == Self.files.count)
      for (path, row) in rows {
        let isBelow = path.components.first == "below"
        #expect(row["level"]?.text == (isBelow ? "cached" : level), "\(path)")
        #expect(row["outcome"]?.text == (isBelow ? "copiedUnverified" : "verified"), "\(path)")
      }
    }

    private func fill(_ folder: BytePath) throws {
      for file in Self.files {
        let place = folder.appending(file.path)
        try FileSystem.makeDirectories(try #require(place.parent))
        var random = SeededRandom(seed: UInt64(file.count))
        var bytes = [UInt8](repeating: 0, count: file.count)
        bytes.withUnsafeMutableBytes { random.fill($0) }
        let opened = try FileDescriptor.open(place, .writeOnly, options: .exclusiveCreate)
        try opened.writeAll(bytes)
        try opened.fsync()
        try opened.close()
      }
    }

    @Test(
      "decision 14: below the destination's root another volume proves nothing",
      .enabled(if: blocker == nil, "blocked: \(blocker ?? "")"),
      arguments: Below.allCases, ["evicted", "direct"])
    func destination(below: Below, level: String) throws {
      let scratch = try Scratch()
      let card = try FileSystem.resolve(scratch.folder("card"))
      try fill(card)
      let nested = try Nested(below, in: scratch)
      let target = try FileSystem.resolve(nested.root.path)
      let (run, rows) = try copy(scratch, card, target, level: level)
      expectHeldBack(run, rows, level: level)
      // The second run proves what is there no better.
      let again = try copy(scratch, card, target, level: level)
      expectHeldBack(again.run, again.rows, level: level)
      #expect(again.rows.values.allSatisfy { $0["reused"] == true })
    }

    @Test(
      "decision 14: below the source's root another volume proves nothing",
      .enabled(if: blocker == nil, "blocked: \(blocker ?? "")"),
      arguments: Below.allCases, ["evicted", "direct"])
    func source(below: Below, level: String) throws {
      let scratch = try Scratch()
      let nested = try Nested(below, in: scratch)
      let card = try FileSystem.resolve(nested.root.path)
      try fill(card)
      let target = try FileSystem.resolve(scratch.folder("to"))
      let (run, rows) = try copy(scratch, card, target, level: level)
      expectHeldBack(run, rows, level: level)
    }
  }
}
