/// Rows of text in aligned columns.
public struct TextTable: Sendable {
  /// Where a column's text stands.
  public enum Alignment: Sendable { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]]

  /// - Parameter header: The first row; empty for a table without one.
  public init(header: [String] = [], alignments: [Alignment] = []) {
    self.alignments = alignments
    rows = header.isEmpty ? [] : [header]
  }

  /// Adds a row; it may be shorter or longer than the others.
  public mutating func add(_ row: [String]) { rows.append(row) }

  /// The lines: two spaces between columns, none at a line's end.
  public var lines: [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { index, cell in
        let gap = String(repeating: " ", count: widths[index] - cell.count)
        let right = index < alignments.count && alignments[index] == .right
        return right ? gap + cell : cell + gap
      }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
