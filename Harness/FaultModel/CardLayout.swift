public import SystemIO

/// What stands on a camera's card, as a table: paths, sizes and times, never bytes.
///
/// A card file (`Fixtures/cards/NAME.card`) begins with `custody-card 1`; a line `summary "..."`
/// follows; each further line is one entry: `PATH/ TIME` for a folder, `PATH SIZE TIME` for a
/// file. A path is bare or quoted; a bare one may hold one range `{001..012}` that stands for that
/// many entries. Folders above an entry need no line of their own.
public struct CardLayout: Sendable, Equatable {
  public let name: String
  public let summary: String
  /// In the order of the table, ranges spread out.
  public let entries: [Entry]

  /// A folder or file of the card.
  public struct Entry: Sendable, Equatable {
    public let path: BytePath
    /// nil for a folder.
    public let byteCount: UInt64?
    /// Nanoseconds since 1970.
    public let modification: Int64
  }

  /// The sum of all files in bytes.
  public var byteCount: UInt64 { entries.reduce(0) { $0 + ($1.byteCount ?? 0) } }
  public var fileCount: Int { entries.count { $0.byteCount != nil } }
}

extension CardLayout {
  static let header = "custody-card 1"
  /// The most entries of one card, ranges spread out.
  static let mostEntries = 100_000

  /// Reads a card table; strict, as scripts are.
  public init(text: [UInt8], name: String) throws(ScriptError) {
    let lexer = try Lexer(text, file: name + ".card")
    guard lexer.text(ofLine: 1) == Self.header else {
      throw lexer.error(
        line: 1, column: 1, "not a card table of this version", expected: [Self.header])
    }
    var summary = ""
    var entries: [Entry] = []
    var seen: Set<BytePath> = []
    for number in 2..<(lexer.lineCount + 1) {
      let words = try lexer.words(ofLine: number).words
      guard let first = words.first else { continue }
      if first.text == "summary" {
        summary = try Self.summary(words, lexer)
        continue
      }
      for entry in try Self.entries(words, first, lexer) {
        guard seen.insert(entry.path).inserted else {
          throw lexer.error(first, "the path stands in this table twice: \(entry.path)")
        }
        entries.append(entry)
      }
      guard entries.count <= Self.mostEntries else {
        throw lexer.error(first, "more than \(Self.mostEntries) entries")
      }
    }
    self.init(name: name, summary: summary, entries: entries)
  }

  private static func summary(
    _ words: [Lexer.Word], _ lexer: Lexer
  ) throws(ScriptError) -> String {
    guard words.count > 1 else {
      throw lexer.endError(after: words[0], expected: ["a quoted sentence"])
    }
    guard words.count == 2 else { throw lexer.error(words[2], "one quoted sentence, no more") }
    return String(decoding: try lexer.string(words[1]), as: UTF8.self)
  }

  private static func entries(
    _ words: [Lexer.Word], _ first: Lexer.Word, _ lexer: Lexer
  ) throws(ScriptError) -> [Entry] {
    let raw = first.isQuoted ? try lexer.string(first) : Array(first.bytes)
    let isFolder = raw.last == UInt8(ascii: "/")
    let wanted = isFolder ? ["PATH/ TIME"] : ["PATH SIZE TIME"]
    let fields = isFolder ? 2 : 3
    guard words.count >= fields else {
      throw lexer.endError(after: words[words.count - 1], expected: wanted)
    }
    guard words.count == fields else {
      throw lexer.error(words[fields], "too many words", expected: wanted)
    }
    var byteCount: UInt64?
    if !isFolder {
      guard let size = Literals.size(words[1].bytes) else {
        throw lexer.error(words[1], "not a size", expected: Expected.size)
      }
      byteCount = size
    }
    guard let time = Literals.time(words[fields - 1].bytes) else {
      throw lexer.error(words[fields - 1], "not a time", expected: Expected.time)
    }
    let paths = first.isQuoted ? [raw] : try spread(raw, first, lexer)
    return try paths.map { bytes throws(ScriptError) in
      let path = try lexer.treePath(bytes, first)
      return Entry(path: path, byteCount: byteCount, modification: time)
    }
  }

  /// The paths that a range `{FIRST..LAST}` stands for; numbers keep the width of FIRST.
  private static func spread(
    _ raw: [UInt8], _ word: Lexer.Word, _ lexer: Lexer
  ) throws(ScriptError) -> [[UInt8]] {
    guard let open = raw.firstIndex(of: UInt8(ascii: "{")) else { return [raw] }
    guard let close = raw[open...].firstIndex(of: UInt8(ascii: "}")) else {
      throw lexer.error(word, "a range is {FIRST..LAST}")
    }
    let inner = raw[(open + 1)..<close]
    let first = inner.prefix { $0 != UInt8(ascii: ".") }
    let last = inner.dropFirst(first.count + 2)
    guard inner.dropFirst(first.count).starts(with: "..".utf8),
      let low = Literals.number(first), let high = Literals.number(last),
      low <= high, high - low < UInt64(mostEntries)
    else { throw lexer.error(word, "a range is {FIRST..LAST}, for example {001..012}") }
    return (low...high).map { number in
      let digits = String(number)
      let zeros = String(repeating: "0", count: max(0, first.count - digits.count))
      return raw[..<open] + Array((zeros + digits).utf8) + raw[(close + 1)...]
    }
  }
}

extension Lexer {
  /// The bytes of a quoted word.
  func string(_ word: Word) throws(ScriptError) -> [UInt8] {
    guard word.isQuoted else {
      throw error(word, "a quoted string is needed here", expected: Expected.string)
    }
    do {
      return try Literals.string(word.bytes)
    } catch {
      throw self.error(flaw: error, in: word, from: 0)
    }
  }

  /// The error at the place of a string's flaw; the string begins `offset` bytes into the word.
  func error(flaw: Literals.Flaw, in word: Word, from offset: Int) -> ScriptError {
    let before = word.bytes.prefix(offset + flaw.position).count { $0 & 0xc0 != 0x80 }
    return ScriptError(
      file: file, line: word.line, column: word.column + before, length: word.length - before,
      lineText: text(ofLine: word.line), message: flaw.message)
  }

  /// A path below a volume's root: relative, no empty, `.` or `..` component; one slash at the end
  /// is taken off.
  func treePath(_ bytes: [UInt8], _ word: Word) throws(ScriptError) -> BytePath {
    let trimmed = bytes.last == UInt8(ascii: "/") ? Array(bytes.dropLast()) : bytes
    let names = trimmed.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isPlain = names.allSatisfy { name in
      !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
    }
    guard isPlain, let path = BytePath(trimmed) else {
      throw error(word, "not a path below a volume's root (no leading slash, no empty name, no ..)")
    }
    return path
  }
}

/// What errors say was expected, in one place.
enum Expected {
  static let size = ["a size such as 4096, 512B, 64KiB, 9MiB or 1GiB"]
  static let duration = ["a duration such as 20ms, 5s, 2m or 1h"]
  static let time = ["a time such as 2026-07-11T12:00:01.5Z"]
  static let string = ["a quoted string"]
  static let number = ["a number"]
}
