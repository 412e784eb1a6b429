#if DEBUG
  import SystemIO
  import Testing

  @testable import Offload

  /// What is durable before what, seen in the calls themselves (docs/offload.md, "What is synced
  /// before what").
  @Suite struct OrderTests {
    static let noLinks = [Interposer.Rule("linkat", count: .max, .fail(.notPermitted))]

    /// The calls of a run, those on the destination only, as `call name`.
    private func calls(
      _ stage: Stage, _ rules: [Interposer.Rule] = []
    ) throws -> (outcome: OffloadOutcome, calls: Calls) {
      try Interposer.with(rules, within: stage.destination.root) { session in
        let outcome = try stage.run()
        let root = stage.destination.root
        return (
          outcome,
          Calls(
            session.trace.map { record in
              let path = record.path ?? ""
              let name = path == root ? "ROOT" : Self.canonical(path.lastComponent)
              return "\(record.call) \(name)"
            })
        )
      }
    }

    private static func canonical(_ name: BytePath) -> String {
      if OwnName.isTemporary(name) { return "TMP" }
      if OwnName.isMarker(name) { return "MARKER" }
      return name.escaped
    }

    struct Calls: CustomStringConvertible {
      let all: [String]

      init(_ all: [String]) { self.all = all }

      var description: String { all.joined(separator: "; ") }

      /// The names occur in this order, each after the one before.
      func hasInOrder(_ wanted: [String]) -> Bool {
        var rest = all[...]
        for call in wanted {
          guard let place = rest.firstIndex(of: call) else { return false }
          rest = rest[(place + 1)...]
        }
        return true
      }

      func count(_ call: String) -> Int { all.filter { $0 == call }.count }
    }

    private func oneFile(_ mode: CopyMode = .standard) throws -> Stage {
      let stage = try Stage(mode: mode)
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      return stage
    }

    @Test("offload 53, 54, 56, 63, decision 19: with links everything is proven before the name")
    func links() throws {
      let stage = try oneFile()
      let (outcome, calls) = try calls(stage)
      #expect(outcome.verdict == .verified)
      let order = [
        "mkdirat d", "fsync ROOT", "openat TMP", "pwrite TMP", "fchmod TMP", "futimens TMP",
        "fsync TMP", "openat TMP", "close TMP", "posix_fadvise TMP", "cachestat TMP", "pread TMP",
        "linkat clip.mov", "statx clip.mov", "unlinkat TMP", "statx TMP", "fsync d",
      ]
      #expect(calls.hasInOrder(order), "\(calls)")
      #expect(calls.count("renameat2 TMP") == 2, "only the two reports are renamed: \(calls)")
    }

    @Test("offload 64, 65, decision 3, 19: without links the marker is durable before the name")
    func marker() throws {
      let stage = try oneFile()
      let (outcome, calls) = try calls(stage, Self.noLinks)
      #expect(outcome.verdict == .verified)
      let order = [
        "mkdirat d", "fsync ROOT", "linkat TMP", "unlinkat TMP", "openat MARKER", "write MARKER",
        "fsync MARKER", "fsync d", "openat clip.mov", "pwrite clip.mov", "fchmod clip.mov",
        "futimens clip.mov", "fsync clip.mov", "openat clip.mov", "close clip.mov",
        "posix_fadvise clip.mov", "cachestat clip.mov", "pread clip.mov", "statx clip.mov",
        "unlinkat MARKER", "fsync d",
      ]
      #expect(calls.hasInOrder(order), "\(calls)")
      #expect(calls.count("fsync d") == 2)
    }

    @Test(
      "offload 69: what a new file is, is asked only after its sync",
      arguments: [("TMP", true), ("clip.mov", false)])
    func identityAfterSync(name: String, hasLinks: Bool) throws {
      let stage = try Stage(inodesLast: false)
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      let (outcome, calls) = try calls(stage, hasLinks ? [] : Self.noLinks)
      #expect(outcome.verdict == .verified)
      let sync = try #require(calls.all.firstIndex(of: "fsync \(name)"))
      // A look behind a removal asks whether a name is gone.
      let look = try #require(
        calls.all.indices.first { index in
          calls.all[index] == "statx \(name)"
            && (index == 0 || calls.all[index - 1] != "unlinkat \(name)")
        })
      #expect(sync < look, "\(calls)")
    }

    @Test("offload 54, 73: quick mode is as durable, and reads nothing back")
    func quick() throws {
      let stage = try oneFile(.quick)
      let (_, calls) = try calls(stage)
      #expect(
        calls.hasInOrder([
          "pwrite TMP", "futimens TMP", "fsync TMP", "close TMP", "linkat TMP", "unlinkat TMP",
          "fsync d",
        ]), "\(calls)")
      #expect(calls.count("pread TMP") == 0)
    }

    @Test("offload 66, 72: a reused file is synced, its folder too, and nothing is written")
    func reuse() throws {
      let stage = try oneFile()
      _ = try stage.run()
      let (outcome, calls) = try calls(stage)
      #expect(outcome.rows[0].isReused)
      #expect(
        calls.hasInOrder([
          "openat clip.mov", "fsync clip.mov", "posix_fadvise clip.mov", "pread clip.mov",
          "statx clip.mov", "fsync d",
        ]), "\(calls)")
      let writes = ["pwrite clip.mov", "futimens clip.mov", "fchmod clip.mov", "linkat TMP"]
      #expect(writes.allSatisfy { calls.count($0) == 0 }, "\(calls)")
    }

    @Test("offload 51, 75, 141, decision 11: the source is opened once to copy and once to verify")
    func sourceBudget() throws {
      for (mode, once, opens) in [
        (CopyMode.quick, false, 1), (.standard, false, 2), (.paranoid, false, 2),
        (.standard, true, 1),
      ] {
        let stage = try Stage(mode: mode, readsSourceOnce: once)
        try stage.card.file("clip.mov", seed: 1, count: 9000)
        let path = stage.card.root.appending("clip.mov")
        let calls = try Interposer.with([]) { session in
          _ = try stage.run()
          return session.trace.filter { $0.path == path }.map(\.call)
        }
        #expect(calls.filter { $0 == "openat" }.count == opens, "\(mode)")
        #expect(!calls.contains { ["pwrite", "write", "futimens", "fsync"].contains($0) })
      }
    }

    @Test("One worker makes the same calls in the same order each time")
    func deterministic() throws {
      var seen: [[String]] = []
      for _ in 0..<2 {
        let stage = try Stage()
        try stage.fillSmall()
        seen.append(try calls(stage).calls.all.filter { !$0.contains("Custody_Report") })
      }
      #expect(seen[0] == seen[1])
    }
  }

  /// The publication's decisions (offload contract 63 to 69).
  @Suite struct PublicationTests {
    @Test(
      "offload 63, 64: an errno of link on a volume with links fails the file, no fall-back",
      arguments: [Errno.notPermitted, .notSupported, .noSpace, .inputOutput, .invalid])
    func linkFails(errno: Errno) throws {
      let stage = try Stage()
      try stage.fillSmall()
      // The first link is the probe.
      let outcome = try Interposer.with(
        [Interposer.Rule("linkat", nth: 2, .fail(errno))], within: stage.scratch.path
      ) { _ in try stage.run() }
      let failed = outcome.rows.filter { $0.outcome == .failed }
      #expect(failed.count == 1)
      #expect(failed.first?.cause.contains(errno.name ?? "?") == true)
      #expect(failed.first?.reason == (errno == .noSpace ? .outOfSpace : nil))
      let after = try stage.destination.entries()
      #expect(leftovers(after).isEmpty)
      for row in failed { #expect(after[row.path] == nil) }
    }

    @Test(
      "offload 64: each answer that means no links, on the probe, leads to the marker",
      arguments: [Errno.notPermitted, .notSupported, .notImplemented, .invalid])
    func noLinks(errno: Errno) throws {
      let stage = try Stage(destinations: 2)
      try stage.fillSmall()
      let outcome = try Interposer.with(
        [Interposer.Rule("linkat", count: .max, .fail(errno))], within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.verdict == .verified)
      for destination in stage.destinations { try expectWhole(stage, destination) }
    }

    @Test("offload 66: a link that was made but answered EEXIST is verified by the reuse proof")
    func linkAnswerLost() throws {
      let stage = try Stage()
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      let outcome = try Interposer.with(
        [Interposer.Rule("linkat", nth: 2, .failAfter(.fileExists))], within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.verdict == .verified)
      #expect(outcome.rows[0].isReused)
      try expectWhole(stage, stage.destination)
    }

    @Test("offload 66: in quick mode a name that was taken meanwhile is a failure")
    func nameTakenInQuickMode() throws {
      let stage = try Stage(mode: .quick)
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      let outcome = try Interposer.with(
        [Interposer.Rule("linkat", nth: 2, .fail(.fileExists))], within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.exitCode == 1)
      #expect(outcome.rows[0].outcome == .failed)
      #expect(outcome.rows[0].cause.contains("EEXIST"))
      #expect(leftovers(try stage.destination.entries()).isEmpty)
    }

    @Test("decision 17: a temporary that cannot be unlinked is verified, named and warned of")
    func temporaryStays() throws {
      let stage = try Stage()
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      // The first unlink takes the probe's name away.
      let outcome = try Interposer.with(
        [Interposer.Rule("unlinkat", nth: 2, .fail(.inputOutput))], within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.verdict == .verified)
      #expect(outcome.leftBehind.count == 1)
      #expect(outcome.warnings.contains { $0.contains("could not be removed") })
      #expect(try stage.run().verdict == .verified)
      #expect(leftovers(try stage.destination.entries()).isEmpty, "the next run sweeps it")
    }

    @Test("decision 17: a marker that cannot be unlinked fails the file, named with it")
    func markerStays() throws {
      let stage = try Stage()
      try stage.card.file("d/clip.mov", seed: 1, count: 9000)
      let outcome = try Interposer.with(
        OrderTests.noLinks + [
          Interposer.Rule(
            "unlinkat", path: ".custody-status-", count: .max, .fail(.inputOutput))
        ], within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.exitCode == 1)
      #expect(outcome.rows[0].outcome == .failed)
      let named = Set(outcome.leftBehind.map(\.lastComponent))
      #expect(named.contains("clip.mov"))
      #expect(named.contains { OwnName.isMarker($0) })
    }

    @Test("offload 56, C06: an error of the writer's close fails the file")
    func closeFails() throws {
      for rules in [[], OrderTests.noLinks] {
        let stage = try Stage()
        try stage.card.file("d/clip.mov", seed: 1, count: 9000)
        let name: BytePath = rules.isEmpty ? ".custody.tmp." : "clip.mov"
        let outcome = try Interposer.with(
          rules + [Interposer.Rule("close", path: name, .fail(.quotaExceeded))],
          within: stage.destination.root
        ) { _ in try stage.run() }
        #expect(outcome.rows[0].outcome == .failed)
        #expect(outcome.rows[0].cause.contains("EDQUOT"))
        #expect(outcome.rows[0].reason == .outOfSpace)
        let after = try stage.destination.entries()
        #expect(after["d/clip.mov"] == nil)
        #expect(leftovers(after).isEmpty)
      }
    }

    @Test("offload 56: a folder that cannot be synced fails its files, and only those")
    func folderSyncFails() throws {
      // With links the two files are synced before their folder; without, the marker alone.
      for (rules, nth) in [([], 3), (OrderTests.noLinks, 2)] {
        let stage = try Stage()
        try stage.fillSmall()
        let outcome = try Interposer.with(
          rules + [Interposer.Rule("fsync", path: "DCIM/100", nth: nth, .fail(.inputOutput))],
          within: stage.destination.root
        ) { _ in try stage.run() }
        #expect(try stage.row(outcome, "zero").outcome == .verified)
        for name in ["DCIM/100/A.JPG", "DCIM/100/B.MP4"] as [BytePath] {
          let row = try stage.row(outcome, name)
          #expect(row.outcome == .failed)
          #expect(row.cause.contains("folder could not be made durable"))
        }
        #expect(outcome.problems.contains { $0.contains("DCIM/100") })
      }
    }

    @Test("decision 22: EINTR is retried, but never by close")
    func interrupted() throws {
      let stage = try Stage()
      try stage.fillSmall()
      let calls = ["pread", "pwrite", "fsync", "linkat", "openat"]
      let outcome = try Interposer.with(
        calls.map { Interposer.Rule($0, nth: 2, count: 3, .fail(.interrupted)) },
        within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.verdict == .verified)
      let other = try Stage()
      try other.card.file("d/clip.mov", seed: 1, count: 9000)
      let failed = try Interposer.with(
        [Interposer.Rule("close", path: ".custody.tmp.", .fail(.interrupted))],
        within: other.destination.root
      ) { _ in try other.run() }
      #expect(failed.rows[0].outcome == .failed)
    }

    @Test("offload 57: short reads and writes are continued")
    func shortTransfers() throws {
      let stage = try Stage(destinations: 2, mode: .paranoid)
      try stage.fillSmall()
      let outcome = try Interposer.with(
        ["pread", "pwrite"].map { Interposer.Rule($0, count: .max, .limit(4095)) },
        within: stage.scratch.path
      ) { _ in try stage.run() }
      #expect(outcome.verdict == .verified)
      for destination in stage.destinations { try expectWhole(stage, destination) }
    }

    @Test("offload 51, decision 1, 7, C59: one of two destinations fails; the other is verified")
    func oneOfTwo() throws {
      let stage = try Stage(destinations: 2)
      try stage.fillSmall()
      try stage.destinations[1].file("older.mov", seed: 9, count: 500)
      let before = try stage.destinations[1].entries()["older.mov"]
      let outcome = try Interposer.with(
        [Interposer.Rule("pwrite", path: "dst2", count: .max, .fail(.noSpace))],
        within: stage.scratch.path
      ) { _ in try stage.run() }
      for row in outcome.rows where row.byteCount > 0 {
        #expect(row.outcome == (row.destination == 0 ? .verified : .failed))
        #expect(row.reason == (row.destination == 0 ? nil : .outOfSpace))
      }
      try expectWhole(stage, stage.destinations[0])
      #expect(try stage.destinations[1].entries()["older.mov"] == before)
    }
  }
#endif
