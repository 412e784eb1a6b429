import Synchronization
import SystemIO
import Wire

/// Writes `events.jsonl`: one line an event, a failing event synced before the next one.
///
/// The file stays under `byteLimit`: past it, passing cases and notes are counted and left out,
/// and a last note says how many; failing cases have a reserve of their own.
public final class EventLog: Recorder {
  /// 256 MiB.
  public static let byteLimit = 256 << 20
  /// Kept free for cases that did not pass and for the end of the run.
  static let reserveByteCount = 32 << 20

  private let state: Mutex<State>
  private let byteLimit: Int

  private struct State: ~Copyable {
    let file: FileDescriptor
    var byteCount = 0
    var omitted = 0
  }

  /// Creates the file in a run's folder; it must not exist.
  public convenience init(in directory: Run.Directory) throws(RunError) {
    try self.init(in: directory, byteLimit: Self.byteLimit)
  }

  init(in directory: Run.Directory, byteLimit: Int) throws(RunError) {
    self.byteLimit = byteLimit
    do throws(SystemError) {
      let file = try FileDescriptor.open(
        directory.path.appending(Run.Directory.eventsName), .writeOnly,
        options: [.exclusiveCreate, .append], mode: 0o644)
      state = Mutex(State(file: file))
    } catch {
      throw .system(error)
    }
  }

  public func record(_ event: Event) throws(RunError) {
    try state.withLock { (state) throws(RunError) in
      do throws(SystemError) {
        try Self.write(event, to: &state, limit: byteLimit)
      } catch {
        throw .system(error)
      }
    }
  }

  private static func write(
    _ event: Event, to state: inout State, limit: Int
  ) throws(SystemError) {
    let line = event.json.line
    let room =
      event.isEnd ? Int.max : event.isUrgent ? limit : limit - min(reserveByteCount, limit / 8)
    if state.byteCount + line.count > room {
      state.omitted += 1
      return
    }
    if event.isEnd && state.omitted > 0 {
      let note = Event(
        ordinal: event.ordinal, seconds: event.seconds,
        kind: .note("\(state.omitted) events were left out: the file is at its limit"))
      try append(note.json.line, to: &state)
    }
    try append(line, to: &state)
    if event.isUrgent { try state.file.fdatasync() }
  }

  private static func append(_ line: [UInt8], to state: inout State) throws(SystemError) {
    try state.file.writeAll(line)
    state.byteCount += line.count
  }
}

extension Event {
  var isEnd: Bool {
    if case .runFinished = kind { true } else { false }
  }

  /// Must be on the disk before anything else happens.
  var isUrgent: Bool {
    switch kind {
    case .caseFinished(let result): result.verdict != .pass
    case .runStarted, .runFinished, .explored: true
    case .caseStarted, .note, .schedulesPlanned, .schedulesPassed: false
    }
  }
}
