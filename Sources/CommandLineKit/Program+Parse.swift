import SystemIO

/// What a command line asks for.
public enum Invocation: Sendable {
  /// Print this text and exit 0.
  case text(String)
  /// Run the command of this name with these values.
  case run(Command, Arguments)
}

extension Program {
  /// Reads the arguments after the program's name.
  ///
  /// Options may stand before, between and after positional arguments; `--` ends them. Only an
  /// option that repeats may be given twice. A value that begins with two dashes needs the form
  /// `--name=VALUE`, so that a forgotten value never swallows the next option. Throws `UsageError`
  /// with near names for what it does not know.
  ///
  /// - Parameter columns: The width for help texts.
  public func parse(_ arguments: [[UInt8]], columns: Int = 80) throws(UsageError) -> Invocation {
    guard let first = arguments.first else { return .text(help(columns: columns)) }
    switch first.word {
    case "--help", "-h": return .text(help(columns: columns))
    case "help":
      guard let name = arguments.dropFirst().first else { return .text(help(columns: columns)) }
      return .text(help(of: try command(named: name), columns: columns))
    case "--version": return .text(version + "\n")
    default: break
    }
    let command = try command(named: first)
    let rest = arguments.dropFirst()
    let options = rest.prefix { $0.word != "--" }
    if options.contains(where: { $0.word == "--help" || $0.word == "-h" }) {
      return .text(help(of: command, columns: columns))
    }
    return .run(command, try command.parse(Array(rest), of: name))
  }

  private func command(named bytes: [UInt8]) throws(UsageError) -> Command {
    if let command = commands.first(where: { Array($0.name.utf8) == bytes }) { return command }
    let shown = commands.filter { !$0.isHidden }.map(\.name)
    let what = bytes.first == UInt8(ascii: "-") ? "option" : "command"
    throw UsageError(
      "\(name): unknown \(what) \(bytes.quoted)",
      remedy: NearNames.remedy(for: bytes, among: shown + ["help", "--help", "--version"])
        ?? "The commands are \(shown.joined(separator: ", ")); see \(name) --help")
  }
}

extension Command {
  /// Reads the arguments after the verb; see `Program.parse`.
  public func parse(_ arguments: [[UInt8]], of program: String) throws(UsageError) -> Arguments {
    var result = Arguments()
    var positionals: [[UInt8]] = []
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument.word == "--" {
        positionals += arguments[index...]
        break
      }
      if argument.first != UInt8(ascii: "-") || argument.count == 1 {
        positionals.append(argument)
        continue
      }
      let equals = argument.firstIndex(of: UInt8(ascii: "="))
      let name = Array(argument[..<(equals ?? argument.endIndex)])
      guard let row = parameters.first(where: { !$0.isPositional && Array($0.name.utf8) == name })
      else { throw unknown(name, of: program) }
      var value = equals.map { Array(argument[($0 + 1)...]) }
      if !row.isFlag && value == nil && index < arguments.count
        && !arguments[index].starts(with: [0x2d, 0x2d])
      {
        value = arguments[index]
        index += 1
      }
      try take(value, for: row, into: &result, of: program)
    }
    try place(positionals, into: &result, of: program)
    for row in parameters where row.isRequired && result.values[row.name] == nil {
      throw UsageError(
        "\(program) \(self.name): \(row.isPositional ? "argument" : "option") \(row.name) is missing",
        remedy: usage(of: program))
    }
    return result
  }

  private func take(
    _ value: [UInt8]?, for row: ParameterRow, into result: inout Arguments, of program: String
  ) throws(UsageError) {
    if row.isFlag && value != nil {
      throw UsageError("\(program) \(name): \(row.name) takes no value")
    }
    guard let value = row.isFlag ? [] : value else {
      throw UsageError(
        "\(program) \(name): \(row.name) needs a value",
        remedy: "Write \(row.name) \(row.valueName ?? "VALUE")")
    }
    if result.values[row.name] != nil && !row.repeats && !row.isFlag {
      throw UsageError("\(program) \(name): \(row.name) is given twice")
    }
    if let bad = row.check(value) {
      throw UsageError("\(program) \(name): \(row.name): \(value.quoted) \(bad.complaint)")
    }
    result.values[row.name, default: []].append(value)
  }

  private func place(
    _ positionals: [[UInt8]], into result: inout Arguments, of program: String
  ) throws(UsageError) {
    var rows = parameters.filter(\.isPositional)[...]
    for value in positionals {
      guard let row = rows.first else {
        throw UsageError(
          "\(program) \(name): unexpected argument \(value.quoted)", remedy: usage(of: program))
      }
      if let bad = row.check(value) {
        throw UsageError("\(program) \(name): \(row.name): \(value.quoted) \(bad.complaint)")
      }
      result.values[row.name, default: []].append(value)
      if !row.repeats { rows = rows.dropFirst() }
    }
  }

  private func unknown(_ option: [UInt8], of program: String) -> UsageError {
    let names = parameters.filter { !$0.isPositional && !$0.isHidden }.map(\.name)
    return UsageError(
      "\(program) \(name): unknown option \(option.quoted)",
      remedy: NearNames.remedy(for: option, among: names + ["--help"])
        ?? "See \(program) \(name) --help")
  }
}

extension NearNames {
  static func remedy(for bytes: [UInt8], among names: [String]) -> String? {
    let near = of(String(decoding: bytes, as: UTF8.self), among: names)
    return near.isEmpty ? nil : "Did you mean \(near.joined(separator: " or "))?"
  }
}

extension [UInt8] {
  /// The argument as text for comparing with the words of a table; nil when it is no UTF-8.
  var word: String? { String(validating: self, as: UTF8.self) }

  /// The argument for a message: quoted, controls and other bytes escaped.
  var quoted: String {
    let parts = split(separator: 0, omittingEmptySubsequences: false)
    return "'\(parts.compactMap { BytePath(Array($0))?.escaped }.joined(separator: "\\x00"))'"
  }
}
