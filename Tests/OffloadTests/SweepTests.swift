#if DEBUG
  import SystemIO
  import Testing

  @testable import Offload

  /// "Fail the n-th call, n = 1 … until none was hit", for each call the engine makes; then what
  /// must hold whatever failed (house, section 9).
  @Suite struct SweepTests {
    static let calls = [
      "openat", "statx", "getdents64", "pread", "pwrite", "write", "fsync", "close", "linkat",
      "unlinkat", "mkdirat", "futimens", "fchmod", "renameat2", "fstatfs", "faccessat",
      "posix_fadvise", "cachestat", "flock", "fcntl",
    ]

    /// How a volume behaves apart from the fault.
    enum Volume: String, CaseIterable, CustomTestStringConvertible {
      case links, noLinks
      var testDescription: String { rawValue }

      var rules: [Interposer.Rule] {
        self == .links ? [] : [Interposer.Rule("linkat", count: .max, .fail(.notSupported))]
      }
    }

    @Test(
      "offload 1 to 4, 53, 56, 63: the n-th call fails once; no promise is broken",
      arguments: SweepTests.calls, Volume.allCases)
    func once(call: String, volume: Volume) throws {
      for errno in Self.errnos(call) { try sweep(call, volume, count: 1, errno) }
    }

    @Test(
      "offload 1 to 4, 53, 56, 63: from the n-th call on all fail; no promise is broken",
      arguments: SweepTests.calls, Volume.allCases)
    func always(call: String, volume: Volume) throws {
      try sweep(call, volume, count: .max, .inputOutput)
    }

    private static func errnos(_ call: String) -> [Errno] {
      ["pwrite", "fsync", "linkat", "mkdirat", "openat", "close"].contains(call)
        ? [.inputOutput, .noSpace] : [.inputOutput]
    }

    private func sweep(_ call: String, _ volume: Volume, count: Int, _ errno: Errno) throws {
      var nth = 1
      while true {
        let stage = try Stage(mode: .standard)
        try stage.fillSmall()
        try stage.destination.file("old/older.mov", seed: 50, count: 3000)
        try stage.destination.file("DCIM/older.mov", seed: 51, count: 3000)
        let before = try Before(stage)
        let faults =
          volume.rules + [Interposer.Rule(call, nth: nth, count: count, .fail(errno))]
        let (outcome, fired) = try Interposer.with(faults, within: stage.scratch.path) { session in
          (try stage.run(), session.fired.last ?? 0)
        }
        let place = "\(call) \(nth), \(volume.rawValue), \(errno)"
        try before.expectPromises(stage, outcome, place)
        if fired == 0 {
          #expect(outcome.verdict == .verified, "\(place)")
          break
        }
        try expectRecovery(stage, volume, place)
        // "Always" from one call on is nearly the same as from the next.
        nth += count == 1 ? 1 : 3
      }
    }

    /// After whatever happened a run without faults reaches a true verdict.
    private func expectRecovery(_ stage: Stage, _ volume: Volume, _ place: String) throws {
      let again = try Interposer.with(volume.rules) { _ in try stage.run() }
      #expect(again.verdict == .verified, "again after \(place): \(again.problems)")
      let left = leftovers(try stage.destination.entries())
      let allowed = left.allSatisfy { !OwnName.isTemporary($0.lastComponent) }
      #expect(allowed, "again after \(place): \(left)")
    }
  }

  /// What was there before a run, and what must hold after it.
  struct Before {
    let card: [BytePath: Entry]
    let destinations: [[BytePath: Entry]]

    init(_ stage: Stage) throws {
      card = try stage.card.entries()
      destinations = try stage.destinations.map { try $0.entries() }
    }

    func expectPromises(_ stage: Stage, _ outcome: OffloadOutcome, _ place: String) throws {
      #expect(try stage.card.entries() == card, "source untouched: \(place)")
      if outcome.verdict != .refused, outcome.verdict != .interrupted {
        #expect(
          outcome.rows.count >= 3 * stage.destinations.count, "a row for each: \(place)")
      }
      for (index, tree) in stage.destinations.enumerated() {
        let after = try tree.entries()
        for (path, entry) in destinations[index] {
          #expect(after[path]?.isSame(entry) == true, "nothing harmed: \(path): \(place)")
        }
        try expectNoImpostor(after, tree, outcome, index, place)
        expectNamed(after, tree, outcome, place)
        if outcome.verdict == .refused {
          #expect(Set(after.keys) == Set(destinations[index].keys), "zero writes: \(place)")
        }
      }
      for row in outcome.rows where row.outcome == .failed {
        #expect(!row.cause.isEmpty, "a cause: \(place)")
      }
      let isClean = outcome.rows.allSatisfy { $0.outcome == .verified } && !outcome.rows.isEmpty
      if outcome.verdict == .verified { #expect(isClean, "verdict: \(place)") }
      if outcome.exitCode == 0 { #expect(outcome.report != nil, "\(place)") }
    }

    /// A file under a source file's name is right, or a valid marker covers it, and a row that
    /// claims it is right.
    private func expectNoImpostor(
      _ after: [BytePath: Entry], _ tree: Tree, _ outcome: OffloadOutcome, _ index: Int,
      _ place: String
    ) throws {
      let covered = Self.covered(after)
      for (path, entry) in card where entry.kind == .regular {
        let isOld = destinations[index][path] != nil
        if let copy = after[path], !isOld, !covered.contains(path) {
          #expect(copy.bytes == entry.bytes, "no impostor: \(path): \(place)")
        }
        let row = outcome.rows.first { $0.path == path && $0.destination == index }
        if row?.outcome.isSuccess == true {
          #expect(after[path]?.bytes == entry.bytes, "truth: \(path): \(place)")
          #expect(!covered.contains(path), "truth: \(path): \(place)")
        }
      }
    }

    /// Everything of ours that is left is named.
    private func expectNamed(
      _ after: [BytePath: Entry], _ tree: Tree, _ outcome: OffloadOutcome, _ place: String
    ) {
      let named = Set(outcome.leftBehind)
      for path in leftovers(after) where path.parent?.lastComponent != "Reports" {
        let full = tree.root.appending(path)
        let isNamed =
          named.contains(full) || outcome.problems.contains { $0.contains(full.escaped) }
        #expect(isNamed, "named: \(path): \(place)")
      }
    }

    static func covered(_ entries: [BytePath: Entry]) -> Set<BytePath> {
      var covered: Set<BytePath> = []
      for (path, entry) in entries where OwnName.isMarker(path.lastComponent) {
        guard let marker = StatusMarker(entry.bytes) else { continue }
        covered.insert((path.parent ?? "").appending(marker.name))
      }
      return covered
    }
  }
#endif
