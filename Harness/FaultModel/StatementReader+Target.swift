import SystemIO

/// A target with the word that holds it, for checks that come later.
struct PlacedTarget {
  let target: Target
  let word: Lexer.Word
}

extension StatementReader {
  private static let targetForms = [
    "VOLUME:PATTERN", "VOLUME:\"PATH\"", "VOLUME:~FILE", "VOLUME:<tmp#N>", "VOLUME:<marker#N>",
  ]

  mutating func target() throws(ScriptError) -> PlacedTarget {
    let word = try next(Self.targetForms)
    let placed = PlacedTarget(target: try target(word), word: word)
    targets.append(placed)
    return placed
  }

  /// True when the next word is no clause but a target: a volume's name, then a colon.
  func isAtTarget() -> Bool {
    guard let word = peek, let colon = word.bytes.firstIndex(of: UInt8(ascii: ":")) else {
      return false
    }
    return colon > word.bytes.startIndex && !word.isQuoted
  }

  private func target(_ word: Lexer.Word) throws(ScriptError) -> Target {
    guard !word.isQuoted, let colon = word.bytes.firstIndex(of: UInt8(ascii: ":")) else {
      throw lexer.error(word, "not a target", expected: Self.targetForms)
    }
    let volume = try name(word.bytes[..<colon], of: word, "volume")
    let rest = word.bytes[(colon + 1)...]
    let offset = word.bytes.distance(from: word.bytes.startIndex, to: colon) + 1
    guard let first = rest.first else {
      throw lexer.error(word, "the volume's name alone is no target", expected: Self.targetForms)
    }
    if first == UInt8(ascii: "~") {
      return Target(
        volume: volume, subject: .content(try contentName(rest.dropFirst(), word, offset + 1)))
    }
    if first == UInt8(ascii: "<") {
      return Target(volume: volume, subject: try ownName(rest, word))
    }
    if first == UInt8(ascii: "\"") {
      let bytes = try string(word, from: offset)
      // A lone slash is the volume's root.
      let path = bytes == [UInt8(ascii: "/")] ? "" : try lexer.treePath(bytes, word)
      return Target(volume: volume, subject: .path(path))
    }
    return Target(volume: volume, subject: .glob(try pattern(rest, word)))
  }

  private func contentName(
    _ rest: ArraySlice<UInt8>, _ word: Lexer.Word, _ offset: Int
  ) throws(ScriptError) -> Target.ContentName {
    guard let first = rest.first else {
      throw lexer.error(word, "~ needs a source file behind it", expected: Self.targetForms)
    }
    if first == UInt8(ascii: "\"") {
      return .path(try lexer.treePath(try string(word, from: offset), word))
    }
    return .glob(try pattern(rest, word))
  }

  /// `<tmp#N>` or `<marker#N>`.
  private func ownName(
    _ rest: ArraySlice<UInt8>, _ word: Lexer.Word
  ) throws(ScriptError) -> Target.Subject {
    let text = String(decoding: rest, as: UTF8.self)
    let forms: [(prefix: String, make: (Int) -> Target.Subject)] = [
      ("<tmp#", Target.Subject.temporary), ("<marker#", Target.Subject.marker),
    ]
    for (prefix, make) in forms where text.hasPrefix(prefix) && text.hasSuffix(">") {
      let digits = rest.dropFirst(prefix.utf8.count).dropLast()
      if let number = Literals.number(digits), number >= 1, number <= UInt64(Int32.max) {
        return make(Int(number))
      }
    }
    throw lexer.error(
      word, "not a name of the subject's own", expected: ["<tmp#1>", "<marker#1>, counted from 1"])
  }

  /// A bare pattern: a relative path without quotes.
  func pattern(_ bytes: ArraySlice<UInt8>, _ word: Lexer.Word) throws(ScriptError) -> String {
    if bytes.contains(UInt8(ascii: "\"")) {
      throw lexer.error(word, "a quote within a bare word; quote the whole path")
    }
    let path = try lexer.treePath(Array(bytes), word)
    return String(decoding: path.bytes, as: UTF8.self)
  }

  /// A phase of a file, or an operation, as a moment.
  mutating func point() throws(ScriptError) -> Point {
    let phases = Phase.allCases.map(\.rawValue)
    let operations = Operation.allCases.map(\.rawValue)
    let word = try next(["a phase: " + phases.joined(separator: " "), "or an operation"])
    if let phase = Phase(rawValue: word.text) {
      return .phase(phase, of: takes("of") ? try pointTarget() : nil)
    }
    guard let operation = Operation(rawValue: word.text) else {
      throw lexer.error(
        word, "neither a phase nor an operation",
        expected: ["a phase: " + phases.joined(separator: " "), "or an operation"],
        near: NearWords.of(word.text, among: phases + operations))
    }
    let target = isAtTarget() ? try pointTarget() : nil
    return .operation(operation, target, nth: takes("nth") ? try count() : nil)
  }

  private mutating func pointTarget() throws(ScriptError) -> Target { try target().target }
}
