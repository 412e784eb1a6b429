import Testing

/// Every numbered statement that the copy path keeps has a test of its number, or a row in
/// docs/offload.md that says why not.
@Suite("Tidy: no promise without a test")
struct PromiseTests {
  /// Sections of the offload engine's contract (its part a) that the copy path is built on, with
  /// the numbers of their statements.
  private static let sections: [(name: String, numbers: ClosedRange<Int>)] = [
    ("B, source manifest", 7...18), ("E, preflight", 35...44), ("F, pinning", 45...50),
    ("G, copy", 51...62), ("H, publication", 63...69), ("I, reuse", 70...72),
    ("J, verification", 73...82), ("K, rows and verdict", 83...90),
  ]

  /// What a test or case says it checks: `offload 1 to 4, 53, decision 9: ...` is 1, 2, 3, 4, 53.
  private static func numbers(_ title: Substring) -> [Int] {
    guard title.hasPrefix("offload ") else { return [] }
    let list = title.dropFirst(8).prefix { $0 != ":" }
    guard list.endIndex < title.endIndex else { return [] }
    return numbers(list: list).found
  }

  /// The numbers and ranges at the front of a list, up to the first part that is neither.
  private static func numbers(list: Substring) -> (found: [Int], isWholeList: Bool) {
    var numbers: [Int] = []
    for part in list.split(separator: ",") {
      let words = part.split(separator: " ")
      if words.count == 1, let number = Int(words[0]) {
        numbers.append(number)
      } else if words.count == 3, words[1] == "to", let first = Int(words[0]),
        let last = Int(words[2]), first < last
      {
        numbers += Array(first...last)
      } else {
        return (numbers, false)
      }
    }
    return (numbers, true)
  }

  /// The titles of tests and of fault cases: what stands between the quotes of a line that holds
  /// one of them, or of the line below `@Test(`.
  private static let tested: Set<Int> = {
    var tested: Set<Int> = []
    for file in Repository.tests + Repository.texts.filter({ $0.path.hasSuffix(".fault") }) {
      guard file.says("\"offload ") else { continue }
      var above: Substring = ""
      for line in file.lines {
        let code = line.drop { $0 == " " }
        let isTitle =
          code.hasPrefix("@Test(\"") || code.hasPrefix("case \"")
          || (code.hasPrefix("\"") && above == "@Test(")
        above = code
        guard isTitle, let start = code.firstIndex(of: "\"") else { continue }
        tested.formUnion(numbers(code[start...].dropFirst()))
      }
    }
    return tested
  }()

  /// First cells of the table: numbers alone, and numbers with the part that is meant.
  private static let excused: (whole: [Int], parts: [Int]) = {
    let lines = Repository.file("docs/offload.md").lines
      .drop { $0 != "| statement | why |" }.prefix { !$0.isEmpty }.dropFirst(2)
    var excused: (whole: [Int], parts: [Int]) = ([], [])
    for line in lines {
      let cells = line.split(separator: "|")
      guard cells.count == 2, cells[1].contains(where: { $0.isLetter }) else {
        Issue.record("no reason: \(line)")
        continue
      }
      let (found, isWhole) = numbers(list: cells[0])
      #expect(!found.isEmpty, "no number: \(line)")
      if isWhole { excused.whole += found } else { excused.parts += found }
    }
    return excused
  }()

  @Test("every statement of the copy path has a test of its number, or a reason why not")
  func covered() {
    for section in Self.sections {
      for number in section.numbers where !Self.excused.whole.contains(number) {
        let isTested = Self.tested.contains(number)
        #expect(
          isTested,
          "\(section.name): neither a test nor docs/offload.md says \"offload \(number)\"")
      }
    }
  }

  @Test("no reason stands where there is a test, and each number only once")
  func excuses() {
    let (whole, parts) = Self.excused
    #expect(Set(whole + parts).count == whole.count + parts.count)
    let tested = whole.filter(Self.tested.contains)
    let untested = parts.filter { !Self.tested.contains($0) }
    #expect(tested.isEmpty, "they have tests")
    #expect(untested.isEmpty, "parts are excused of what no test checks at all")
    let known = Self.sections.flatMap { Array($0.numbers) }
    #expect(Set(whole + parts).isSubset(of: known))
  }
}
