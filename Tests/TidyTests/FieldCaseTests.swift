import Testing

/// Public reports of copy tools (C-numbers) and findings of papers (anchors) that scripts stand for:
/// each is named by a script, or in docs/limits.md with the reason why none can be.
@Suite("Tidy: no field case without a script")
struct FieldCaseTests {
  private static let reports = (Array(1...30) + Array(57...62)).map { number in
    "C" + (number < 10 ? "0" : "") + String(number)
  }
  private static let findings = (1...16).map { "anchor \($0)" }

  /// What scripts say outside of their statements, titles included, and the limits.
  private static let words: String = {
    let scripts = Repository.texts.filter {
      $0.path.hasPrefix("FaultScripts/") && $0.path.hasSuffix(".fault")
        && !$0.path.contains("/negative/")
    }
    let lines = scripts.flatMap(\.lines).map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("#") || $0.hasPrefix("case ") }
    return lines.joined(separator: "\n").lowercased() + "\n"
      + Repository.file("docs/limits.md").text.lowercased()
  }()

  /// True when the name stands there as a whole: `C1` is not in `C11`, nor `anchor 1` in `anchor 16`.
  private static func isNamed(_ name: String) -> Bool {
    var rest = words[...]
    while let range = rest.firstRange(of: name.lowercased()) {
      let before =
        range.lowerBound == words.startIndex ? " " : words[words.index(before: range.lowerBound)]
      let after = range.upperBound == words.endIndex ? " " : words[range.upperBound]
      if !before.isLetter && !before.isNumber && !after.isNumber { return true }
      rest = rest[range.upperBound...]
    }
    return false
  }

  @Test("issue 3: each report and finding is a script, or a limit with its reason")
  func named() {
    let missing = (Self.reports + Self.findings).filter { !Self.isNamed($0) }
    #expect(missing.isEmpty, "no script and no line of docs/limits.md names \(missing)")
  }

  @Test("a name counts only as a whole word")
  func words() {
    #expect(!Self.isNamed("C99") && !Self.isNamed("C0") && !Self.isNamed("anchor 17"))
  }
}
