import Testing

@Suite("Tidy: documentation stands where it is needed and is true")
struct DocumentationTests {
  @Test("public types and functions say what they are")
  func documented() {
    let types = ["struct ", "enum ", "class ", "protocol ", "actor ", "typealias "]
    var bare: [String] = []
    for file in Repository.sources {
      let lines = file.lines
      var isConforming = false
      for (number, line) in lines.enumerated() {
        // What a protocol asks for is documented there.
        if line.first.map({ $0.isLetter }) == true { isConforming = line.contains(": ") }
        let code = line.drop { $0 == " " }
        guard code.hasPrefix("public ") else { continue }
        let words = Self.withoutModifiers(code)
        let isType = types.contains { words.hasPrefix($0) }
        guard isType || (words.hasPrefix("func ") && !isConforming) else { continue }
        let above = lines[..<number].last { line in
          let code = line.drop { $0 == " " }
          return !code.hasPrefix("@") && !code.hasPrefix("// ")
        }
        if above?.drop(while: { $0 == " " }).hasPrefix("///") != true {
          bare.append("\(file.path):\(number + 1): \(code)")
        }
      }
    }
    #expect(bare.isEmpty, "\(bare.joined(separator: "\n"))")
  }

  private static func withoutModifiers(_ line: Substring) -> Substring {
    let modifiers = [
      "public ", "static ", "final ", "mutating ", "borrowing ", "consuming ", "nonisolated ",
      "indirect ", "class func",
    ].dropLast()
    var rest = line
    while let modifier = modifiers.first(where: { rest.hasPrefix($0) }) {
      rest = rest.dropFirst(modifier.count)
    }
    return rest
  }

  @Test("the README's commands exist")
  func commands() {
    let makefile = Repository.file("Makefile")
    let targets = Set(
      makefile.lines.filter { $0.first?.isLetter == true }
        .compactMap { $0.split(separator: ":").first.map(String.init) })
    var seen = 0
    for line in codeLines(of: Repository.file("README.md")) {
      let words = line.split(separator: " ")
      guard words.count > 1, words[0] == "make" else { continue }
      seen += 1
      let target = String(words[1])
      #expect(targets.contains(target), "README.md: make \(target)")
    }
    #expect(seen >= 2, "the README's quick start is make gate and make test")
  }

  /// The lines of the fenced blocks, prompts left out.
  private func codeLines(of file: Repository.File) -> [Substring] {
    var isCode = false
    return file.lines.filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return isCode && !line.hasPrefix("```")
    }.map { $0.hasPrefix("$ ") ? $0.dropFirst(2) : $0 }
  }
}
