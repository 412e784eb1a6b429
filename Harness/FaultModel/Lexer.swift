/// Cuts a script or card table into lines of words; the words keep their place.
struct Lexer {
  /// One word as written. A blank, a tab or the end of the line ends it, but not within quotes.
  struct Word {
    let bytes: ArraySlice<UInt8>
    let line: Int
    /// From 1, in characters.
    let column: Int

    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Characters, for the caret.
    var length: Int { bytes.count { $0 & 0xc0 != 0x80 } }
    var isQuoted: Bool { bytes.first == UInt8(ascii: "\"") }
  }

  struct Line {
    let number: Int
    let words: [Word]
    /// The part before a comment, blanks at both ends removed.
    let statement: String
  }

  let file: String
  private let lines: [ArraySlice<UInt8>]

  /// The largest script or card table, in bytes.
  static let largestText = 1 << 20

  init(_ text: [UInt8], file: String) throws(ScriptError) {
    self.file = file
    guard text.count <= Self.largestText else {
      throw ScriptError(
        file: file, line: 1, column: 1, message: "the file is larger than \(Self.largestText) bytes"
      )
    }
    lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for index in lines.indices { try checkCharacters(of: index) }
  }

  var lineCount: Int { lines.count }

  /// A line's text, from 1; empty for a number beyond the end.
  func text(ofLine number: Int) -> String {
    lines.indices.contains(number - 1) ? String(decoding: lines[number - 1], as: UTF8.self) : ""
  }

  /// The text of some lines as written, each with its newline.
  func text(ofLines numbers: Range<Int>) -> String {
    numbers.map { text(ofLine: $0) + "\n" }.joined()
  }

  func error(
    _ word: Word, _ message: String, expected: [String] = [], near: [String] = []
  ) -> ScriptError {
    ScriptError(
      file: file, line: word.line, column: word.column, length: word.length,
      lineText: text(ofLine: word.line), message: message, expected: expected, near: near)
  }

  func error(line: Int, column: Int, _ message: String, expected: [String] = []) -> ScriptError {
    ScriptError(
      file: file, line: line, column: column, lineText: text(ofLine: line), message: message,
      expected: expected)
  }

  /// The error of a statement that ends too early: the caret stands behind its last word.
  func endError(after word: Word, expected: [String]) -> ScriptError {
    error(
      line: word.line, column: word.column + word.length, "the line ends too early",
      expected: expected)
  }

  /// The words of a line, comment left out; a quote that is not closed is an error.
  func words(ofLine number: Int) throws(ScriptError) -> Line {
    let bytes = lines[number - 1]
    var words: [Word] = []
    var column = 1
    var position = bytes.startIndex
    while position < bytes.endIndex {
      if Self.isBlank(bytes[position]) {
        position += 1
        column += 1
        continue
      }
      if bytes[position] == UInt8(ascii: "#") { break }
      let end = try endOfWord(in: bytes, from: position, line: number, column: column)
      let word = Word(bytes: bytes[position..<end], line: number, column: column)
      words.append(word)
      column += word.length
      position = end
    }
    let first = words.first?.bytes.startIndex ?? bytes.startIndex
    let last = words.last?.bytes.endIndex ?? first
    return Line(
      number: number, words: words, statement: String(decoding: bytes[first..<last], as: UTF8.self))
  }

  private func endOfWord(
    in bytes: ArraySlice<UInt8>, from start: Int, line: Int, column: Int
  ) throws(ScriptError) -> Int {
    var position = start
    while position < bytes.endIndex, !Self.isBlank(bytes[position]) {
      guard bytes[position] == UInt8(ascii: "\"") else {
        position += 1
        continue
      }
      let opening = position
      position += 1
      while position < bytes.endIndex, bytes[position] != UInt8(ascii: "\"") {
        position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
      }
      guard position < bytes.endIndex else {
        let before = bytes[start..<opening].count { $0 & 0xc0 != 0x80 }
        throw error(line: line, column: column + before, "the quote is never closed")
      }
      position += 1
    }
    return position
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Only printable UTF-8 and tabs: what a reader cannot see must be written as an escape.
  private func checkCharacters(of index: Int) throws(ScriptError) {
    let line = lines[index]
    if !line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 >= 0x7f }) { return }
    guard
      String(validating: line, as: UTF8.self) == nil
        || line.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f })
    else { return }
    var column = 1
    var decoder = UTF8.ForwardParser()
    var bytes = line.makeIterator()
    scan: while true {
      switch decoder.parseScalar(from: &bytes) {
      case .valid(let encoded):
        let scalar = UTF8.decode(encoded)
        if scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7f {
          let message =
            scalar == "\r"
            ? "a carriage return; lines end with a newline alone"
            : "a control character; write it as an escape within quotes"
          throw error(line: index + 1, column: column, message)
        }
        column += 1
      case .error:
        throw error(
          line: index + 1, column: column, "not UTF-8; write such a byte as \\xNN within quotes")
      case .emptyInput: break scan
      }
    }
  }
}
