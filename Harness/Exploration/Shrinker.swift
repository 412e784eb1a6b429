import FaultModel

/// Makes a failing script smaller while it still fails the same way: lines, destinations, clauses
/// and bytes go one after another, until nothing more can.
///
/// Greedy, and deterministic as far as the failure is. What does not parse is never tried.
public struct Shrinker {
  /// The most scripts that are run.
  public var attemptLimit = 2000
  public private(set) var attemptCount = 0
  var lines: [ScriptLine]
  private let name: String
  private let fails: (String) -> Bool
  let findPin: (String) -> CrashPin?

  /// - `text`: a script with one case that fails.
  /// - `pin`: the state at which a sweep over crash states fails.
  /// - `fails`: runs a script and says whether it fails the same way.
  public init(
    _ text: String, name: String, pin: @escaping (String) -> CrashPin? = { _ in nil },
    fails: @escaping (String) -> Bool
  ) {
    findPin = pin
    lines = text.split(separator: "\n").map { ScriptLine(String($0)) }.filter { !$0.words.isEmpty }
    self.name = name
    self.fails = fails
  }

  public var text: String { Self.text(lines) }

  private static func text(_ lines: [ScriptLine]) -> String {
    lines.map(\.text).joined(separator: "\n") + "\n"
  }

  /// Shrinks to the end, or to the limit of attempts.
  public mutating func run() {
    runPasses()
    if pinCrash() { runPasses() }
  }

  private mutating func runPasses() {
    var changed = true
    while changed, attemptCount < attemptLimit {
      changed = dropVolumes()
      changed = dropLines() || changed
      changed = dropWords() || changed
      changed = reduceNumbers() || changed
      changed = dropKept() || changed
    }
  }

  /// Takes the candidate when it fails the same way.
  @discardableResult
  mutating func take(_ candidate: [ScriptLine]) -> Bool {
    guard candidate != lines, attemptCount < attemptLimit else { return false }
    let text = Self.text(candidate)
    guard let script = try? ScriptParser.parse(text, name: name), script.cases.count == 1 else {
      return false
    }
    attemptCount += 1
    guard fails(text) else { return false }
    lines = candidate
    return true
  }

  // MARK: Lines

  private mutating func dropVolumes() -> Bool {
    var changed = false
    let names = lines.filter { $0.words.first == "volume" && $0.words.count > 1 }.map {
      $0.words[1]
    }
    for name in names where name != "src" && name != "dst" {
      let left = lines.filter { line in
        !line.words.dropFirst().contains { $0 == name || $0.hasPrefix(name + ":") }
      }
      if take(left) { changed = true }
    }
    return changed
  }

  /// Ever smaller pieces, as long as one can go.
  private mutating func dropLines() -> Bool {
    var changed = false
    var size = max(1, lines.count / 2)
    while true {
      var start = 0
      while start < lines.count, attemptCount < attemptLimit {
        let end = min(start + size, lines.count)
        let kept = lines[..<start] + lines[start..<end].filter(\.isFixed) + lines[end...]
        if kept.count < lines.count, take(Array(kept)) { changed = true } else { start = end }
      }
      if size == 1 { return changed }
      size /= 2
    }
  }

  // MARK: Words

  /// Takes up to four words that follow each other out of a rule, a step or a volume.
  private mutating func dropWords() -> Bool {
    var changed = false
    for index in lines.indices where lines[index].canLoseWords {
      for count in [4, 3, 2, 1] {
        var start = 1
        while start + count <= lines[index].words.count, attemptCount < attemptLimit {
          var candidate = lines
          candidate[index].words.removeSubrange(start..<start + count)
          if take(candidate) { changed = true } else { start += 1 }
        }
      }
    }
    return changed
  }

  // MARK: Numbers

  /// Sizes and counts become as small as they can.
  private mutating func reduceNumbers() -> Bool {
    var changed = false
    for index in lines.indices {
      for word in lines[index].words.indices.dropFirst() {
        guard let value = lines[index].size(at: word) else { continue }
        for smaller in Self.smaller(than: value) {
          var candidate = lines
          candidate[index].words[word] = ScriptLine.text(ofSize: smaller)
          if take(candidate) {
            changed = true
            break
          }
        }
      }
    }
    return changed
  }

  private static func smaller(than value: UInt64) -> [UInt64] {
    let tried: [UInt64] = [0, 1, 512, 4096, 65536, 1 << 20, value / 16, value / 4, value / 2]
    return Array(Set(tried.filter { $0 < value })).sorted()
  }
}

/// A line of a script as words; strings stay whole.
struct ScriptLine: Equatable {
  let indent: String
  var words: [String]

  init(_ text: String) {
    indent = String(text.prefix { $0 == " " || $0 == "\t" })
    words = []
    var word = ""
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if !isQuoted, character == " " || character == "\t" {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if !isQuoted, word.isEmpty, character == "#" { return }
      word.append(character)
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
    }
    if !word.isEmpty { words.append(word) }
  }

  var text: String { indent + words.joined(separator: " ") }

  /// Without it there is no script, or no case.
  var isFixed: Bool {
    switch words.first {
    case "custody-fault", "case", "card": true
    case "volume": words.count > 1 && (words[1] == "src" || words[1] == "dst")
    default: false
    }
  }

  var canLoseWords: Bool {
    switch words.first {
    case "custody-fault", "case", "card", "expect", "modes", "seed": false
    default: true
    }
  }

  /// The bytes of a file or an offset; capacities stay, since a small one is another fault.
  func size(at index: Int) -> UInt64? {
    guard index > 0, ["bytes", "from", "append", "truncate"].contains(words[index - 1]) else {
      return nil
    }
    return Self.size(words[index])
  }

  private static let units: [(String, UInt64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1),
  ]

  static func size(_ word: String) -> UInt64? {
    for (unit, factor) in units where word.hasSuffix(unit) {
      guard let number = UInt64(word.dropLast(unit.count)) else { continue }
      let (value, isOver) = number.multipliedReportingOverflow(by: factor)
      return isOver ? nil : value
    }
    return UInt64(word)
  }

  static func text(ofSize value: UInt64) -> String {
    for (unit, factor) in units.prefix(2).reversed() where value > 0 && value % factor == 0 {
      return "\(value / factor)\(unit)"
    }
    return String(value)
  }
}
