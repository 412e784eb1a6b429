public import SystemIO
public import Wire

/// What a run tells while it runs. The sink gets one event at a time, in order.
public enum OffloadEvent: Sendable {
  case started(Started)
  case progress(Progress)
  /// A final row: all rows come after the run's last checks, in the order of `OffloadOutcome.rows`.
  case row(FileRow)
  case warning(String)
  case finished(OffloadOutcome)

  /// What stands when the manifest does; absent when a run was refused before that.
  public struct Started: Sendable, Hashable {
    public let engine: EngineIdentity
    public let mode: CopyMode
    public let source: BytePath
    public let destinations: [BytePath]
    public let fileCount: Int
    public let byteCount: Int64
    public let readsSourceOnce: Bool
    public let areFactsGivenByCaller: Bool
  }

  /// Work done so far, over all destinations.
  public struct Progress: Sendable, Hashable {
    /// Source files whose copies are written.
    public let filesCopied: Int
    /// Source files whose copies are checked.
    public let filesVerified: Int
    public let bytesCopied: Int64
    public let bytesVerified: Int64
    /// Over the last ten seconds.
    public let bytesPerSecond: Double
    /// nil in the first two seconds.
    public let secondsLeft: Double?
  }
}

extension OffloadEvent {
  /// The event as one JSON object (docs/offload.md, "Events").
  public var json: JSON {
    switch self {
    case .started(let started): return Self.json(started)
    case .progress(let progress): return Self.json(progress)
    case .row(let row): return .object([.init("event", "row")] + row.members)
    case .warning(let text): return ["event": "warning", "message": .text(text)]
    case .finished(let outcome): return .object([.init("event", "finished")] + outcome.members)
    }
  }

  private static func json(_ started: Started) -> JSON {
    [
      "event": "started", "version": 1, "engine": started.engine.json,
      "mode": .text(started.mode.rawValue), "source": .string(started.source.bytes),
      "destinations": .array(started.destinations.map { .string($0.bytes) }),
      "files": JSON(started.fileCount), "bytes": JSON(started.byteCount),
      "singleSourceRead": .bool(started.readsSourceOnce),
      "factsGivenByCaller": .bool(started.areFactsGivenByCaller),
    ]
  }

  private static func json(_ progress: Progress) -> JSON {
    [
      "event": "progress", "filesCopied": JSON(progress.filesCopied),
      "filesVerified": JSON(progress.filesVerified), "bytesCopied": JSON(progress.bytesCopied),
      "bytesVerified": JSON(progress.bytesVerified),
      "bytesPerSecond": .number(progress.bytesPerSecond),
      "secondsLeft": progress.secondsLeft.map { .number($0) } ?? .null,
    ]
  }
}

extension EngineIdentity {
  var json: JSON {
    ["name": .text(name), "version": .text(version), "build": .text(build)]
  }
}

extension FileRow {
  /// The fields of a row, the same in events and reports.
  var members: [JSON.Member] {
    var members: [JSON.Member] = [
      .init("path", .string(path.bytes)), .init("destination", JSON(destination)),
      .init("target", .string(target.bytes)), .init("outcome", .text(outcome.rawValue)),
      .init("level", .text(level.rawValue)), .init("bytes", JSON(byteCount)),
      .init(
        "digests", .object(digests.map { .init($0.algorithm.rawValue, .text($0.text)) })),
      .init("reused", .bool(isReused)), .init("cause", .text(cause)),
    ]
    if let reason { members.append(.init("reason", .text(reason.rawValue))) }
    if let witness { members.append(.init("witness", .text(witness.rawValue))) }
    return members
  }
}

extension OffloadOutcome {
  /// The fields of the last event.
  var members: [JSON.Member] {
    var members: [JSON.Member] = [
      .init("verdict", .text(verdict.rawValue)), .init("exit", JSON(exitCode)),
      .init("problems", .array(problems.map { .text($0) })),
      .init("leftBehind", .array(leftBehind.map { .string($0.bytes) })),
      .init("report", report.map { .string($0.bytes) } ?? .null),
    ]
    if let reportProblem { members.append(.init("reportProblem", .text(reportProblem))) }
    return members
  }
}
