import SystemIO

/// The differences between a persona and its driver that docs/conformance.md allows: the document
/// is the table that the test reads.
struct DifferenceTable {
  /// One row: `| probe | persona | driver | why |`.
  struct Row: Equatable {
    let probe: String
    let persona: String
    let driver: String
    let why: String
  }

  let rows: [Row]

  /// Reads the rows below the heading `## PERSONA against ...`.
  init(_ document: String, persona: String) throws {
    let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
    let section = lines.drop { !$0.hasPrefix("## \(persona) against ") }.dropFirst()
      .prefix { !$0.hasPrefix("## ") }
    let table = section.filter { $0.hasPrefix("|") }.map(Self.cells)
    guard table.first == ["probe", "persona", "driver", "why"], table.count > 1 else {
      throw ProbeFailure(text: "no table of differences for \(persona)")
    }
    rows = try table.dropFirst(2).map { cells in
      guard cells.count == 4, cells.allSatisfy({ !$0.isEmpty }) else {
        throw ProbeFailure(text: "a row needs four cells: \(cells)")
      }
      return Row(probe: cells[0], persona: cells[1], driver: cells[2], why: cells[3])
    }
  }

  private static func cells(_ line: Substring) -> [String] {
    line.dropFirst().split(separator: "|").map { cell in
      String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// What is wrong with two answers; nil when they are equal, or different as the table says.
  func complaint(_ probe: String, persona: String, driver: String) -> String? {
    let own = rows.filter { $0.probe == probe }
    let both = "the persona answers '\(persona)', the driver '\(driver)'"
    guard let row = own.first else { return persona == driver ? nil : both }
    if own.count > 1 { return "two rows" }
    if persona == driver { return "the row is stale: both answer '\(persona)'" }
    return row.persona == persona && row.driver == driver ? nil : "not as its row says: \(both)"
  }
}
