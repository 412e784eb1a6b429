public import SystemIO

/// A parsed fault script.
public struct Script: Sendable {
  /// The file's name without its extension, as in case ids: `exfat`.
  public let name: String
  /// The whole text, so that a replay file can hold it.
  public let text: String
  public let preamble: Preamble
  public let cases: [ScriptCase]
  public let explorations: [ExplorationLine]

  public init(
    name: String, text: String, preamble: Preamble, cases: [ScriptCase],
    explorations: [ExplorationLine]
  ) {
    self.name = name
    self.text = text
    self.preamble = preamble
    self.cases = cases
    self.explorations = explorations
  }
}

/// One case: its overrides already merged with the script's preamble.
public struct ScriptCase: Sendable {
  public let title: String
  /// The line of the `case` word, from 1.
  public let line: Int
  /// The lines of the case as written, for replay files.
  public let text: String
  /// The script's preamble with the case's own lines laid over it.
  public let preamble: Preamble
  /// Everything else, in the order written.
  public let statements: [Statement]

  public init(
    title: String, line: Int, text: String, preamble: Preamble, statements: [Statement]
  ) {
    self.title = title
    self.line = line
    self.text = text
    self.preamble = preamble
    self.statements = statements
  }

  /// The rules of the case, by id.
  public var rules: [Rule] {
    statements.compactMap { if case .rule(let rule) = $0 { rule } else { nil } }
  }

  /// The `given` steps in order; an index in here is a step's ordinal.
  public var givens: [Given] {
    statements.compactMap { if case .given(let given) = $0 { given } else { nil } }
  }

  /// How many `given` steps stand before the first run: the trees hold these from the start.
  public var givensBeforeFirstRun: Int {
    let untilRun = statements.prefix {
      switch $0 {
      case .run, .runTwoAtOnce: false
      default: true
      }
    }
    return untilRun.count { if case .given = $0 { true } else { false } }
  }
}

/// One line of a case that is no preamble.
public enum Statement: Sendable {
  case given(Given)
  /// Arguments that are appended to the subject's default verb.
  case run(arguments: [BytePath])
  case runTwoAtOnce
  case disarm
  case rule(Rule)
  case expect(Expectation)
}

/// What stands in force before a case begins.
public struct Preamble: Sendable {
  public var card: CardChoice
  public var volumes: [VolumeSpec]
  public var modes: [Mode]
  public var seed: UInt64
  /// Bytes that must stay free on a destination; 0 unless said.
  public var headroom: UInt64

  public init(
    card: CardChoice = .empty, volumes: [VolumeSpec] = [], modes: [Mode] = [.standard],
    seed: UInt64 = 20_260_711, headroom: UInt64 = 0
  ) {
    self.card = card
    self.volumes = volumes
    self.modes = modes
    self.seed = seed
    self.headroom = headroom
  }
}

/// What fills the source.
public enum CardChoice: Hashable, Sendable {
  case named(String)
  case empty
  case random(files: Int, smallest: UInt64, largest: UInt64, seed: UInt64)
}

/// How a subject verifies, as `custody copy --mode` takes it.
public enum Mode: String, CaseIterable, Sendable, Codable {
  case quick, standard, thorough, paranoid
}

/// A volume as its line declares it.
public struct VolumeSpec: Hashable, Sendable {
  public let name: String
  public var persona: String
  /// Bytes; nil for no limit but memory's.
  public var capacity: UInt64?
  public var cache: CachePolicy
  /// The volume whose mount holds this one as a sibling root.
  public var inside: String?
  public var store: StoreKind
  /// `real`, or a facts name that overrides the persona's row.
  public var facts: String?
  public var noMmap: Bool
  public var barriers: Barriers?
  /// `= V`: no volume of its own but another way to `V`.
  public var alias: Alias?

  public init(
    name: String, persona: String = "posix-strict", capacity: UInt64? = nil,
    cache: CachePolicy = .none, inside: String? = nil, store: StoreKind = .memory,
    facts: String? = nil, noMmap: Bool = false, barriers: Barriers? = nil, alias: Alias? = nil
  ) {
    self.name = name
    self.persona = persona
    self.capacity = capacity
    self.cache = cache
    self.inside = inside
    self.store = store
    self.facts = facts
    self.noMmap = noMmap
    self.barriers = barriers
    self.alias = alias
  }

  /// Another way to a volume: the same tree under a second path.
  public struct Alias: Hashable, Sendable {
    public let volume: String
    public let by: Way?
    public let path: BytePath?

    /// How the second path leads there.
    public enum Way: String, Hashable, Sendable { case symlink, bind }

    public init(volume: String, by: Way?, path: BytePath?) {
      self.volume = volume
      self.by = by
      self.path = path
    }
  }
}

/// What the kernel may keep of a mount: nothing, pages, or pages over a medium that differs.
public enum CachePolicy: String, Sendable, Codable { case none, kernel, lying }

/// Where a volume keeps its bytes.
public enum StoreKind: String, Sendable, Codable { case memory, backed }

/// What an fsync orders before a power cut.
public enum Barriers: String, Sendable, Codable { case strict, weak, fat, apfs, ignored }

/// A file or folder that stands on a volume before the run or between runs.
public struct Given: Hashable, Sendable {
  public let volume: String
  /// Below the volume's root; a folder when `isDirectory`.
  public let path: BytePath
  public let isDirectory: Bool
  /// The line in the script, from 1.
  public let line: Int
  public var bytes: Bytes?
  public var modification: Modification?
  public var hardLink: BytePath?
  public var symlink: BytePath?
  public var isFifo: Bool
  public var mode: UInt16?

  public init(
    volume: String, path: BytePath, isDirectory: Bool, line: Int, bytes: Bytes? = nil,
    modification: Modification? = nil, hardLink: BytePath? = nil, symlink: BytePath? = nil,
    isFifo: Bool = false, mode: UInt16? = nil
  ) {
    self.volume = volume
    self.path = path
    self.isDirectory = isDirectory
    self.line = line
    self.bytes = bytes
    self.modification = modification
    self.hardLink = hardLink
    self.symlink = symlink
    self.isFifo = isFifo
    self.mode = mode
  }

  /// What a given file holds.
  public enum Bytes: Hashable, Sendable {
    case count(UInt64)
    /// As the source file of the same path.
    case same
    /// Same size as the source file of the same path, other bytes.
    case different
    /// As the source file of this path.
    case like(BytePath)
  }

  /// The modification time of a given entry.
  public enum Modification: Hashable, Sendable {
    case same
    /// Nanoseconds since 1970, UTC.
    case at(Int64)
  }
}

/// What a run must come to (scripts.md, "What the words of `expect` mean").
public enum Expectation: Hashable, Sendable {
  case verified
  case copied
  case failedAll(on: String?)
  case failedSome(on: String?)
  case failed([FileName], on: String?)
  case refused
  case recovery
  case sound
  case interrupted
  case incomplete
  /// May stand beside one of the others.
  case warns(String)
  case undetectable(String)

  /// A source file named by the end of its path, or by a pattern.
  public enum FileName: Hashable, Sendable {
    case suffix(BytePath)
    case glob(String)
  }
}

/// A line that asks for a sweep over faults; carried out with `--explore`.
public struct ExplorationLine: Hashable, Sendable {
  public let operations: Set<Operation>
  public let depth: Int
  public let line: Int

  public init(operations: Set<Operation>, depth: Int, line: Int) {
    self.operations = operations
    self.depth = depth
    self.line = line
  }
}
