import SystemIO
import Wire

/// What a report says besides the rows.
struct ReportHeader: Sendable {
  let engine: EngineIdentity
  let mode: CopyMode
  let readsSourceOnce: Bool
  let sourcePath: BytePath
  let sourceFileCount: Int
  let sourceByteCount: Int64
  let fingerprint: String?
  let destinations: [(path: BytePath, facts: VolumeFacts)]
  let startedAt: Timestamp
  let finishedAt: Timestamp
}

/// The saved report: JSON and a summary in text, made from the same rows as the verdict (offload
/// contract 5, 107).
struct Report {
  static let version = "1.0"

  let header: ReportHeader
  let outcome: OffloadOutcome

  /// The report's bytes in pieces, so that a million rows are never in memory at once.
  func forEachPiece<Failure: Error>(
    _ body: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try body(Array("{".utf8))
    for member in opening { try body(piece(member) + Array(",\n".utf8)) }
    try body(Array("\"rows\":[".utf8))
    var separator = Array("\n".utf8)
    for row in outcome.rows {
      try body(separator + JSON.object(row.members).encoded())
      separator = Array(",\n".utf8)
    }
    try body(Array("]".utf8))
    for member in closing { try body(Array(",\n".utf8) + piece(member)) }
    try body(Array("}\n".utf8))
  }

  private func piece(_ member: JSON.Member) -> [UInt8] {
    JSON.text(member.key).encoded() + [UInt8(ascii: ":")] + member.value.encoded()
  }

  private var opening: [JSON.Member] {
    [
      .init("reportVersion", .text(Self.version)), .init("engine", header.engine.json),
      .init("mode", .text(header.mode.rawValue)),
      .init("singleSourceRead", .bool(header.readsSourceOnce)),
      .init(
        "source",
        [
          "path": .string(header.sourcePath.bytes), "files": JSON(header.sourceFileCount),
          "bytes": JSON(header.sourceByteCount), "fingerprint": .text(orNull: header.fingerprint),
        ]),
      .init("destinations", .array(header.destinations.map { Self.json($0.path, $0.facts) })),
      .init("startedAt", .text(header.startedAt.iso8601)),
      .init("finishedAt", .text(header.finishedAt.iso8601)),
      .init("verdict", .text(outcome.verdict.rawValue)), .init("exit", JSON(outcome.exitCode)),
    ]
  }

  private var closing: [JSON.Member] {
    [
      .init("warnings", .array(outcome.warnings.map { .text($0) })),
      .init("problems", .array(outcome.problems.map { .text($0) })),
      .init("leftBehind", .array(outcome.leftBehind.map { .string($0.bytes) })),
    ]
  }

  private static func json(_ path: BytePath, _ facts: VolumeFacts) -> JSON {
    [
      "path": .string(path.bytes), "type": .text(facts.type),
      "level": .text(facts.bestLevel.rawValue),
      "factsGivenByCaller": .bool(facts.isGivenByCaller),
    ]
  }
}
