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

  /// Reads the rows below each heading `## PERSONA, PERSONA against ...` that names the persona.
  init(_ document: String, persona: String) throws {
    var rows: [Row] = []
    for section in document.split(separator: "\n## ").dropFirst() {
      let lines = section.split(separator: "\n")
      guard let heading = lines.first, Self.personas(heading).contains(persona) else { continue }
      let table = lines.filter { $0.hasPrefix("|") }.map(Self.cells)
      guard table.first == ["probe", "persona", "driver", "why"], table.count > 2 else {
        throw ProbeFailure(text: "no table of differences below '\(heading)'")
      }
      rows += try table.dropFirst(2).map { cells in
        guard cells.count == 4, cells.allSatisfy({ !$0.isEmpty }) else {
          throw ProbeFailure(text: "a row needs four cells: \(cells)")
        }
        return Row(probe: cells[0], persona: cells[1], driver: cells[2], why: cells[3])
      }
    }
    if rows.isEmpty { throw ProbeFailure(text: "no table of differences for \(persona)") }
    self.rows = rows
  }

  private static func personas(_ heading: Substring) -> [String] {
    guard let end = heading.firstRange(of: " against ") else { return [] }
    return heading[..<end.lowerBound].split(separator: ",").map { name in
      String(name.drop { $0 == " " })
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
