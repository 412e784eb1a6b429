import SystemIO

/// The report for people.
struct ReportSummary {
  /// Rows that are listed one by one; the JSON has them all.
  static let listedRows = 200

  let header: ReportHeader
  let outcome: OffloadOutcome

  var text: String {
    var lines = [
      "Custody offload report", "",
      "Verdict:     \(Self.words(outcome.verdict)) (exit \(outcome.exitCode))",
      "Source:      \(header.sourcePath.escaped)",
      "             \(header.sourceFileCount) files, \(header.sourceByteCount) bytes",
    ]
    for destination in header.destinations {
      lines.append("Destination: \(destination.path.escaped)")
      lines.append("             \(Self.words(destination.facts))")
    }
    lines += [
      "Mode:        \(header.mode.rawValue)"
        + (header.readsSourceOnce ? ", single source read: the source was not re-read" : ""),
      "Started:     \(header.startedAt.iso8601)",
      "Finished:    \(header.finishedAt.iso8601)",
      "Engine:      \(header.engine.name) \(header.engine.version) \(header.engine.build)", "",
    ]
    lines += counts
    lines += list("Problems", outcome.problems)
    lines += list("Not verified", unverified)
    lines += list("Warnings", outcome.warnings)
    lines += list("Left behind", outcome.leftBehind.map(\.escaped))
    return lines.joined(separator: "\n") + "\n"
  }

  private var counts: [String] {
    RowOutcome.allCases.compactMap { kind in
      let count = outcome.rows.lazy.filter { $0.outcome == kind }.count
      return count == 0 ? nil : "\(kind.rawValue): \(count)"
    }
  }

  private var unverified: [String] {
    var lines: [String] = []
    var more = 0
    for row in outcome.rows where row.outcome != .verified {
      if lines.count < Self.listedRows {
        lines.append(
          "\(row.outcome.rawValue): \(row.target.escaped)"
            + (row.cause.isEmpty ? "" : ": \(row.cause)"))
      } else {
        more += 1
      }
    }
    return more == 0 ? lines : lines + ["and \(more) more"]
  }

  private func list(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["", title + ":"] + lines.map { "  " + $0 }
  }

  private static func words(_ verdict: RunVerdict) -> String {
    switch verdict {
    case .verified: return "VERIFIED, every file on every destination"
    case .copiedNotVerified: return "COPIED, NOT VERIFIED"
    case .failed: return "FAILED, see below"
    case .refused: return "REFUSED, nothing was written"
    case .interrupted: return "INTERRUPTED, see below"
    }
  }

  private static func words(_ facts: VolumeFacts) -> String {
    "type \(facts.type), read-back at best \(facts.bestLevel.rawValue)"
      + (facts.isGivenByCaller ? ", facts given by the caller" : "")
  }
}
