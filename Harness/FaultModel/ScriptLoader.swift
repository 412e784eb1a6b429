import SystemIO

/// Reads scripts and holds them against cards, personas and what works today: what passes here
/// can be run.
public struct ScriptLoader: Sendable {
  private let builder: TreeBuilder

  public init(cards: CardLibrary) {
    builder = TreeBuilder(cards: cards)
  }

  /// Shares the trees that a builder knows.
  public init(_ builder: TreeBuilder) {
    self.builder = builder
  }

  /// Parses and checks a script; the first thing that is wrong is thrown with its place.
  public func load(_ text: [UInt8], name: String) throws(ScriptError) -> Script {
    let parsed = try ScriptParser.parsed(text, name: name)
    try check(parsed.personas, parsed.lexer)
    for (scriptCase, references) in zip(parsed.script.cases, parsed.references) {
      try check(references.personas, parsed.lexer)
      try CaseCheck(
        scriptCase: scriptCase, references: references, lexer: parsed.lexer,
        builder: builder
      ).run()
    }
    return parsed.script
  }

  private func check(_ personas: [PlacedName], _ lexer: Lexer) throws(ScriptError) {
    for placed in personas where Persona.named(placed.name) == nil {
      throw lexer.error(
        placed.word, "unknown persona",
        expected: ["a persona: " + Persona.names.joined(separator: " ")],
        near: Persona.near(placed.name))
    }
  }
}

/// The checks of one case that need its planned trees.
struct CaseCheck {
  let scriptCase: ScriptCase
  let references: CaseReferences
  let lexer: Lexer
  let builder: TreeBuilder

  func run() throws(ScriptError) {
    let trees = try plannedTrees()
    let files = sourceFiles(trees)
    for (placed, operations) in references.targets {
      try checkTarget(placed, operations, trees, files)
    }
    for (name, word) in references.failedNames { try checkName(name, word, files) }
    try checkCapacity(trees)
    // Where states are tried one by one, every destination is set back for each.
    for crash in references.crashes where crash.needsLog {
      let backed = scriptCase.preamble.volumes.first {
        $0.store == .backed && ($0.name != "src" || crash.volumes.contains("src"))
      }
      if let backed {
        throw lexer.error(
          crash.word,
          "'\(backed.name)' is a backed store: only one crash, 'keep none' or 'keep all'")
      }
    }
  }

  /// All volumes with every `given` of the case, also those between runs.
  private func plannedTrees() throws(ScriptError) -> [String: PlannedTree] {
    do {
      var trees = try builder.trees(for: scriptCase)
      for given in scriptCase.givens.dropFirst(scriptCase.givensBeforeFirstRun) {
        try builder.apply(given, to: &trees, in: scriptCase.preamble)
      }
      return trees
    } catch {
      let word = references.givens.first { $0.line == error.line } ?? references.title
      throw lexer.error(word, error.message)
    }
  }

  /// Regular files of the source, those that `change add` makes included.
  private func sourceFiles(_ trees: [String: PlannedTree]) -> [BytePath: Content?] {
    var files: [BytePath: Content?] = [:]
    for (path, entry) in trees["src"]?.entries ?? [:] where entry.kind == .file {
      files[path] = entry.content
    }
    for rule in scriptCase.rules {
      guard case .change(let target, .add, _) = rule.effect, target.volume == "src" else {
        continue
      }
      switch target.subject {
      case .path(let path): files[path] = .some(nil)
      case .glob(let pattern): files[BytePath(pattern)] = .some(nil)
      default: break
      }
    }
    return files
  }

  private func checkTarget(
    _ placed: PlacedTarget, _ operations: [Operation], _ trees: [String: PlannedTree],
    _ files: [BytePath: Content?]
  ) throws(ScriptError) {
    switch placed.target.subject {
    case .content(let name): try checkContent(name, placed, operations, files)
    case .temporary, .marker:
      if placed.target.volume == "src" {
        throw lexer.error(placed.word, "a subject has no files of its own on the source")
      }
    case .path(let path): try checkSource([path], placed, trees, files)
    case .glob(let pattern):
      let glob = Glob(pattern)
      let paths = (trees["src"]?.paths ?? []) + files.keys
      let matching = glob.hasWildcards ? paths.filter { glob.matches($0) } : [BytePath(pattern)]
      try checkSource(matching, placed, trees, files)
    }
  }

  /// A rule on the source that strikes no entry of it can never fire.
  private func checkSource(
    _ paths: [BytePath], _ placed: PlacedTarget, _ trees: [String: PlannedTree],
    _ files: [BytePath: Content?]
  ) throws(ScriptError) {
    guard placed.target.volume == "src", paths != [""] else { return }
    let exists = paths.contains { trees["src"]?.entries[$0] != nil || files[$0] != nil }
    if !exists {
      throw lexer.error(
        placed.word, "the source has no such entry", near: nearPaths(paths.first, files))
    }
  }

  private func nearPaths(_ path: BytePath?, _ files: [BytePath: Content?]) -> [String] {
    guard let path else { return [] }
    return NearWords.of(path.escaped, among: files.keys.sorted().map(\.escaped))
  }

  private func checkContent(
    _ name: Target.ContentName, _ placed: PlacedTarget, _ operations: [Operation],
    _ files: [BytePath: Content?]
  ) throws(ScriptError) {
    if placed.target.volume == "src" {
      throw lexer.error(placed.word, "~ names a file on a destination, by the source file it gets")
    }
    let matching = files.filter { name.matches($0.key) }
    if matching.isEmpty {
      let path: BytePath =
        switch name {
        case .path(let path): path
        case .glob(let pattern): BytePath(pattern)
        }
      throw lexer.error(
        placed.word, "no source file is named so (the whole path stands behind ~)",
        near: nearPaths(path, files))
    }
    for (path, content) in matching {
      guard let content, content.byteCount > 0 else { continue }
      if operations.contains(where: \.comesBeforeContent) {
        throw lexer.error(
          placed.word, "before its first byte a file is not known by its content",
          expected: ["the final name", "<tmp#N>"])
      }
      if let twin = files.first(where: {
        $0.key != path && $0.value == content && matching[$0.key] == nil
      }) {
        throw lexer.error(
          placed.word, "\(path) and \(twin.key) hold the same bytes: ~ cannot tell them apart")
      }
    }
    if matching.count > 1, case .path = name {
      throw lexer.error(placed.word, "more than one source file is named so")
    }
  }

  private func checkName(
    _ name: Expectation.FileName, _ word: Lexer.Word, _ files: [BytePath: Content?]
  ) throws(ScriptError) {
    let matching = files.keys.filter { name.matches($0) }.sorted()
    guard !matching.isEmpty else {
      let names = files.keys.map(\.lastComponent.escaped)
      throw lexer.error(
        word, "no source file ends so", near: NearWords.of(word.text, among: Set(names)))
    }
    if matching.count > 1, case .suffix = name {
      throw lexer.error(
        word, "more than one source file ends so",
        expected: matching.prefix(4).map(\.escaped))
    }
  }

  private func checkCapacity(_ trees: [String: PlannedTree]) throws(ScriptError) {
    for volume in scriptCase.preamble.volumes {
      guard let capacity = volume.capacity, let tree = trees[volume.name] else { continue }
      let needed = tree.byteCount
      if needed > capacity {
        throw lexer.error(
          references.title,
          "volume '\(volume.name)' holds \(capacity) bytes and should hold \(needed)")
      }
    }
  }
}

extension PlannedTree {
  /// The bytes of all files, each inode once.
  public var byteCount: UInt64 {
    entries.values.reduce(0) { sum, entry in
      entry.hardLink == nil ? sum &+ (entry.content?.byteCount ?? 0) : sum
    }
  }
}
