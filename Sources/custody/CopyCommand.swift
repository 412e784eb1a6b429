import BuildIdentity
import CommandLineKit
import Offload
import SystemIO

/// `custody copy`: reads its arguments, runs the engine, tells what it tells.
struct CopyCommand {
  private static let card = Parameter.positional(
    "CARD", .path, "the card's root folder; it is only read")
  private static let to = Parameter.option(
    "--to", "FOLDER", .path, required: true, repeats: true,
    "an existing folder that takes a copy; give it once for each copy")
  private static let mode = Parameter.option(
    "--mode", "MODE", .oneOf(CopyMode.allCases.map(\.rawValue)),
    "standard (SHA-256 of three witnesses), thorough (MD5 as well), paranoid (bytes compared as "
      + "well) or quick (copied durably, checked by nothing); standard unless given")
  private static let singleSourceRead = Parameter.flag(
    "--single-source-read",
    "read the card once only; a byte read wrongly stays unseen, and every report says so")
  private static let headroom = Parameter.option(
    "--headroom", "SIZE", .size, "bytes that must stay free on each destination; 1 GB unless given")
  private static let volumeFacts = Parameter.option(
    "--volume-facts", "FILE", .path,
    "what is known of the volumes, as JSON; every report says that the caller gave it")
  private static let workers = Parameter.option(
    "--workers", "N", .integer(1...64), "files in flight; chosen by the machine unless given")
  private static let json = Parameter.flag("--json", "events as JSON lines on standard output")
  private static let quiet = Parameter.flag("--quiet", "nothing but problems and the last line")

  static let command = Command(
    "copy", "copies a card to one or more folders and proves every copy",
    details: """
      Every file is read once for all copies, written durably, and checked before it gets its \
      final name: the bytes read while copying, the copy read back from its medium and the card \
      read again must agree. Nothing that was on a destination is changed. A report is saved in \
      Reports/ of the first folder.
      """,
    parameters: [
      card.row, to.row, mode.row, singleSourceRead.row, headroom.row, volumeFacts.row,
      workers.row, json.row, quiet.row,
    ],
    examples: [
      .init("custody copy /media/A001 --to /mnt/raid/A001", "One verified copy."),
      .init(
        "custody copy /media/A001 --to /mnt/a --to /mnt/b --mode paranoid",
        "Two copies from one read of the card, compared byte by byte."),
      .init(
        "custody copy /media/A001 --to /mnt/a --json > events.jsonl", "Events for a program."),
    ],
    exitCodes: [
      .init("0", "every file is verified on every destination"),
      .init("1", "some file failed; the others keep their verdict"),
      .init("2", "a wrong command line"),
      .init("3", "refused before anything was written"),
      .init("5", "copied but not verified: quick mode, or read back from a cache"),
      .init("6", "verified, but the report or the output is missing"),
      .init("130, 143", "interrupted; finished copies stay, the report says what is left"),
    ])

  private let job: CopyJob
  private let session: Session
  private let sendsEvents: Bool
  private let isQuiet: Bool

  init(_ values: Arguments, in session: Session) throws(UsageError) {
    self.session = session
    sendsEvents = session.console.alwaysSendsEvents || values.has(Self.json)
    isQuiet = values.has(Self.quiet)
    guard let card = values[Self.card] else { throw UsageError("custody copy: CARD is missing") }
    var job = CopyJob(
      source: session.absolute(card), destinations: values.all(Self.to).map(session.absolute),
      readsSourceOnce: values.has(Self.singleSourceRead), workerCount: values[Self.workers],
      engine: EngineIdentity(
        name: "custody", version: BuildIdentity.version, build: BuildIdentity.current))
    if let mode = values[Self.mode].flatMap(CopyMode.init(rawValue:)) { job.mode = mode }
    if let headroom = values[Self.headroom] {
      guard let bytes = Int64(exactly: headroom) else {
        throw UsageError("custody copy: --headroom: no volume is that large")
      }
      job.headroomByteCount = bytes
    }
    if let file = values[Self.volumeFacts] {
      job.facts = try VolumeFactsFile.read(session.absolute(file))
    }
    self.job = job
  }

  /// Runs the copy and returns the exit code.
  func run() -> Int32 {
    let listener: any CopyListener =
      sendsEvents
      ? EventLines(console: session.console)
      : CopyTeller(console: session.console, job: job, isQuiet: isQuiet)
    let engine = OffloadEngine(job: job) { listener.take($0) }
    let result = session.interrupts.whileCancellable({ engine.cancel($0) }) {
      Result { () throws(OffloadError) in try engine.run() }
    }
    switch result {
    case .success(let outcome): return outcome.exitCode
    case .failure(let error):
      session.console.complain("custody copy: \(error)")
      return error.isUsage ? ExitCode.usage : ExitCode.refused
    }
  }
}

/// Who hears a copy's events; one at a time, from any thread.
protocol CopyListener: Sendable {
  func take(_ event: OffloadEvent)
}

/// The events as they are, a line each.
private struct EventLines: CopyListener {
  let console: any Console

  func take(_ event: OffloadEvent) { console.send(event.json) }
}

extension OffloadError {
  /// True for what the caller wrote wrongly, false for what the machine refused.
  fileprivate var isUsage: Bool {
    switch self {
    case .noDestination, .relativePath, .badSetting: true
    case .operationAlreadyInProgress, .machine: false
    }
  }
}
