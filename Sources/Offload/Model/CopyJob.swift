public import SystemIO

/// What to copy, where to, and how.
public struct CopyJob: Sendable {
  /// Free space that a copy leaves, unless the job says otherwise.
  public static let defaultHeadroomByteCount: Int64 = 1_000_000_000

  /// The card or folder, an absolute path.
  public var source: BytePath
  /// Existing folders, absolute paths; the first one takes the report.
  public var destinations: [BytePath]
  public var mode: CopyMode
  /// Leaves out the second read of the source: a byte that was wrong on its only read stays
  /// unseen, and every report says so.
  public var readsSourceOnce: Bool
  /// Bytes that must stay free on each destination beyond the copy.
  public var headroomByteCount: Int64
  /// What is known of the volumes.
  public var facts: VolumeFactsProvider
  /// Files in flight; 1 runs everything on the caller's thread, nil chooses by the machine.
  public var workerCount: Int?
  /// What the report says of the program.
  public var engine: EngineIdentity

  public init(
    source: BytePath, destinations: [BytePath], mode: CopyMode = .standard,
    readsSourceOnce: Bool = false,
    headroomByteCount: Int64 = CopyJob.defaultHeadroomByteCount,
    facts: VolumeFactsProvider = VolumeFactsProvider(), workerCount: Int? = nil,
    engine: EngineIdentity = EngineIdentity()
  ) {
    self.source = source
    self.destinations = destinations
    self.mode = mode
    self.readsSourceOnce = readsSourceOnce
    self.headroomByteCount = headroomByteCount
    self.facts = facts
    self.workerCount = workerCount
    self.engine = engine
  }
}

/// The program that ran, for events and reports.
public struct EngineIdentity: Sendable, Hashable {
  public var name: String
  public var version: String
  public var build: String

  public init(name: String = "custody", version: String = "0.1.0", build: String = "") {
    self.name = name
    self.version = version
    self.build = build
  }
}
