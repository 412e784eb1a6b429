/// Parts of an effect that may stand anywhere behind its head.
enum Tail: String, CaseIterable {
  case with, forced, performed, forgetting, losing, bytes, `as`, to, `for`, keep
  case restoreTimes = "restore-times"
  case hole, data
}

/// The first words of the clauses.
enum ClauseWord: String, CaseIterable {
  case nth, every, from, range, after, at, pass, by, between, before, chance, `as`, entry, of
  case once, times, always, maybe
}

extension StatementReader {
  /// Takes the clause whose first word is `word`, which was taken already.
  mutating func clause(
    _ clause: ClauseWord, _ word: Lexer.Word, into clauses: inout Clauses
  ) throws(ScriptError) {
    switch clause {
    case .nth: try once(clauses.nth == nil, word); clauses.nth = try count()
    case .every: try once(clauses.every == nil, word); clauses.every = try count()
    case .from: try once(clauses.from == nil, word); clauses.from = try size()
    case .range: try once(clauses.range == nil, word); clauses.range = try range()
    case .after: try after(word, &clauses)
    case .before:
      try once(clauses.timing == nil, word)
      clauses.timing = .before(try point())
    case .at: try at(word, &clauses)
    case .pass: try once(clauses.pass == nil, word); clauses.pass = try count()
    case .by: try once(clauses.by == nil, word); clauses.by = try caller()
    case .between:
      try once(clauses.between == nil, word)
      let first = try point()
      try expect("and")
      clauses.between = Clauses.Between(first: first, second: try point())
    case .chance: try once(clauses.chance == nil, word); clauses.chance = try probability()
    case .as:
      try once(clauses.renameSide == nil, word)
      let side = try choice("side of a rename", of: ["old", "new"])
      clauses.renameSide = side == "old" ? .old : .new
    case .entry: try once(clauses.entry == nil, word); clauses.entry = try count()
    case .of:
      try once(clauses.of == nil, word)
      clauses.of = try target().target
    case .once: try once(clauses.repetition == nil, word); clauses.repetition = .once
    case .times:
      try once(clauses.repetition == nil, word)
      clauses.repetition = .times(try count())
    case .always: try once(clauses.repetition == nil, word); clauses.repetition = .always
    case .maybe: try once(!clauses.maybe, word); clauses.maybe = true
    }
  }

  func once(_ isFirst: Bool, _ word: Lexer.Word) throws(ScriptError) {
    if !isFirst { throw lexer.error(word, "'\(word.text)' says again what was said already") }
  }

  private mutating func after(
    _ word: Lexer.Word, _ clauses: inout Clauses
  ) throws(ScriptError) {
    if takes("eviction") {
      try once(!clauses.afterEviction, word)
      clauses.afterEviction = true
    } else if let first = peek?.bytes.first, (0x30...0x39).contains(first) {
      try once(clauses.afterBytes == nil, word)
      clauses.afterBytes = try size()
    } else {
      try once(clauses.timing == nil, word)
      clauses.timing = .after(try point())
    }
  }

  private mutating func at(_ word: Lexer.Word, _ clauses: inout Clauses) throws(ScriptError) {
    if takes("every") {
      try once(!clauses.atEveryOperation, word)
      try expect("op")
      clauses.atEveryOperation = true
      return
    }
    try once(clauses.percent == nil, word)
    let share = try next(["N% or 'every op'"])
    guard share.bytes.last == UInt8(ascii: "%"),
      let value = Literals.number(share.bytes.dropLast()),
      value <= 100
    else { throw lexer.error(share, "not a share", expected: ["0% to 100%", "'every op'"]) }
    clauses.percent = Int(value)
  }

  private mutating func caller() throws(ScriptError) -> Clauses.Caller {
    switch try choice("caller", of: ["reader", "writer", "handle"]) {
    case "reader": .reader
    case "writer": .writer
    default: .handle(try count())
    }
  }

  private mutating func probability() throws(ScriptError) -> Double {
    let expected = ["a number above 0 and up to 1, such as 0.05"]
    let word = try next(expected)
    let isPlain =
      word.bytes.count <= 20
      && word.bytes.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let value = Double(word.text), value > 0, value <= 1 else {
      throw lexer.error(word, "not a probability", expected: expected)
    }
    return value
  }
}
