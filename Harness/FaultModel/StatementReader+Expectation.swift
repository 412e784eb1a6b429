import SystemIO

/// The words behind `expect`.
enum ExpectWord: String, CaseIterable {
  case verified, copied, failed, refused, recovery, sound, interrupted, incomplete, warns
  case undetectable
}

extension StatementReader {
  /// Takes what follows `expect`; also the names and the destination that it speaks of.
  mutating func expectation() throws(ScriptError) -> (
    Expectation, names: [(name: Expectation.FileName, word: Lexer.Word)], destination: PlacedName?
  ) {
    switch try choice("verdict", ExpectWord.self) {
    case .verified: return (.verified, [], nil)
    case .copied: return (.copied, [], nil)
    case .refused: return (.refused, [], nil)
    case .recovery: return (.recovery, [], nil)
    case .sound: return (.sound, [], nil)
    case .interrupted: return (.interrupted, [], nil)
    case .incomplete: return (.incomplete, [], nil)
    case .warns: return (.warns(try sentence()), [], nil)
    case .undetectable: return (.undetectable(try sentence()), [], nil)
    case .failed: return try failed()
    }
  }

  private mutating func failed() throws(ScriptError) -> (
    Expectation, names: [(name: Expectation.FileName, word: Lexer.Word)], destination: PlacedName?
  ) {
    if takes("all") {
      let destination = try onVolume()
      return (.failedAll(on: destination?.name), [], destination)
    }
    if takes("some") {
      let destination = try onVolume()
      return (.failedSome(on: destination?.name), [], destination)
    }
    var names: [(name: Expectation.FileName, word: Lexer.Word)] = []
    while let word = peek, word.text != "on" {
      _ = try next([])
      let name = try fileName(word)
      try once(!names.contains { $0.name == name }, word)
      names.append((name, word))
    }
    guard !names.isEmpty else {
      throw lexer.endError(
        after: last, expected: ["all", "some", "the end of a source file's path"])
    }
    let destination = try onVolume()
    return (.failed(names.map(\.name), on: destination?.name), names, destination)
  }

  private mutating func onVolume() throws(ScriptError) -> PlacedName? {
    guard takes("on") else { return nil }
    let (name, word) = try name("volume")
    return PlacedName(name: name, word: word)
  }

  /// Quoted: the end of a path, literally. Bare: a pattern, or the end of a path without one.
  private func fileName(_ word: Lexer.Word) throws(ScriptError) -> Expectation.FileName {
    if word.isQuoted { return .suffix(try lexer.treePath(try string(word), word)) }
    let pattern = try pattern(word.bytes, word)
    return Glob(pattern).hasWildcards ? .glob(pattern) : .suffix(BytePath(pattern))
  }
}
