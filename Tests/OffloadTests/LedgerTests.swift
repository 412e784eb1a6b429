import Hashing
import SystemIO
import Testing

@testable import Offload

@Suite struct LedgerTests {
  private func ledger(_ files: Int, destinations: Int = 1) throws -> RunLedger {
    let stage = try Stage()
    for index in 0..<files { try stage.card.file(BytePath("f\(index)"), [1]) }
    let root = DirectoryHandle(try PinnedDirectory.open(stage.card.root))
    return RunLedger(
      manifest: try CardSource.scan(root) { false },
      destinations: (0..<destinations).map { BytePath("/d\($0)") }, algorithms: [.sha256])
  }

  @Test("offload 78: a failure is final, and the first cause stays")
  func failureIsFinal() throws {
    let ledger = try ledger(1)
    ledger.succeed(0, 0, .verified, level: .evicted, isReused: false)
    #expect(ledger.rows[0].outcome == .verified)
    #expect(ledger.fail(0, 0, Failure("first")))
    ledger.succeed(0, 0, .verified, level: .evicted, isReused: false)
    #expect(!ledger.fail(0, 0, Failure("second")))
    #expect(ledger.rows[0].outcome == .failed)
    #expect(ledger.rows[0].cause == "first")
  }

  @Test("offload 88: a cell that nobody filled is a failure with a cause")
  func openCells() throws {
    let ledger = try ledger(2, destinations: 2)
    ledger.succeed(0, 1, .verified, level: .evicted, isReused: false)
    #expect(ledger.rows.map(\.outcome) == [.failed, .verified, .failed, .failed])
    #expect(ledger.rows.filter { $0.outcome == .failed }.allSatisfy { !$0.cause.isEmpty })
    #expect(ledger.counts == (verified: 1, unverified: 0, failed: 3))
  }

  @Test("offload 86, 90: one row for each file and destination, in order, however many they are")
  func manyRows() throws {
    let stage = try Stage()
    try stage.card.file("f", [1])
    let metadata = try stage.card.metadata("f")
    var manifest = SourceManifest()
    _ = manifest.addDirectory("", parent: 0, metadata.identity)
    for file in 0..<5001 {
      let isAdded = manifest.addFile(BytePath("f\(file)"), directory: 0, metadata)
      #expect(isAdded)
    }
    let ledger = RunLedger(manifest: manifest, destinations: ["/a", "/b"], algorithms: [])
    for file in 0..<5001 {
      for destination in 0..<2 {
        // The copy, then its verification: the later one takes the row.
        ledger.succeed(file, destination, .copiedUnverified, level: .notRead, isReused: false)
        if file % 7 == 0 { ledger.fail(file, destination, Failure("seventh")) }
        ledger.succeed(file, destination, .verified, level: .evicted, isReused: false)
      }
    }
    let rows = ledger.rows
    #expect(rows.count == 10_002)
    for (index, row) in rows.enumerated() {
      let isSound =
        row.path == BytePath("f\(index / 2)") && row.destination == index % 2
        && row.outcome == (index / 2 % 7 == 0 ? .failed : .verified)
      if !isSound { Issue.record("row \(index): \(row)") }
    }
    #expect(ledger.counts == (verified: 8572, unverified: 0, failed: 1430))
  }

  @Test("Rows carry every field through the compact cells")
  func fields() throws {
    let ledger = try ledger(1)
    let digests = try Digests.of([1], [.sha256])
    ledger.setDigests(0, digests)
    ledger.fail(
      0, 0,
      Failure(
        "c", outcome: .checksumMismatch, reason: .companionConflict, witness: .sourceReread),
      level: .direct)
    let row = ledger.rows[0]
    #expect(row.outcome == .checksumMismatch)
    #expect(row.reason == .companionConflict)
    #expect(row.witness == .sourceReread)
    #expect(row.level == .direct)
    #expect(row.digests == digests.all)
    #expect(row.target == "/d0/f0")
  }

  @Test(
    "offload 87, 89: the verdict comes from the rows alone",
    arguments: [
      (3, 0, 0, [], nil, CopyMode.standard, RunVerdict.verified, Int32(0)),
      (2, 1, 0, [], nil, .standard, .copiedNotVerified, 5),
      (0, 3, 0, [], nil, .quick, .copiedNotVerified, 5),
      (2, 0, 1, [], nil, .standard, .failed, 1), (0, 2, 1, [], nil, .quick, .failed, 1),
      (3, 0, 0, ["folder"], nil, .standard, .failed, 1), (2, 0, 0, [], nil, .standard, .failed, 1),
      (3, 0, 1, [], nil, .standard, .failed, 1),
      (3, 0, 0, [], CancelCause.interrupt, .standard, .interrupted, 130),
      (0, 0, 3, [], CancelCause.terminate, .standard, .interrupted, 143),
    ] as [(Int, Int, Int, [String], CancelCause?, CopyMode, RunVerdict, Int32)])
  func verdict(
    _ row: (Int, Int, Int, [String], CancelCause?, CopyMode, RunVerdict, Int32)
  ) {
    let rule = RunVerdictRule(
      counts: (verified: row.0, unverified: row.1, failed: row.2), expectedRows: 3,
      folderProblems: row.3, cancelCause: row.4, mode: row.5)
    #expect(rule.verdict == row.6)
    #expect(rule.exitCode == row.7)
    #expect((rule.verdict == .verified) == rule.problems.isEmpty)
  }

  @Test("A missing report is exit 6 for a verified run and changes no other verdict")
  func missingReport() {
    func exit(_ verdict: RunVerdict, _ code: Int32) -> Int32 {
      OffloadOutcome(verdict: verdict, exitCode: code, rows: RowList())
        .without(reportBecause: "full", leftBehind: []).exitCode
    }
    #expect(exit(.verified, 0) == 6)
    #expect(exit(.failed, 1) == 1)
    #expect(exit(.copiedNotVerified, 5) == 5)
    #expect(exit(.interrupted, 130) == 130)
  }

  @Test("offload 83, 84: outcomes survive their text, and no other text is a success")
  func outcomeText() {
    for text in [
      "", "Verified", "verified ", "\u{2705} Verified", "match", "Checksum Mismatch", "copied",
      "ok",
    ] {
      #expect(RowOutcome(rawValue: text) == nil, "\(text)")
    }
    for outcome in RowOutcome.allCases {
      #expect(RowOutcome(rawValue: outcome.rawValue) == outcome)
    }
    #expect(!RowOutcome.checksumMismatch.isSuccess)
    #expect(RowOutcome.copiedUnverified.isSuccess)
  }
}

/// The three witnesses (offload decision 2).
@Suite struct WitnessTests {
  @Test(
    "offload 75, decision 2: the row says which witness stands alone",
    arguments: [
      (1, 1, 1, false, nil, nil), (1, 1, 2, false, Witness.destination, true),
      (1, 2, 1, false, .sourceReread, true), (2, 1, 1, false, .sourceRead, true),
      (1, 2, 3, false, nil, true), (1, 1, 1, true, nil, true), (1, nil, 1, false, nil, nil),
      (1, nil, 2, false, nil, true), (1, 1, nil, false, nil, true),
    ] as [(UInt8, UInt8?, UInt8?, Bool, Witness?, Bool?)])
  func witness(_ row: (UInt8, UInt8?, UInt8?, Bool, Witness?, Bool?)) throws {
    func digests(_ seed: UInt8) throws -> Digests { try Digests.of([seed], [.sha256]) }
    let stage = try Stage()
    try stage.card.file("f", [1])
    let copy = try stage.copy()
    let verdict = WitnessVerdict(
      copied: try digests(row.0), reread: try row.1.map(digests), found: try row.2.map(digests),
      foundDifference: row.3)
    let failure = verdict.failure(isReused: false, copy)
    #expect((failure != nil) == (row.5 ?? false))
    #expect(failure?.witness == row.4)
    let reused = verdict.failure(isReused: true, copy)
    #expect((reused != nil) == (row.5 ?? false))
    if row.0 == row.1, row.2 != nil, row.5 == true { #expect(reused?.outcome == .failed) }
  }
}

extension WitnessTests {
  @Test("offload 76: every digest must agree, and one that is missing agrees with nothing")
  func everyDigest() throws {
    func digests(_ sha: UInt8, _ md5: UInt8?) throws -> Digests {
      let first = try Digests.of([sha], [.sha256])
      guard let md5 else { return first }
      return first.joined(with: try Digests.of([md5], [.md5]))
    }
    let stage = try Stage(mode: .thorough)
    try stage.card.file("f", [1])
    let copy = try stage.copy()
    let whole = try digests(1, 1)
    for (other, isSame) in [
      (whole, true), (try digests(1, 2), false), (try digests(2, 1), false),
      (try digests(1, nil), false),
    ] {
      func agrees(copied: Digests, reread: Digests?, found: Digests) -> Bool {
        WitnessVerdict(copied: copied, reread: reread, found: found, foundDifference: false)
          .failure(isReused: false, copy) == nil
      }
      #expect(agrees(copied: whole, reread: whole, found: other) == isSame)
      #expect(agrees(copied: whole, reread: other, found: whole) == isSame)
      #expect(agrees(copied: other, reread: whole, found: whole) == isSame)
      #expect(agrees(copied: whole, reread: nil, found: other) == isSame)
    }
    // Bytes are compared, so that the case of a text never matters.
    let text = try #require(whole[.md5]?.text)
    #expect(Digest(.md5, text: text.uppercased()) == whole[.md5])
  }
}

extension Stage {
  /// The first file's copy on the first destination, before its first step.
  func copy() throws -> DestinationCopy {
    let root = DirectoryHandle(try PinnedDirectory.open(card.root))
    let manifest = try CardSource.scan(root) { false }
    let opened = try OpenedRoot.destination(destination.root, job.facts)
    return try DestinationCopy(
      RunContext(
        mode: job.mode, readsSourceOnce: false, manifest: manifest, ids: IDSource(SystemRandom()),
        clock: SystemClock()),
      Destination(index: 0, root: opened, manifest: manifest, openDirectories: 3), file: 0)
  }
}
