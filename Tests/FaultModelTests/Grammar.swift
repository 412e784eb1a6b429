import FaultModel
import SystemIO

/// The EBNF of FaultScripts/README.md, read from its text: enough of the notation for this one
/// grammar.
///
/// Rules in capitals are words: their parts stand together. All others are sentences of words.
struct Grammar: Sendable {
  indirect enum Node: Sendable {
    case terminal(String)
    case rule(String)
    case sequence([Node])
    case choice([Node])
    case repeated(Node)
    case optional(Node)
  }

  private(set) var rules: [String: Node] = [:]

  struct Flaw: Error { let message: String }

  /// Reads the block between "```ebnf" and "```".
  init(readme: String) throws {
    let parts = readme.split(separator: "```", omittingEmptySubsequences: false)
    guard let block = parts.first(where: { $0.hasPrefix("ebnf\n") }) else {
      throw Flaw(message: "the README has no ebnf block")
    }
    var reader = Reader(tokens: Self.tokens(block.dropFirst(5)))
    while let (name, node) = try reader.rule() {
      if rules[name] != nil { throw Flaw(message: "'\(name)' is defined twice") }
      rules[name] = node
    }
  }

  static func isWord(_ name: String) -> Bool { name.first?.isUppercase == true }

  /// Words that the README describes in prose.
  static let plain = [
    "N", "NAME", "STR", "PATTERN", "ERRNO", "TIME", "OCT", "PROBABILITY",
  ]

  /// Every terminal of the sentences (capital: false) or of the words.
  func terminals(ofWords: Bool) -> Set<String> {
    var found: Set<String> = []
    func walk(_ node: Node) {
      switch node {
      case .terminal(let text): found.insert(text)
      case .rule: break
      case .sequence(let nodes), .choice(let nodes): nodes.forEach(walk)
      case .repeated(let node), .optional(let node): walk(node)
      }
    }
    for (name, node) in rules where Self.isWord(name) == ofWords { walk(node) }
    return found
  }

  /// Every name that some rule uses.
  var usedNames: Set<String> {
    var found: Set<String> = []
    func walk(_ node: Node) {
      switch node {
      case .terminal: break
      case .rule(let name): found.insert(name)
      case .sequence(let nodes), .choice(let nodes): nodes.forEach(walk)
      case .repeated(let node), .optional(let node): walk(node)
      }
    }
    rules.values.forEach(walk)
    return found
  }

  // MARK: Reading

  private static func tokens(_ text: Substring) -> [String] {
    var tokens: [String] = []
    var rest = text
    while let first = rest.first {
      if first == "\"" {
        rest = rest.dropFirst()
        let inner = rest.prefix { $0 != "\"" }
        tokens.append("\"" + inner)
        rest = rest.dropFirst(inner.count + 1)
      } else if first.isLetter {
        let name = rest.prefix { $0.isLetter || $0 == "-" }
        tokens.append(String(name))
        rest = rest.dropFirst(name.count)
      } else {
        if !first.isWhitespace { tokens.append(String(first)) }
        rest = rest.dropFirst()
      }
    }
    return tokens
  }

  private struct Reader {
    let tokens: [String]
    var position = 0

    init(tokens: [String]) { self.tokens = tokens }

    var peek: String { position < tokens.count ? tokens[position] : "" }

    mutating func take(_ token: String) throws {
      guard peek == token else {
        throw Flaw(message: "'\(token)' expected at token \(position), not '\(peek)'")
      }
      position += 1
    }

    mutating func rule() throws -> (String, Node)? {
      guard position < tokens.count else { return nil }
      let name = peek
      position += 1
      try take("=")
      let node = try choice()
      try take(";")
      return (name, node)
    }

    mutating func choice() throws -> Node {
      var nodes = [try sequence()]
      while peek == "|" {
        position += 1
        nodes.append(try sequence())
      }
      return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    mutating func sequence() throws -> Node {
      var nodes: [Node] = []
      while !["|", ";", ")", "]", "}", ""].contains(peek) { nodes.append(try item()) }
      return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    mutating func item() throws -> Node {
      let token = peek
      position += 1
      switch token {
      case "(": return try closed(")")
      case "[": return .optional(try closed("]"))
      case "{": return .repeated(try closed("}"))
      default:
        if token.hasPrefix("\"") { return .terminal(String(token.dropFirst())) }
        guard token.first?.isLetter == true else {
          throw Flaw(message: "'\(token)' is no part of a rule")
        }
        return .rule(token)
      }
    }

    mutating func closed(_ end: String) throws -> Node {
      let node = try choice()
      try take(end)
      return node
    }
  }
}

extension Grammar {
  // MARK: Making sentences

  /// The words of a random sentence of a rule.
  func sentence(_ name: String, _ random: inout SplitMix) -> [String] {
    guard let node = rules[name] else { return [Self.plainWord(name, &random)] }
    let words = make(node, &random)
    return Self.isWord(name) ? [words.joined()] : words
  }

  private func make(_ node: Node, _ random: inout SplitMix) -> [String] {
    switch node {
    case .terminal(let text): return [text]
    case .rule(let name): return sentence(name, &random)
    case .sequence(let nodes): return nodes.flatMap { make($0, &random) }
    case .choice(let nodes):
      return make(nodes[Int(random.next(below: UInt64(nodes.count)))], &random)
    case .optional(let node): return random.next(below: 2) == 0 ? [] : make(node, &random)
    case .repeated(let node):
      // Mostly none: the parts of a rule stand once each, and many would repeat one.
      let count = [0, 0, 0, 1, 1, 2][Int(random.next(below: 6))]
      return (0..<count).flatMap { _ in make(node, &random) }
    }
  }

  private static func plainWord(_ name: String, _ random: inout SplitMix) -> String {
    let words: [String: [String]] = [
      "N": ["1", "2", "7", "100"], "NAME": ["src", "dst"],
      "STR": ["\"a/b\"", "\"C 1.MP4\"", "\"\\u{e9}\\xff\"*2"],
      "PATTERN": ["**", "a/*.mov", "C000?.MP4", "x#y"], "ERRNO": ["EIO", "ENOSPC", "EOPNOTSUPP"],
      "TIME": ["2026-07-11T12:00:01Z", "1900-01-01T00:00:00.5+02:00"], "OCT": ["0644", "000"],
      "PROBABILITY": ["0.5", "1"],
    ]
    let known = words[name] ?? ["?"]
    return known[Int(random.next(below: UInt64(known.count)))]
  }

  // MARK: Recognising

  /// True when the words are a sentence of the rule.
  func recognises(_ words: [String], as name: String) -> Bool {
    ends(.rule(name), words, [0]).contains(words.count)
  }

  private func ends(_ node: Node, _ words: [String], _ starts: Set<Int>) -> Set<Int> {
    switch node {
    case .terminal(let text): return advance(starts, words) { $0 == text }
    case .rule(let name):
      guard let rule = rules[name] else {
        return advance(starts, words) {
          Self.plainEnds(name, Array($0.utf8), 0).contains($0.utf8.count)
        }
      }
      if !Self.isWord(name) { return ends(rule, words, starts) }
      return advance(starts, words) { word in
        let bytes = Array(word.utf8)
        return wordEnds(rule, bytes, [0]).contains(bytes.count)
      }
    case .sequence(let nodes): return nodes.reduce(starts) { ends($1, words, $0) }
    case .choice(let nodes): return nodes.reduce(into: []) { $0.formUnion(ends($1, words, starts)) }
    case .optional(let node): return starts.union(ends(node, words, starts))
    case .repeated(let node): return closure(starts) { ends(node, words, $0) }
    }
  }

  private func advance(
    _ starts: Set<Int>, _ words: [String], _ fits: (String) -> Bool
  ) -> Set<Int> {
    Set(starts.filter { $0 < words.count && fits(words[$0]) }.map { $0 + 1 })
  }

  private func closure(_ starts: Set<Int>, _ step: (Set<Int>) -> Set<Int>) -> Set<Int> {
    var all = starts
    while case let more = step(all).subtracting(all), !more.isEmpty { all.formUnion(more) }
    return all
  }

  private func wordEnds(_ node: Node, _ bytes: [UInt8], _ starts: Set<Int>) -> Set<Int> {
    switch node {
    case .terminal(let text):
      return Set(
        starts.filter { bytes[$0...].starts(with: text.utf8) }.map { $0 + text.utf8.count })
    case .rule(let name):
      if let rule = rules[name] { return wordEnds(rule, bytes, starts) }
      return starts.reduce(into: []) { $0.formUnion(Self.plainEnds(name, bytes, $1)) }
    case .sequence(let nodes): return nodes.reduce(starts) { wordEnds($1, bytes, $0) }
    case .choice(let nodes):
      return nodes.reduce(into: []) { $0.formUnion(wordEnds($1, bytes, starts)) }
    case .optional(let node): return starts.union(wordEnds(node, bytes, starts))
    case .repeated(let node): return closure(starts) { wordEnds(node, bytes, $0) }
    }
  }

  /// Where a word that only prose describes may end.
  private static func plainEnds(_ name: String, _ bytes: [UInt8], _ start: Int) -> Set<Int> {
    func run(_ characters: String) -> Set<Int> {
      let allowed = Set(characters.utf8)
      let count = bytes[start...].prefix { allowed.contains($0) }.count
      return count == 0 ? [] : Set((1...count).map { start + $0 })
    }
    let digits = "0123456789"
    let letters = "abcdefghijklmnopqrstuvwxyz"
    switch name {
    case "N", "OCT": return run(digits)
    case "PROBABILITY": return run(digits + ".")
    case "NAME": return run(letters + digits + "-")
    case "ERRNO": return run(letters.uppercased() + digits)
    case "TIME": return run(digits + "-+:.TZ")
    case "STR": return bytes[start...].first == UInt8(ascii: "\"") ? [bytes.count] : []
    default:
      let isPlain = start < bytes.count && !bytes[start...].contains(UInt8(ascii: "\""))
      return isPlain ? [bytes.count] : []
    }
  }
}
