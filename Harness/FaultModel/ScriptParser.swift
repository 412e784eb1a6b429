import SystemIO

/// Reads fault scripts: strict, so that a mistyped word never becomes a case that tests nothing.
///
/// `parse` judges the text alone; `ScriptLoader` also holds it against cards and personas.
public enum ScriptParser {
  /// Reads a whole script. `name` is the file's name without its extension, as in case ids.
  public static func parse(_ text: [UInt8], name: String) throws(ScriptError) -> Script {
    try parsed(text, name: name).script
  }

  /// Reads a whole script given as text.
  public static func parse(_ text: String, name: String) throws(ScriptError) -> Script {
    try parse(Array(text.utf8), name: name)
  }

  static func parsed(_ text: [UInt8], name: String) throws(ScriptError) -> ParsedScript {
    var assembly = try ScriptAssembly(text, name: name)
    return try assembly.run()
  }
}

/// A script with the places of what can only be judged against cards and personas.
struct ParsedScript {
  let script: Script
  let lexer: Lexer
  /// By case, in the order of the script.
  let references: [CaseReferences]
  /// Names of personas in the preamble.
  let personas: [PlacedName]
}

/// What a case refers to, with places.
struct CaseReferences {
  let title: Lexer.Word
  var personas: [PlacedName] = []
  /// Every target, with the operations that its rule strikes (none for points and volumes).
  var targets: [(placed: PlacedTarget, operations: [Operation])] = []
  /// Volumes that stand without a path.
  var volumes: [PlacedName] = []
  /// Names behind `expect failed`.
  var failedNames: [(name: Expectation.FileName, word: Lexer.Word)] = []
  var destinations: [PlacedName] = []
  /// `given` steps by ordinal: the word of the volume.
  var givens: [Lexer.Word] = []
  /// Rules in order, for checks that need the volume's kind.
  var crashes: [(volumes: [String], needsLog: Bool, word: Lexer.Word)] = []
}

/// Builds a script line by line.
struct ScriptAssembly {
  static let header = "custody-fault 1"

  let name: String
  let lexer: Lexer
  private let text: String
  private let budget = StatementReader.StringBudget()
  private var preamble = PreambleAssembly()
  private var cases: [ScriptCase] = []
  private var references: [CaseReferences] = []
  private var personas: [PlacedName] = []
  private var explorations: [ExplorationLine] = []
  private var open: CaseAssembly?
  private var slugs: [String: Int] = [:]

  init(_ text: [UInt8], name: String) throws(ScriptError) {
    self.name = name
    self.text = String(decoding: text, as: UTF8.self)
    lexer = try Lexer(text, file: name + ".fault")
  }

  mutating func run() throws(ScriptError) -> ParsedScript {
    try checkHeader()
    for number in 2..<(lexer.lineCount + 1) {
      let line = try lexer.words(ofLine: number)
      if let first = line.words.first { try statement(line, first) }
    }
    try close(before: lexer.lineCount + 1)
    guard !cases.isEmpty || !explorations.isEmpty else {
      throw lexer.error(
        line: lexer.lineCount, column: 1, "the script has no case", expected: ["case \"TITLE\""])
    }
    let script = Script(
      name: name, text: text, preamble: preamble.preamble, cases: cases,
      explorations: explorations)
    return ParsedScript(script: script, lexer: lexer, references: references, personas: personas)
  }

  private func checkHeader() throws(ScriptError) {
    let words = try lexer.words(ofLine: 1).words
    guard words.map(\.text) != ["custody-fault", "1"] else { return }
    guard let first = words.first, first.text == "custody-fault" else {
      throw lexer.error(
        line: 1, column: words.first?.column ?? 1, "not a fault script", expected: [Self.header])
    }
    guard words.count > 1 else { throw lexer.endError(after: first, expected: [Self.header]) }
    if words[1].text == "1" { throw lexer.error(words[2], "the statement should end here") }
    throw lexer.error(
      words[1], "this version of the language is not known", expected: [Self.header])
  }

  private mutating func statement(_ line: Lexer.Line, _ first: Lexer.Word) throws(ScriptError) {
    var reader = StatementReader(lexer: lexer, words: line.words, budget: budget)
    switch first.text {
    case "case": try startCase(&reader)
    case "explore": try explore(&reader, first)
    default:
      if let word = PreambleWord(rawValue: first.text) {
        _ = try reader.next([])
        if open == nil {
          if let persona = try preamble.take(word, first, &reader) { personas.append(persona) }
        } else {
          try open?.override(word, first, &reader)
        }
      } else if StepWord(rawValue: first.text) != nil || EffectWord(rawValue: first.text) != nil {
        guard open != nil else {
          throw lexer.error(
            first, "'\(first.text)' stands before the first case", expected: ["case \"TITLE\""])
        }
        try open?.take(line, &reader)
      } else {
        throw unknownStatement(first)
      }
    }
    try reader.end()
  }

  /// Words of FaultNet, which defines their grammar when it comes.
  private static let networkWords: Set<String> = [
    "cut", "reset", "half-close", "stall", "throttle", "split", "black-hole", "http",
  ]

  private func unknownStatement(_ word: Lexer.Word) -> ScriptError {
    if Self.networkWords.contains(word.text) {
      return lexer.error(word, "'\(word.text)' is a network effect and is not available yet")
    }
    let known =
      ["case", "explore"] + PreambleWord.allCases.map(\.rawValue)
      + StepWord.allCases.map(\.rawValue) + EffectWord.allCases.map(\.rawValue)
    return lexer.error(
      word, "unknown word '\(word.text)'", expected: ["one of: " + known.joined(separator: " ")],
      near: NearWords.of(word.text, among: known))
  }

  private mutating func startCase(_ reader: inout StatementReader) throws(ScriptError) {
    let word = try reader.next([])
    try close(before: word.line)
    let place = reader.peek ?? word
    let title = try reader.sentence()
    let slug = ScriptCase.slug(of: title)
    if slug.isEmpty {
      throw lexer.error(place, "a title needs a letter a-z or a digit, for the case's id")
    }
    if let line = slugs[slug] {
      throw lexer.error(place, "the case of line \(line) has the same id '\(slug)'")
    }
    slugs[slug] = word.line
    open = CaseAssembly(title: title, place: place, line: word.line, preamble: preamble.preamble)
  }

  /// Ends the open case; `line` is the first line that is not its own.
  private mutating func close(before line: Int) throws(ScriptError) {
    guard let finished = open else { return }
    open = nil
    let (scriptCase, placed) = try finished.finish(lexer, before: line)
    cases.append(scriptCase)
    references.append(placed)
  }

  private mutating func explore(
    _ reader: inout StatementReader, _ first: Lexer.Word
  ) throws(ScriptError) {
    try reader.expect("explore", "op")
    let operations = try reader.operations().operations
    try reader.expect("fault", "all", "legal", "depth")
    let depth = try reader.count()
    explorations.append(
      ExplorationLine(operations: Set(operations), depth: depth, line: first.line))
  }
}

extension ScriptCase {
  /// The title as case ids have it: small letters and digits, all else one `-` between them.
  public var slug: String { Self.slug(of: title) }

  static func slug(of title: String) -> String {
    var slug = ""
    for byte in title.utf8 {
      switch byte {
      case 0x61...0x7a, 0x30...0x39: slug.append(Character(Unicode.Scalar(byte)))
      case 0x41...0x5a: slug.append(Character(Unicode.Scalar(byte + 0x20)))
      default: if !slug.isEmpty, slug.last != "-" { slug.append("-") }
      }
    }
    if slug.last == "-" { slug.removeLast() }
    return slug
  }
}

extension Script {
  /// A case's name in reports and in `FaultScripts/allowed`: `exfat/case-twins@standard`.
  public func id(of scriptCase: ScriptCase, mode: Mode) -> String {
    "\(name)/\(scriptCase.slug)@\(mode.rawValue)"
  }
}
