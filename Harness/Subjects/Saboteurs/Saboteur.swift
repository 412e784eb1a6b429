/// An engine that is broken on purpose in exactly one way, and the oracle that must catch it.
///
/// Each has its script, `FaultScripts/negative/NAME.fault`; the gate is red when the oracle finds
/// nothing there.
public struct Saboteur: Sendable {
  /// As scripts and `harness saboteur` name it.
  public let name: String
  /// One sentence: what it does wrong.
  public let summary: String
  /// The name of the oracle that must find it; nil for the control, which must pass.
  public let caughtBy: String?
  let defect: Defect?

  /// Seconds after which its run is given up; nil for the suite's own deadline.
  public var deadlineSeconds: Double? { defect == .hangs ? 3 : nil }

  /// What can be wrong; the copier asks for each at the one place where it matters.
  enum Defect: String, CaseIterable {
    case verifiesFromPageCache = "verifies-from-page-cache"
    case ignoresClose = "ignores-close"
    case ignoresFsync = "ignores-fsync"
    case skipsDirectoryFsync = "skips-directory-fsync"
    case skipsFileFsync = "skips-file-fsync"
    case publishesUnsynced = "publishes-unsynced"
    case trustsNames = "trusts-names"
    case repeatsWork = "repeats-work"
    case skipsSourceReread = "skips-source-reread"
    case skipsPreflight = "skips-preflight"
    case overwrites = "overwrites"
    case leavesHalfFile = "leaves-half-file"
    case leavesTemporary = "leaves-temporary"
    case leaksDescriptor = "leaks-descriptor"
    case touchesSource = "touches-source"
    case failsEverything = "fails-everything"
    case claimsEverything = "claims-everything"
    case claimsProof = "claims-proof"
    case silentAboutFailure = "silent-about-failure"
    case hangs = "hangs"
    case skipsReadBack = "skips-read-back"
    case readsBackItsHandle = "reads-back-its-handle"
    case takesShortReadForEnd = "takes-short-read-for-end"
    case takesShortWriteForWhole = "takes-short-write-for-whole"
    case takesShortRangeForWhole = "takes-short-range-for-whole"
    case takesInterruptForDone = "takes-interrupt-for-done"
    case takesExistsForFailure = "takes-exists-for-failure"
    case takesEntriesTwice = "takes-entries-twice"
    case takesAnyMedium = "takes-any-medium"
    case retriesFsync = "retries-fsync"
    case resolvesPathsAgain = "resolves-paths-again"
    case isImpatient = "is-impatient"
    case looksThenRenames = "looks-then-renames"
    case listsOnce = "lists-once"
    case trustsSize = "trusts-size"
    case trustsHoles = "trusts-holes"
    case trustsEntryTypes = "trusts-entry-types"
    case trustsTimes = "trusts-times"
    case trustsInodeNumbers = "trusts-inode-numbers"
    case keepsFilesOpen = "keeps-files-open"
    case reservesMemory = "reserves-memory"
    case ignoresOutputErrors = "ignores-output-errors"
    case callsInterruptionTheEnd = "calls-interruption-the-end"
    case announcesEarly = "announces-early"
  }

  private init(_ defect: Defect?, _ summary: String, caughtBy: String?) {
    name = defect?.rawValue ?? "honest"
    self.summary = summary
    self.caughtBy = caughtBy
    self.defect = defect
  }

  /// Every saboteur, the honest control first: add one here.
  public static let all: [Saboteur] = [
    Saboteur(nil, "copies and verifies as it should: the control", caughtBy: nil),
    Saboteur(
      .verifiesFromPageCache, "re-reads its copy without evicting it from the page cache",
      caughtBy: "truth"),
    Saboteur(.ignoresClose, "takes no notice of an error of close", caughtBy: "truth"),
    Saboteur(.ignoresFsync, "takes no notice of an error of fsync", caughtBy: "truth"),
    Saboteur(.skipsDirectoryFsync, "never syncs a folder", caughtBy: "truth"),
    Saboteur(.skipsSourceReread, "believes the first read of the source", caughtBy: "truth"),
    Saboteur(.claimsEverything, "claims every file, whatever happened", caughtBy: "truth"),
    Saboteur(
      .claimsProof, "claims proof of the medium where the facts allow none", caughtBy: "truth"),
    Saboteur(.overwrites, "renames its copy over what was there", caughtBy: "nothing harmed"),
    Saboteur(
      .leavesHalfFile, "writes under the final name and leaves what it has on an error",
      caughtBy: "no impostor"),
    Saboteur(.touchesSource, "sets a time on the source", caughtBy: "source untouched"),
    Saboteur(.failsEverything, "says of every file that it failed", caughtBy: "no false alarm"),
    Saboteur(
      .silentAboutFailure, "leaves failed files out of its report and its exit code",
      caughtBy: "no silence"),
    Saboteur(.skipsPreflight, "copies where it must refuse", caughtBy: "expectation"),
    Saboteur(.hangs, "stops for ever at its second file", caughtBy: "bounded"),
    Saboteur(.leaksDescriptor, "leaves a descriptor open after each job", caughtBy: "clean"),
    Saboteur(
      .skipsFileFsync, "never syncs a file, so that a crash takes what it called done",
      caughtBy: "truth"),
    Saboteur(
      .publishesUnsynced, "gives a copy its name before it is synced", caughtBy: "no impostor"),
    Saboteur(
      .trustsNames, "writes under the final name, and when it runs again believes what it finds",
      caughtBy: "recovery"),
    Saboteur(
      .repeatsWork, "copies a file again though its copy is whole", caughtBy: "recovery"),
    Saboteur(.leavesTemporary, "leaves a temporary name beside each copy", caughtBy: "clean"),
    Saboteur(.skipsReadBack, "never reads its copy", caughtBy: "truth"),
    Saboteur(
      .readsBackItsHandle, "reads its copy through the descriptor that wrote it",
      caughtBy: "expectation"),
    Saboteur(
      .takesShortReadForEnd, "takes a read that is short for the end of the file",
      caughtBy: "no false alarm"),
    Saboteur(
      .takesShortWriteForWhole, "takes a write that is short for a whole one",
      caughtBy: "no false alarm"),
    Saboteur(
      .takesShortRangeForWhole, "lets the kernel copy, and takes its first answer for all",
      caughtBy: "no false alarm"),
    Saboteur(
      .takesInterruptForDone, "interrupts an fsync that takes long, and takes that for success",
      caughtBy: "truth"),
    Saboteur(
      .takesExistsForFailure,
      "does not look whether its link was made when it is told that the "
        + "name is there", caughtBy: "no false alarm"),
    Saboteur(
      .takesEntriesTwice, "takes a listing that names a file twice for a good one",
      caughtBy: "expectation"),
    Saboteur(
      .takesAnyMedium, "waits when its destination goes, and takes whatever comes in its place",
      caughtBy: "expectation"),
    Saboteur(
      .retriesFsync, "syncs again when an fsync fails, and believes the second", caughtBy: "truth"),
    Saboteur(
      .resolvesPathsAgain, "looks up its destination's path anew for each file",
      caughtBy: "nothing harmed"),
    Saboteur(
      .looksThenRenames, "looks whether the name is free and then renames over it",
      caughtBy: "nothing harmed"),
    Saboteur(.isImpatient, "fails a file when a call takes a second", caughtBy: "no false alarm"),
    Saboteur(.listsOnce, "does not look again whether it saw every file", caughtBy: "no silence"),
    Saboteur(.trustsSize, "reads a file to the size that stat says", caughtBy: "truth"),
    Saboteur(.trustsHoles, "does not read where lseek says that nothing is", caughtBy: "truth"),
    Saboteur(
      .trustsEntryTypes, "takes for a file what the listing calls one, and nothing else",
      caughtBy: "no silence"),
    Saboteur(
      .trustsTimes, "takes a copy that is not older than the source for a whole one",
      caughtBy: "truth"),
    Saboteur(
      .trustsInodeNumbers, "takes a copy with another inode number for another file",
      caughtBy: "no false alarm"),
    Saboteur(
      .keepsFilesOpen, "keeps every source file open to the end", caughtBy: "no false alarm"),
    Saboteur(
      .reservesMemory, "reserves memory for all that the card could hold",
      caughtBy: "no false alarm"),
    Saboteur(
      .ignoresOutputErrors, "does not notice that nobody hears its report",
      caughtBy: "no silence"),
    Saboteur(
      .callsInterruptionTheEnd, "told to end, it reports what it has as if that were all",
      caughtBy: "no silence"),
    Saboteur(
      .announcesEarly, "calls a file verified before it has copied it", caughtBy: "truth"),
  ]

  /// The saboteur of this name; nil when there is none.
  public static func named(_ name: String) -> Saboteur? { all.first { $0.name == name } }
}
