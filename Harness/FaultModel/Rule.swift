/// One armed effect with the clauses that say when it strikes.
public struct Rule: Sendable {
  /// The ordinal of the rule within its case, from 0: the key of its fired count.
  public let id: Int
  /// The line in the script, from 1.
  public let line: Int
  /// The rule as written, comments and indentation removed.
  public let text: String
  public let effect: Effect
  public let clauses: Clauses

  public init(id: Int, line: Int, text: String, effect: Effect, clauses: Clauses) {
    self.id = id
    self.line = line
    self.text = text
    self.effect = effect
    self.clauses = clauses
  }
}

/// When a rule strikes. All that are set must hold (FaultScripts/README.md).
public struct Clauses: Hashable, Sendable {
  /// The n-th matching operation, counted for each (rule, inode), from 1.
  public var nth: Int?
  /// Each n-th matching operation, counted for each (rule, inode).
  public var every: Int?
  /// Bytes at or after this offset; a `fail` is cut there.
  public var from: UInt64?
  /// Only requests that touch these bytes.
  public var range: ByteRange?
  /// After this many bytes were written to (or read from) the file or volume.
  public var afterBytes: UInt64?
  /// Only reads that follow an eviction of the page cache.
  public var afterEviction = false
  /// At this share of the bytes (decision 13).
  public var percent: Int?
  public var atEveryOperation = false
  /// The n-th pass over the file or listing, from 1.
  public var pass: Int?
  public var by: Caller?
  /// The effect lands just before `second`, once `first` was seen.
  public var between: Between?
  public var timing: Timing?
  /// The probability of striking, from the case's seed.
  public var chance: Double?
  /// On a rename: the path is matched as the old or the new name.
  public var renameSide: RenameSide?
  /// The entry of a listing, from 1, `.` and `..` left out.
  public var entry: Int?
  /// The file whose progress a `percent` or phase is taken from.
  public var of: Target?
  public var repetition: Repetition?
  /// The rule need not fire.
  public var maybe = false

  public init() {}

  /// Who made the request.
  public enum Caller: Hashable, Sendable {
    case reader, writer
    case handle(Int)
  }

  /// Which name of a rename is matched.
  public enum RenameSide: String, Hashable, Sendable { case old, new }

  /// Two moments; the effect lands just before the second.
  public struct Between: Hashable, Sendable {
    public let first: Point
    public let second: Point

    public init(first: Point, second: Point) {
      self.first = first
      self.second = second
    }
  }

  /// Before or after a moment.
  public enum Timing: Hashable, Sendable {
    case before(Point)
    case after(Point)
  }

  /// How often a rule strikes; without it once for each inode.
  public enum Repetition: Hashable, Sendable {
    case once
    case times(Int)
    case always
  }
}

/// A moment in the life of a file or of the run.
public enum Point: Hashable, Sendable {
  case phase(Phase, of: Target?)
  case operation(Operation, Target?, nth: Int?)
}

/// What a file has gone through, inferred from requests (scripts.md decision 1); each may be
/// absent, in any order.
public enum Phase: String, CaseIterable, Sendable, Codable {
  case scan
  case firstData = "first-data"
  case synced
  case readback
  case named
  case complete
  case published
  case markerGone = "marker-gone"
  case dirSynced = "dir-synced"
  /// The subject's claim or exit, seen by the runner.
  case done
}
