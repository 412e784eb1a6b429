import FaultModel

/// A case with the words that make its subject go one step after the other.
public enum ScheduleWords {
  /// The script of a case, each of its runs with further arguments.
  public static func text(
    ofScript text: String, title: String, arguments: String
  ) -> String {
    ScheduleScript(text, title: title, arguments: arguments).text
  }
}

/// Writes the script of a schedule: a case with further rules, its expectations replaced.
///
/// What comes out is a whole script with one case, so that a replay file needs nothing else.
struct ScheduleScript {
  /// What each run of the schedule must come to.
  enum Expected {
    /// What the case itself says.
    case asWritten
    case sound
    case undetectable(String)
    /// A run after a crash reaches a true verdict.
    case recovery
    /// The first run is struck down, a second one finds what `words` say.
    case interrupted(first: String, then: String)
  }

  private let head: [Substring]
  private let body: [Substring]
  private let title: String
  /// Words for each run of the subject, `--workers 1`; nil for a subject that takes none.
  private let arguments: String?

  /// - `text`: a script with one case.
  init(_ text: String, title: String, arguments: String?) {
    let lines = text.split(separator: "\n").filter { line in
      let start = line.first { $0 != " " && $0 != "\t" }
      return start != nil && start != "#"
    }
    let first = lines.firstIndex { Self.word($0) == "case" } ?? lines.endIndex
    head = Array(lines[..<first])
    body = Array(lines[min(first + 1, lines.endIndex)...])
    self.title = title
    self.arguments = arguments
  }

  static func word(_ line: Substring) -> String {
    String(line.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
  }

  var runCount: Int { max(1, body.count { Self.word($0) == "run" }) }

  /// The text with further rules, which stand before the first run and behind the case's own.
  func text(id: String?, adding rules: [String], expecting expected: Expected) -> String {
    var lines = head.map(String.init)
    lines.append("case \(ScriptText.quoted("\(title)\(id.map { " " + $0 } ?? "")"))")
    let isWritten = if case .asWritten = expected { true } else { false }
    let statements = body.filter { isWritten || Self.word($0) != "expect" }
    let firstRun = statements.firstIndex { Self.word($0) == "run" }
    for (index, line) in statements.enumerated() {
      if index == firstRun { lines += rules.map { "  " + $0 } }
      lines.append("  " + (isWritten ? run(line) : Self.optional(run(line))))
      if Self.word(line) == "run" { lines += words(expected) }
    }
    if firstRun == nil {
      // The case's own expectations come first then, and speak of the only run.
      let own = lines.filter { Self.word($0[...]) == "expect" }
      lines.removeAll { Self.word($0[...]) == "expect" }
      lines += rules.map { "  " + $0 }
      lines.append("  " + (arguments.map { "run \"\($0)\"" } ?? "run"))
      lines += isWritten ? own : words(expected)
    }
    if case .interrupted(_, let then) = expected {
      lines.append("  " + (arguments.map { "run \"\($0)\"" } ?? "run"))
      lines.append("  expect \(then)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The case itself.
  var text: String { text(id: nil, adding: [], expecting: .asWritten) }

  private func words(_ expected: Expected) -> [String] {
    switch expected {
    case .asWritten: []
    case .sound: ["  expect sound"]
    case .recovery: ["  expect recovery"]
    case .undetectable(let reason): ["  expect undetectable \"\(reason)\""]
    case .interrupted(let first, _): ["  expect \(first)"]
    }
  }

  /// Words of a case that strike nothing.
  private static let plainWords: Set<String> = [
    "card", "volume", "modes", "seed", "headroom", "given", "run", "disarm", "expect", "explore",
  ]

  /// A rule of the case itself may find its request gone once a further rule has struck: only that
  /// one must fire.
  private static func optional(_ line: String) -> String {
    if plainWords.contains(word(line[...])) { return line }
    let rule = line[..<comment(of: line)]
    if rule.split(separator: " ").contains("maybe") { return line }
    return rule + " maybe " + line[rule.endIndex...]
  }

  /// Where the comment of a line begins: at its end when there is none.
  private static func comment(of line: String) -> String.Index {
    var isQuoted = false
    var previous: Character = " "
    for (index, character) in zip(line.indices, line) {
      if character == "\"", previous != "\\" { isQuoted.toggle() }
      if character == "#", previous == " ", !isQuoted { return index }
      previous = character
    }
    return line.endIndex
  }

  /// A run with the subject's words in it.
  private func run(_ line: Substring) -> String {
    let text = line.drop { $0 == " " || $0 == "\t" }
    guard let arguments, Self.word(line) == "run" else { return String(text) }
    let rest = text.dropFirst(3).drop { $0 == " " || $0 == "\t" }
    if rest.isEmpty || rest.hasPrefix("#") { return "run \"\(arguments)\"" }
    guard rest.hasPrefix("\""), !rest.contains(arguments) else { return String(text) }
    return "run \"\(arguments) \(rest.dropFirst())"
  }
}
