import FaultModel

/// A case as the command line wants it: in a mode that its script does not name, or with more
/// destinations than it has.
extension ScriptCase {
  /// The text of the case alone in a mode and with so many destinations; nil where its words have
  /// no meaning there.
  ///
  /// - `text`: a script with this one case. Lines keep their numbers.
  /// - `destinations`: nil for those of the case.
  func adapted(_ text: String, to mode: Mode, destinations: Int?) -> String? {
    var text = text
    if mode != .quick, preamble.modes == [.quick] { return nil }
    if mode == .quick, !preamble.modes.contains(.quick) {
      // What a rule comes to without a read-back, only a script for that mode can say.
      guard rules.isEmpty else { return nil }
      text = rewriting(text) { expectation, line in
        expectation == .verified ? "  expect copied" : line
      }
    }
    guard let destinations else { return text }
    return widened(text, to: destinations)
  }

  // MARK: Destinations

  /// The case with further destinations like `dst`; nil where both the source and a destination
  /// are struck, so that the words do not say what becomes of a further one.
  private func widened(_ text: String, to count: Int) -> String? {
    let known = Set(preamble.destinations.map(\.name))
    let missing = (1...max(1, count)).map { $0 == 1 ? "dst" : "dst\($0)" }
      .filter { !known.contains($0) }
    if missing.isEmpty { return text }
    guard let model = preamble.volumes.first(where: { $0.name == "dst" }), model.inside == nil,
      preamble.volumes.allSatisfy({ $0.alias == nil && $0.inside == nil })
    else { return nil }
    let struck = struckVolumes
    let onlyOn = struck.intersection(known)
    guard onlyOn.isEmpty || onlyOn.count == 1 && !struck.contains("src") else { return nil }
    let wide = rewriting(text) { expectation, line in
      guard let volume = onlyOn.first else { return line }
      switch expectation {
      case .failedAll(on: nil), .failedSome(on: nil), .failed(_, on: nil):
        return "\(line) on \(volume)"
      default: return line
      }
    }
    let lines = missing.map { "  volume \($0) \(model.words)" }
    return wide + lines.joined(separator: "\n") + "\n"
  }

  /// The volumes that rules strike, and those on which something stands in the way.
  private var struckVolumes: Set<String> {
    var volumes: Set<String> = []
    for rule in rules {
      volumes.formUnion(rule.effect.targets.map(\.volume))
      volumes.formUnion(rule.effect.wholeVolumes)
    }
    for given in givens where given.volume != "src" { volumes.insert(given.volume) }
    return volumes
  }

  // MARK: Lines

  /// The text with other lines for some expectations.
  private func rewriting(
    _ text: String, _ rewrite: (Expectation, String) -> String
  ) -> String {
    var expectations = statements.compactMap { statement in
      if case .expect(let expectation) = statement { expectation } else { Expectation?.none }
    }[...]
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first
      guard word == "expect", let expectation = expectations.popFirst() else { return String(line) }
      return rewrite(expectation, Self.withoutComment(line))
    }.joined(separator: "\n")
  }

  /// A `#` begins a comment at the start of a word outside of a string.
  private static func withoutComment(_ line: Substring) -> String {
    var isQuoted = false
    var isEscaped = false
    var previous: Character = " "
    for index in line.indices {
      let character = line[index]
      if character == "#", !isQuoted, previous == " " || previous == "\t" {
        return withoutComment(line[..<index])
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && character == "\\" && !isEscaped
      previous = character
    }
    var text = String(line)
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}

extension VolumeSpec {
  /// What stands behind the volume's name in a script.
  var words: String {
    var words = ["persona", persona, "cache", cache.rawValue, "store", store.rawValue]
    if let capacity { words += ["capacity", String(capacity)] }
    if let facts { words += ["facts", facts] }
    if noMmap { words.append("nommap") }
    if let barriers { words += ["barriers", barriers.rawValue] }
    return words.joined(separator: " ")
  }
}
