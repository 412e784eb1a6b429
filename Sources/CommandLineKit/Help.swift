extension Program {
  /// The program's help, lines of at most `columns` characters.
  public func help(columns: Int) -> String {
    var page = HelpPage(columns: columns)
    page.paragraph("\(name): \(abstract)")
    page.blank()
    page.paragraph("Usage: \(name) COMMAND [arguments]", hanging: 7)
    page.section("Commands", commands.filter { !$0.isHidden }.map { ($0.name, $0.abstract) })
    page.section(
      "Options",
      [
        ("--help", "this text; after a command, the command's own"),
        ("--version", "the version and the build"),
      ])
    return page.text
  }

  /// A command's help, lines of at most `columns` characters.
  public func help(of command: Command, columns: Int) -> String {
    var page = HelpPage(columns: columns)
    page.paragraph("\(name) \(command.name): \(command.abstract)")
    page.blank()
    page.paragraph(command.usage(of: name), hanging: 7)
    if !command.details.isEmpty {
      page.blank()
      for paragraph in command.details.split(separator: "\n") { page.paragraph(String(paragraph)) }
    }
    let shown = command.parameters.filter { !$0.isHidden }
    page.section("Arguments", shown.filter(\.isPositional).map { ($0.name, $0.help) })
    page.section(
      "Options",
      shown.filter { !$0.isPositional }.map { ($0.form, $0.help) } + [("--help", "this text")])
    page.section("Exit codes", command.exitCodes.map { ($0.code, $0.meaning) })
    page.examples(command.examples)
    return page.text
  }
}

extension Command {
  /// The command's form on one line: `Usage: custody copy CARD --to FOLDER ... [options]`.
  public func usage(of program: String) -> String {
    let shown = parameters.filter { !$0.isHidden }
    let positionals = shown.filter(\.isPositional)
    let required = shown.filter { !$0.isPositional && $0.isRequired }
    let hasOptions = shown.contains { !$0.isPositional && !$0.isRequired }
    let parts =
      ["Usage: \(program) \(name)"]
      + (positionals + required).map { row in
        let form = row.form + (row.repeats ? " ..." : "")
        return row.isRequired ? form : "[\(form)]"
      } + (hasOptions ? ["[options]"] : [])
    return parts.joined(separator: " ")
  }
}

extension ParameterRow {
  /// `--mode MODE`, `--json` or `CARD`.
  var form: String { isPositional || isFlag ? name : "\(name) \(valueName ?? "")" }
}

/// Lines of help under a width; words are never cut, so one longer than the width stands alone.
struct HelpPage {
  let columns: Int
  private(set) var text = ""

  init(columns: Int) {
    self.columns = max(40, min(columns, 100))
  }

  mutating func blank() { text += "\n" }

  mutating func paragraph(_ words: String, indent: Int = 0, hanging: Int = 0) {
    for (index, line) in Self.wrap(words, columns - indent - hanging, columns - indent).enumerated()
    {
      let spaces = indent + (index == 0 ? 0 : hanging)
      text += String(repeating: " ", count: spaces) + line + "\n"
    }
  }

  /// Terms with their meanings in two columns; a long term has its meaning on the next line.
  mutating func section(_ title: String, _ rows: [(String, String)]) {
    if rows.isEmpty { return }
    text += "\n\(title):\n"
    let gutter = min(rows.map(\.0.count).max() ?? 0, columns / 3) + 4
    for (term, meaning) in rows {
      let lines = Self.wrap(meaning, columns - gutter, columns - gutter)
      let fits = term.count + 4 <= gutter
      text += "  " + term
      if !fits { text += "\n" }
      for (index, line) in lines.enumerated() {
        let used = index == 0 && fits ? term.count + 2 : 0
        text += String(repeating: " ", count: gutter - used) + line + "\n"
      }
    }
  }

  mutating func examples(_ examples: [Command.Example]) {
    if examples.isEmpty { return }
    text += "\nExamples:\n"
    for example in examples {
      // A command line is for copying: it stays one line, whatever the width.
      text += "  \(example.line)\n"
      paragraph(example.meaning, indent: 6)
    }
  }

  static func wrap(_ words: String, _ width: Int, _ firstWidth: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words.split(separator: " ") {
      let limit = lines.isEmpty ? firstWidth : width
      if !line.isEmpty && line.count + 1 + word.count > limit {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return lines + [line]
  }
}
