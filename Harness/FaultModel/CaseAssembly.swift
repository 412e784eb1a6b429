import SystemIO

/// The words of steps and expectations.
enum StepWord: String, CaseIterable {
  case given, run, disarm, expect
}

/// Collects the lines of one case.
struct CaseAssembly {
  let title: String
  let line: Int
  private var preamble: PreambleAssembly
  private var statements: [Statement] = []
  private var references: CaseReferences
  private var ruleCount = 0
  /// The run that expectations now belong to, 0 before the first.
  private var runCount = 0
  private var hasVerdict = false
  private var hasExpectation = false
  /// The last statement that an explicit run must still follow.
  private var pending: Lexer.Word?
  private var expectationBeforeRun: Lexer.Word?

  init(title: String, place: Lexer.Word, line: Int, preamble: Preamble) {
    self.title = title
    self.line = line
    self.preamble = PreambleAssembly(over: preamble)
    references = CaseReferences(title: place)
  }

  mutating func override(
    _ word: PreambleWord, _ first: Lexer.Word, _ reader: inout StatementReader
  ) throws(ScriptError) {
    guard let persona = try preamble.take(word, first, &reader) else { return }
    references.personas.append(persona)
  }

  mutating func take(_ line: Lexer.Line, _ reader: inout StatementReader) throws(ScriptError) {
    let first = line.words[0]
    guard let step = StepWord(rawValue: first.text) else {
      try rule(line, &reader)
      return
    }
    _ = try reader.next([])
    switch step {
    case .given:
      let given = try given(&reader)
      references.givens.append(first)
      statements.append(.given(given))
      pending = first
    case .run: try run(first, &reader)
    case .disarm:
      statements.append(.disarm)
      pending = first
    case .expect: try expect(first, &reader)
    }
  }

  // MARK: Steps

  private mutating func run(
    _ first: Lexer.Word, _ reader: inout StatementReader
  ) throws(ScriptError) {
    if let early = expectationBeforeRun {
      throw reader.lexer.error(early, "an expectation stands behind the run that it judges")
    }
    runCount += 1
    hasVerdict = false
    pending = nil
    if reader.takes("two") {
      try reader.expect("at", "once")
      statements.append(.runTwoAtOnce)
      return
    }
    var arguments: [BytePath] = []
    if reader.peek != nil {
      let bytes = try reader.string()
      arguments = bytes.split(separator: UInt8(ascii: " ")).compactMap { BytePath(Array($0)) }
    }
    statements.append(.run(arguments: arguments))
  }

  private mutating func given(_ reader: inout StatementReader) throws(ScriptError) -> Given {
    let (volume, place) = try reader.name("volume")
    references.volumes.append(PlacedName(name: volume, word: place))
    let pathWord = reader.peek ?? place
    let (path, isFolder) = try reader.treePath()
    var given = Given(volume: volume, path: path, isDirectory: isFolder, line: place.line)
    let known = ["bytes", "mtime", "link", "symlink", "fifo", "mode"]
    while let word = reader.peek {
      guard known.contains(word.text) else { throw reader.unknown(word, "word of a given", known) }
      _ = try reader.next([])
      try givenPart(word, &given, &reader)
    }
    let kinds = [given.bytes != nil, given.hardLink != nil, given.symlink != nil, given.isFifo]
    guard kinds.count(where: { $0 }) <= (isFolder ? 0 : 1) else {
      throw reader.lexer.error(
        pathWord, isFolder ? "a folder has no bytes and is no link" : "one kind of entry only")
    }
    return given
  }

  private func givenPart(
    _ word: Lexer.Word, _ given: inout Given, _ reader: inout StatementReader
  ) throws(ScriptError) {
    switch word.text {
    case "bytes":
      try reader.once(given.bytes == nil, word)
      given.bytes = try givenBytes(&reader)
    case "mtime":
      try reader.once(given.modification == nil, word)
      given.modification = try modification(&reader)
    case "link":
      try reader.once(given.hardLink == nil, word)
      given.hardLink = try reader.treePath().path
    case "symlink":
      try reader.once(given.symlink == nil, word)
      let place = reader.peek ?? word
      guard let text = BytePath(try reader.string()), !text.bytes.isEmpty else {
        throw reader.lexer.error(place, "a symbolic link needs a text")
      }
      given.symlink = text
    case "fifo":
      try reader.once(!given.isFifo, word)
      given.isFifo = true
    default:
      try reader.once(given.mode == nil, word)
      let mode = try reader.next(["permission bits in octal, such as 0644"])
      guard let bits = Literals.octal(mode.bytes) else {
        throw reader.lexer.error(
          mode, "not permission bits", expected: ["three or four octal digits, such as 0644"])
      }
      given.mode = bits
    }
  }

  private func givenBytes(_ reader: inout StatementReader) throws(ScriptError) -> Given.Bytes {
    if reader.takes("same") { return .same }
    if reader.takes("different") { return .different }
    if reader.takes("like") { return .like(try reader.treePath().path) }
    let word = try reader.next(Expected.size)
    guard let size = Literals.size(word.bytes) else {
      throw reader.lexer.error(
        word, "not a size", expected: Expected.size + ["same", "different", "like \"PATH\""],
        near: NearWords.of(word.text, among: ["same", "different", "like"]))
    }
    return .count(size)
  }

  private func modification(
    _ reader: inout StatementReader
  ) throws(ScriptError) -> Given.Modification {
    if reader.takes("same") { return .same }
    let word = try reader.next(Expected.time + ["same"])
    guard let time = Literals.time(word.bytes) else {
      throw reader.lexer.error(word, "not a time", expected: Expected.time + ["same"])
    }
    return .at(time)
  }

  // MARK: Rules

  private mutating func rule(
    _ line: Lexer.Line, _ reader: inout StatementReader
  ) throws(ScriptError) {
    guard let effect = EffectWord(rawValue: line.words[0].text) else { return }
    let parsed = try reader.rule(effect)
    statements.append(
      .rule(
        Rule(
          id: ruleCount, line: line.number, text: line.statement, effect: parsed.effect,
          clauses: parsed.clauses)))
    ruleCount += 1
    pending = line.words[0]
    references.note(parsed, reader, line.words[0])
  }

  // MARK: Expectations

  private mutating func expect(
    _ first: Lexer.Word, _ reader: inout StatementReader
  ) throws(ScriptError) {
    let (expectation, names, destination) = try reader.expectation()
    references.failedNames += names
    if let destination { references.destinations.append(destination) }
    if case .warns = expectation {
    } else {
      if hasVerdict {
        throw reader.lexer.error(first, "this run has its verdict already; one for each run")
      }
      hasVerdict = true
    }
    hasExpectation = true
    if runCount == 0 { expectationBeforeRun = expectationBeforeRun ?? first }
    statements.append(.expect(expectation))
  }

  // MARK: End

  func finish(
    _ lexer: Lexer, before end: Int
  ) throws(ScriptError) -> (ScriptCase, CaseReferences) {
    guard hasExpectation, hasVerdict else {
      throw lexer.error(
        references.title,
        hasExpectation ? "the last run has no verdict" : "the case expects nothing",
        expected: ["expect verified", "or another verdict"])
    }
    if runCount > 0, let pending {
      throw lexer.error(pending, "this stands behind the last run and changes nothing")
    }
    var last = end
    while last > line + 1, isBlank(lexer.text(ofLine: last - 1)) { last -= 1 }
    let scriptCase = ScriptCase(
      title: title, line: line, text: lexer.text(ofLines: line..<last),
      preamble: preamble.preamble, statements: statements)
    try checkVolumes(scriptCase, lexer)
    return (scriptCase, references)
  }

  private func isBlank(_ line: String) -> Bool {
    let text = line.drop { $0 == " " || $0 == "\t" }
    return text.isEmpty || text.first == "#"
  }

  private func checkVolumes(_ scriptCase: ScriptCase, _ lexer: Lexer) throws(ScriptError) {
    let volumes = scriptCase.preamble.volumes
    let names = volumes.map(\.name)
    for needed in ["src", "dst"] where !names.contains(needed) {
      throw lexer.error(references.title, "the case has no volume '\(needed)'")
    }
    for volume in volumes {
      for other in [volume.inside, volume.alias?.volume].compactMap({ $0 })
      where !names.contains(other) {
        throw lexer.error(
          references.title, "volume '\(volume.name)' names '\(other)', which is none")
      }
    }
    let places =
      references.volumes + references.destinations
      + references.targets.map { PlacedName(name: $0.placed.target.volume, word: $0.placed.word) }
    for place in places where !names.contains(place.name) {
      throw lexer.error(
        place.word, "the case has no volume '\(place.name)'",
        expected: ["a volume: " + names.joined(separator: " ")],
        near: NearWords.of(place.name, among: names))
    }
    let destinations = scriptCase.preamble.destinations.map(\.name)
    for place in references.destinations where !destinations.contains(place.name) {
      throw lexer.error(
        place.word, "'\(place.name)' is no destination",
        expected: ["a destination: " + destinations.joined(separator: " ")])
    }
  }
}

extension CaseReferences {
  /// Keeps what a rule refers to.
  mutating func note(
    _ rule: ParsedRule, _ reader: StatementReader, _ first: Lexer.Word
  ) {
    let operations = rule.effect.operations
    for (index, placed) in reader.targets.enumerated() {
      targets.append((placed, index == 0 ? operations : []))
    }
    volumes += reader.volumes
    if case .crash(let volumes, let keep) = rule.effect {
      let needsLog = keep.needsLog || rule.clauses.atEveryOperation
      crashes.append((volumes, needsLog, first))
    }
  }
}

extension Preamble {
  /// What goes to the subject: volumes named `dst`, `dst2`, `dst3`, ..., in that order.
  public var destinations: [VolumeSpec] {
    volumes.compactMap { volume -> (Int, VolumeSpec)? in
      guard volume.name.hasPrefix("dst") else { return nil }
      let rest = volume.name.dropFirst(3)
      if rest.isEmpty { return (1, volume) }
      guard let number = Int(rest), number > 1, String(number) == rest else { return nil }
      return (number, volume)
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

extension Effect {
  /// The operations that the effect strikes; none for effects on a volume, a name or the subject.
  public var operations: [Operation] {
    switch self {
    case .fail(let operations, _, _, _, _), .drop(let operations, _), .lose(let operations, _),
      .delay(let operations, _, _), .hang(let operations, _, _):
      Operation.allCases.filter(operations.contains)
    case .short(.read, _, _), .corrupt(.read, _, _): [.read]
    case .short(.write, _, _), .corrupt(.write, _, _), .tornWrite, .misdirectWrite: [.write]
    case .short(.copyrange, _, _): [.copyrange]
    case .stale(let operation, _, _): [operation]
    case .swapInode, .hide, .duplicate, .full, .readOnly, .eject, .insert, .remount, .crash,
      .change, .report, .killSubject, .terminateSubject, .stopSubject, .limitSubject, .clock:
      []
    }
  }
}
