/// What is wrong with a script or a card table, and where: the harness prints it and exits 2.
public struct ScriptError: Error, Hashable, Sendable {
  /// The file as the user named it.
  public let file: String
  /// From 1.
  public let line: Int
  /// From 1, in characters (Unicode scalars) of the line; a tab is one.
  public let column: Int
  /// How many characters the caret underlines, at least 1.
  public let length: Int
  /// The line as written.
  public let lineText: String
  /// One sentence without a full stop.
  public let message: String
  /// What could have stood there, empty when there is nothing to list.
  public let expected: [String]
  /// Words that the writer may have meant.
  public let near: [String]

  public init(
    file: String, line: Int, column: Int, length: Int = 1, lineText: String = "", message: String,
    expected: [String] = [], near: [String] = []
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.length = max(1, length)
    self.lineText = lineText
    self.message = message
    self.expected = expected
    self.near = near
  }
}

extension ScriptError: CustomStringConvertible {
  /// Place and message, the line with a caret under the word, and what was expected.
  public var description: String {
    var lines = ["\(file):\(line):\(column): \(message)", "  " + lineText, "  " + caret]
    if !near.isEmpty {
      lines.append("did you mean " + near.map { "'\($0)'" }.joined(separator: " or ") + "?")
    }
    if !expected.isEmpty {
      lines.append("expected " + expected.joined(separator: ", "))
    }
    return lines.joined(separator: "\n")
  }

  /// Blanks up to the word (tabs stay tabs, so that the caret stands under it), then the mark.
  private var caret: String {
    let before = lineText.unicodeScalars.prefix(column - 1).map { $0 == "\t" ? "\t" : " " }
    let gap = String(repeating: " ", count: max(0, column - 1 - before.count))
    return before.joined() + gap + "^" + String(repeating: "~", count: length - 1)
  }
}

/// Words that are close to a mistyped one.
enum NearWords {
  /// At most three candidates within a third of the word's length (but 1 at least), best first.
  static func of(_ word: String, among candidates: some Sequence<String>) -> [String] {
    guard word.utf8.count <= 40 else { return [] }
    let limit = max(1, word.utf8.count / 3)
    let close = candidates.compactMap { candidate -> (distance: Int, word: String)? in
      let distance = distance(Array(word.utf8), Array(candidate.utf8))
      return distance <= limit ? (distance, candidate) : nil
    }
    return close.sorted { ($0.distance, $0.word) < ($1.distance, $1.word) }.prefix(3).map(\.word)
  }

  /// Insertions, deletions, changes and swaps of neighbours between two words.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var rows = [Array(0...right.count)]
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        let same = left[i] == right[j] ? 0 : 1
        var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + same)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[left.count][right.count]
  }
}
