import Synchronization
import SystemIO

/// Computes what each volume holds before a run: a pure function of case, card and seed.
///
/// The rig fills its stores from it and the oracles take the truth from it, so that neither has
/// to trust the other.
public struct TreeBuilder: Sendable {
  public let cards: CardLibrary
  private let known = Known()

  public init(cards: CardLibrary) {
    self.cards = cards
  }

  /// The trees that were computed last: the schedules of an exploration share theirs. Copies of a
  /// builder share them too; a card is read once for as long as they are kept.
  private final class Known: Sendable {
    struct Key: Hashable {
      let card: CardChoice
      let seed: UInt64
      let volumes: [VolumeSpec]
      let givens: [Given]
    }

    private static let limit = 8
    private let trees = Mutex<[(key: Key, trees: [String: PlannedTree])]>([])

    func trees(_ key: Key) -> [String: PlannedTree]? {
      trees.withLock { held in held.last { $0.key == key }?.trees }
    }

    func keep(_ made: [String: PlannedTree], for key: Key) {
      trees.withLock { held in
        if held.count == Self.limit { held.removeFirst() }
        held.append((key, made))
      }
    }
  }

  /// Times of entries that no table names: 2026-07-10 08:00 UTC and, for `given`, 10:00 UTC.
  static let folderTime: Int64 = 1_783_670_400_000_000_000
  static let givenTime: Int64 = 1_783_677_600_000_000_000
  static let fileMode: UInt16 = 0o644
  static let folderMode: UInt16 = 0o755
  /// The size of a given file that says none.
  static let defaultSize: UInt64 = 64 << 10

  /// Every volume of the case, as it stands when the first run begins: the card in `src`, then the
  /// `given` steps before that run. Volumes that are another way to one (`= V`) have no tree.
  public func trees(for scriptCase: ScriptCase) throws(TreeError) -> [String: PlannedTree] {
    let key = key(of: scriptCase)
    if let held = known.trees(key) { return held }
    let trees = try made(for: scriptCase)
    known.keep(trees, for: key)
    return trees
  }

  /// The same where they are known already.
  public func known(for scriptCase: ScriptCase) -> [String: PlannedTree]? {
    known.trees(key(of: scriptCase))
  }

  private func key(of scriptCase: ScriptCase) -> Known.Key {
    let preamble = scriptCase.preamble
    return Known.Key(
      card: preamble.card, seed: preamble.seed, volumes: preamble.volumes,
      givens: Array(scriptCase.givens.prefix(scriptCase.givensBeforeFirstRun)))
  }

  private func made(for scriptCase: ScriptCase) throws(TreeError) -> [String: PlannedTree] {
    var trees: [String: PlannedTree] = [:]
    for volume in scriptCase.preamble.volumes where volume.alias == nil {
      trees[volume.name] = PlannedTree()
    }
    var card = try cardTree(scriptCase.preamble)
    let persona = scriptCase.preamble.persona(of: "src")
    try card.settle(card.paths, on: persona, line: nil)
    trees["src"] = card
    for given in scriptCase.givens.prefix(scriptCase.givensBeforeFirstRun) {
      try apply(given, to: &trees, in: scriptCase.preamble)
    }
    return trees
  }

  /// The tree of the card alone.
  func cardTree(_ preamble: Preamble) throws(TreeError) -> PlannedTree {
    var tree = PlannedTree()
    switch preamble.card {
    case .empty: break
    case .named(let name):
      let layout: CardLayout
      do {
        layout = try cards.card(named: name)
      } catch {
        throw TreeError(line: nil, message: error.description)
      }
      for entry in layout.entries {
        tree.add(
          entry.path, bytes: entry.byteCount, modification: entry.modification,
          seed: preamble.seed)
      }
    case .random(let files, let smallest, let largest, let seed):
      var random = SplitMix(seed: seed)
      for index in 0..<files {
        let size = smallest + random.next(below: largest - smallest + 1)
        let path = BytePath("D\(Self.padded(index / 8, 2))/F\(Self.padded(index, 4)).BIN")
        let time = Self.folderTime + Int64(index) * 61_000_000_000
        tree.add(path, bytes: size, modification: time, seed: preamble.seed)
      }
    }
    return tree
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// Carries out one `given`, before or between runs.
  public func apply(
    _ given: Given, to trees: inout [String: PlannedTree], in preamble: Preamble
  ) throws(TreeError) {
    guard var tree = trees[given.volume] else {
      throw TreeError(line: given.line, message: "there is no volume '\(given.volume)'")
    }
    let source = trees["src"] ?? PlannedTree()
    let twin = source.entries[given.path]
    var entry = try kind(of: given, in: tree, source: source, seed: preamble.seed)
    switch given.modification {
    case .at(let time): entry.modification = time
    case .same:
      guard let twin else { throw Self.noTwin(given) }
      entry.modification = twin.modification
    case nil: break
    }
    if let mode = given.mode { entry.mode = mode }
    try tree.addParents(of: given.path, line: given.line)
    if let old = tree.entries[given.path], old.kind == .directory, entry.kind != .directory,
      tree.hasEntries(below: given.path)
    {
      throw TreeError(line: given.line, message: "a folder that is not empty stands there")
    }
    tree.entries[given.path] = entry
    try tree.settle(
      given.path.withParents, on: preamble.persona(of: given.volume), line: given.line)
    trees[given.volume] = tree
  }

  private static func noTwin(_ given: Given) -> TreeError {
    TreeError(line: given.line, message: "the source has no file \(given.path)")
  }

  private func kind(
    of given: Given, in tree: PlannedTree, source: PlannedTree, seed: UInt64
  ) throws(TreeError) -> PlannedEntry {
    let old = tree.entries[given.path]
    if given.isDirectory {
      if let old, old.kind == .directory { return old }
      return PlannedEntry(
        kind: .directory, mode: Self.folderMode, modification: Self.givenTime)
    }
    if given.isFifo {
      return PlannedEntry(kind: .fifo, mode: Self.fileMode, modification: Self.givenTime)
    }
    if let text = given.symlink {
      return PlannedEntry(
        kind: .symlink, mode: 0o777, modification: Self.givenTime, linkText: text)
    }
    if let target = given.hardLink {
      guard var twin = tree.entries[target], twin.kind == .file else {
        throw TreeError(line: given.line, message: "no file \(target) stands there to link")
      }
      twin.hardLink = twin.hardLink ?? target
      return twin
    }
    if given.bytes == nil, let old, old.kind == .file { return old }
    let content = try content(of: given, source: source, seed: seed)
    return PlannedEntry(
      kind: .file, content: content, mode: Self.fileMode, modification: Self.givenTime)
  }

  private func content(
    of given: Given, source: PlannedTree, seed: UInt64
  ) throws(TreeError) -> Content {
    let own = Content.Key(seed: seed, volume: given.volume, path: given.path.bytes)
    switch given.bytes {
    case nil: return Content(key: own, byteCount: Self.defaultSize)
    case .count(let count): return Content(key: own, byteCount: count)
    case .same:
      guard let twin = source.entries[given.path]?.content else { throw Self.noTwin(given) }
      return twin
    case .different:
      guard let twin = source.entries[given.path]?.content else { throw Self.noTwin(given) }
      return given.volume == "src"
        ? twin.different(0) : Content(key: own, byteCount: twin.byteCount)
    case .like(let path):
      guard let twin = source.entries[path]?.content else {
        throw TreeError(line: given.line, message: "the source has no file \(path)")
      }
      return twin
    }
  }
}

/// A tree that cannot be built as the script says.
public struct TreeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The script's line; nil when the card is at fault.
  public let line: Int?
  public let message: String

  public var description: String { line.map { "line \($0): \(message)" } ?? message }
}

extension PlannedTree {
  mutating func add(_ path: BytePath, bytes: UInt64?, modification: Int64, seed: UInt64) {
    addParents(of: path)
    let content = bytes.map {
      Content(key: Content.Key(seed: seed, volume: "src", path: path.bytes), byteCount: $0)
    }
    entries[path] = PlannedEntry(
      kind: content == nil ? .directory : .file, content: content,
      mode: content == nil ? TreeBuilder.folderMode : TreeBuilder.fileMode,
      modification: modification)
  }

  private mutating func addParents(of path: BytePath) {
    var folder = path.parent
    while let next = folder, entries[next] == nil {
      entries[next] = PlannedEntry(
        kind: .directory, mode: TreeBuilder.folderMode, modification: TreeBuilder.folderTime)
      folder = next.parent
    }
  }

  mutating func addParents(of path: BytePath, line: Int) throws(TreeError) {
    var folder = path.parent
    while let next = folder {
      if let entry = entries[next], entry.kind != .directory {
        throw TreeError(line: line, message: "\(next) is no folder")
      }
      folder = next.parent
    }
    addParents(of: path)
  }

  func hasEntries(below path: BytePath) -> Bool {
    let prefix = path.bytes + [UInt8(ascii: "/")]
    return entries.keys.contains { $0.bytes.starts(with: prefix) }
  }
}

/// SplitMix64: the generator of random trees (version 1, golden values in FaultModelTests).
public struct SplitMix: Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }

  /// A number below `bound`; the same bound always takes one draw.
  public mutating func next(below bound: UInt64) -> UInt64 {
    bound == 0 ? 0 : next().multipliedFullWidth(by: bound).high
  }
}

extension BytePath {
  /// The path and every folder above it, below the root.
  var withParents: [BytePath] {
    var paths = [self]
    while let parent = paths[paths.count - 1].parent { paths.append(parent) }
    return paths
  }
}
