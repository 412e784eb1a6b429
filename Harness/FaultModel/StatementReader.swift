import SystemIO

/// Takes the words of one statement from front to back, and says what is wrong where.
struct StatementReader {
  let lexer: Lexer
  let words: [Lexer.Word]
  private(set) var position = 0
  /// Every target read so far, for checks that come later.
  var targets: [PlacedTarget] = []
  /// Every volume read so far that stands without a path.
  var volumes: [PlacedName] = []
  /// Bytes of strings read so far in the whole script, so that repeats cannot fill memory.
  let budget: StringBudget

  /// What all strings of a script may come to, in bytes.
  final class StringBudget {
    static let limit = 1 << 20
    var used = 0
  }

  init(lexer: Lexer, words: [Lexer.Word], budget: StringBudget) {
    self.lexer = lexer
    self.words = words
    self.budget = budget
  }

  var peek: Lexer.Word? { position < words.count ? words[position] : nil }
  var peekText: String? { peek?.text }

  /// The word that was taken last; the first one before any.
  var last: Lexer.Word { words[max(0, position - 1)] }

  mutating func next(_ expected: [String]) throws(ScriptError) -> Lexer.Word {
    guard let word = peek else {
      throw lexer.endError(after: words[words.count - 1], expected: expected)
    }
    position += 1
    return word
  }

  mutating func takes(_ text: String) -> Bool {
    guard peekText == text else { return false }
    position += 1
    return true
  }

  /// Takes exactly these words.
  mutating func expect(_ texts: String...) throws(ScriptError) {
    for text in texts {
      let word = try next(["'\(text)'"])
      if word.text != text {
        throw lexer.error(
          word, "unexpected word", expected: ["'\(text)'"],
          near: NearWords.of(word.text, among: [text]))
      }
    }
  }

  /// The statement must be over.
  func end() throws(ScriptError) {
    if let word = peek { throw lexer.error(word, "the statement should end here") }
  }

  /// Takes one of the words of a list.
  mutating func choice(_ kind: String, of known: [String]) throws(ScriptError) -> String {
    let word = try next([kind + ": " + known.joined(separator: " ")])
    guard known.contains(word.text) else { throw unknown(word, kind, known) }
    return word.text
  }

  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ kind: String, _ type: Choice.Type
  ) throws(ScriptError) -> Choice {
    let known = Choice.allCases.map(\.rawValue)
    let word = try next([kind + ": " + known.joined(separator: " ")])
    guard let choice = Choice(rawValue: word.text) else { throw unknown(word, kind, known) }
    return choice
  }

  func unknown(_ word: Lexer.Word, _ kind: String, _ known: [String]) -> ScriptError {
    lexer.error(
      word, "unknown \(kind)", expected: ["\(kind): " + known.joined(separator: " ")],
      near: NearWords.of(word.text, among: known))
  }

  // MARK: Literals

  mutating func number(_ expected: [String] = Expected.number, least: UInt64 = 0)
    throws(ScriptError) -> UInt64
  {
    let word = try next(expected)
    guard let number = Literals.number(word.bytes), number <= UInt64(Int32.max) else {
      throw lexer.error(word, "not a number", expected: expected)
    }
    if number < least { throw lexer.error(word, "the least number here is \(least)") }
    return number
  }

  mutating func count() throws(ScriptError) -> Int { Int(try number(least: 1)) }

  mutating func size() throws(ScriptError) -> UInt64 {
    let word = try next(Expected.size)
    return try size(word.bytes, of: word)
  }

  func size(_ bytes: ArraySlice<UInt8>, of word: Lexer.Word) throws(ScriptError) -> UInt64 {
    guard let size = Literals.size(bytes) else {
      throw lexer.error(word, "not a size", expected: Expected.size)
    }
    return size
  }

  mutating func range() throws(ScriptError) -> ByteRange {
    let expected = ["a range OFFSET+COUNT such as 1MiB+4KiB"]
    let word = try next(expected)
    let parts = word.bytes.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    guard parts.count == 2, let offset = Literals.size(parts[0]),
      let count = Literals.size(parts[1]), offset <= UInt64(Int64.max) - count
    else { throw lexer.error(word, "not a range", expected: expected) }
    guard count > 0 else { throw lexer.error(word, "the range is empty") }
    return ByteRange(offset: offset, count: count)
  }

  mutating func duration() throws(ScriptError) -> UInt64 {
    let word = try next(Expected.duration)
    guard let value = Literals.duration(word.bytes) else {
      throw lexer.error(word, "not a duration", expected: Expected.duration)
    }
    return value
  }

  mutating func signedDuration() throws(ScriptError) -> Int64 {
    let word = try next(Expected.duration)
    let isBack = word.bytes.first == UInt8(ascii: "-")
    let hasSign = isBack || word.bytes.first == UInt8(ascii: "+")
    guard let value = Literals.duration(hasSign ? word.bytes.dropFirst() : word.bytes) else {
      throw lexer.error(word, "not a duration", expected: Expected.duration)
    }
    return isBack ? -Int64(value) : Int64(value)
  }

  mutating func string() throws(ScriptError) -> [UInt8] {
    let word = try next(Expected.string)
    return try string(word)
  }

  func string(_ word: Lexer.Word) throws(ScriptError) -> [UInt8] {
    try charge(try lexer.string(word), word)
  }

  /// The bytes of the quoted part of a word that begins `offset` bytes into it.
  func string(_ word: Lexer.Word, from offset: Int) throws(ScriptError) -> [UInt8] {
    do {
      return try charge(try Literals.string(word.bytes.dropFirst(offset)), word)
    } catch let flaw as Literals.Flaw {
      throw lexer.error(flaw: flaw, in: word, from: offset)
    } catch let error as ScriptError {
      throw error
    } catch {
      throw lexer.error(word, "\(error)")
    }
  }

  private func charge(_ bytes: [UInt8], _ word: Lexer.Word) throws(ScriptError) -> [UInt8] {
    budget.used += bytes.count
    guard budget.used <= StringBudget.limit else {
      throw lexer.error(
        word, "the strings of this script are longer than \(StringBudget.limit) bytes")
    }
    return bytes
  }

  /// Text of a quoted word that people read; it must not be empty.
  mutating func sentence() throws(ScriptError) -> String {
    let word = try next(Expected.string)
    let bytes = try string(word)
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw lexer.error(word, "an empty text, or one that is not UTF-8")
    }
    return text
  }

  /// A quoted path below a root, and whether it ends in a slash.
  mutating func treePath() throws(ScriptError) -> (path: BytePath, isFolder: Bool) {
    let word = try next(Expected.string)
    let bytes = try string(word)
    return (try lexer.treePath(bytes, word), bytes.last == UInt8(ascii: "/"))
  }

  // MARK: Names

  /// A name of a volume, persona, card or facts row: small letters, digits, `-`.
  mutating func name(_ kind: String) throws(ScriptError) -> (name: String, word: Lexer.Word) {
    let word = try next(["the name of a " + kind])
    return (try name(word.bytes, of: word, kind), word)
  }

  func name(
    _ bytes: ArraySlice<UInt8>, of word: Lexer.Word, _ kind: String
  ) throws(ScriptError) -> String {
    let isPlain = bytes.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
    }
    guard isPlain, let first = bytes.first, (0x61...0x7a).contains(first), bytes.count <= 40 else {
      throw lexer.error(
        word, "not the name of a \(kind)",
        expected: ["small letters, digits and '-', a letter first"])
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `OP{,OP}`.
  mutating func operations() throws(ScriptError) -> (operations: [Operation], word: Lexer.Word) {
    let known = Operation.allCases.map(\.rawValue)
    let word = try next(["operations: " + known.joined(separator: " ")])
    var operations: [Operation] = []
    for part in word.text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let operation = Operation(rawValue: String(part)) else {
        var error = unknown(word, "operation", known)
        let near = NearWords.of(String(part), among: known)
        error = lexer.error(
          word, "unknown operation '\(part)'", expected: error.expected, near: near)
        throw error
      }
      if operations.contains(operation) {
        throw lexer.error(word, "'\(part)' stands there twice")
      }
      operations.append(operation)
    }
    return (operations, word)
  }

  mutating func operation() throws(ScriptError) -> Operation {
    let (operations, word) = try operations()
    guard operations.count == 1 else { throw lexer.error(word, "one operation only") }
    return operations[0]
  }
}
