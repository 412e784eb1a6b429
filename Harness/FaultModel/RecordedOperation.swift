public import SystemIO

/// One request of a run that a rule can strike alone, with the words that name it and what the rig
/// knew of it: exploration plans its faults from these.
public struct RecordedOperation: Sendable, Hashable {
  /// The operation as a rule names it; `setattr.times` rather than `setattr` where it sets nothing
  /// else.
  public var operation: Operation
  public var target: Target
  /// The n-th match of a rule with this operation and target, for its inode, from 1.
  public var nth: Int
  /// As `nth`, for a point (`before OP TARGET nth N`), which does not ask who closes a file.
  public var pointNth: Int
  /// The close of a file that was opened to be read.
  public var byReader: Bool
  /// An earlier request answers to the same words: a rule strikes this one alone only behind
  /// another moment.
  public var isShadowed: Bool
  /// That moment, as a clause: `after mkdir dst:"A" nth 1`, with no request between that answers
  /// to the same words.
  public var anchor: String?
  /// The n-th caller thread of the case, from 1.
  public var thread: Int
  public var kind: Kind
  /// What the inode holds; nil for a name that is free.
  public var entry: TreeEntry.Kind?
  /// The file's phases so far, by name, in order of the alphabet.
  public var phases: [String]
  /// The bytes that were asked for.
  public var range: ByteRange?
  /// The file's whole size: of the source file that it is or receives, else what it holds.
  public var byteCount: UInt64
  /// Bytes or entries of the answer; nil for an operation without.
  public var answered: Int?
  public var errno: Errno?
  public var traits: Traits
  /// Names that were listed, as paths below the root.
  public var listed: [BytePath]
  /// The n-th listing of the folder, or pass over the file, from 1; 0 where it is neither.
  public var pass: Int
  /// Rules of the case that had struck by then, or struck this request.
  public var struck: [Int]

  /// What sort of thing it was done on.
  public enum Kind: String, Sendable, Hashable {
    case root, folder
    /// A file of the card, on the source or under its final name or identity.
    case file
    case temporary, marker, report
    /// A name that nothing has.
    case free
    case other
  }

  /// What the state of the volume allows.
  public struct Traits: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// An answer from before the last change would be another one.
    public static let hasPast = Traits(rawValue: 1)
    /// A barrier would make something durable.
    public static let hasUnsynced = Traits(rawValue: 2)
    /// It changes what stands there.
    public static let changes = Traits(rawValue: 4)
    /// The inode has a name.
    public static let isNamed = Traits(rawValue: 8)
  }

  public init(
    operation: Operation, target: Target, nth: Int, pointNth: Int, byReader: Bool,
    isShadowed: Bool, thread: Int, kind: Kind, entry: TreeEntry.Kind?, phases: [String],
    range: ByteRange?, byteCount: UInt64, answered: Int?, errno: Errno?, traits: Traits,
    listed: [BytePath], pass: Int, struck: [Int]
  ) {
    self.operation = operation
    self.target = target
    self.nth = nth
    self.pointNth = pointNth
    self.byReader = byReader
    self.isShadowed = isShadowed
    self.thread = thread
    self.kind = kind
    self.entry = entry
    self.phases = phases
    self.range = range
    self.byteCount = byteCount
    self.answered = answered
    self.errno = errno
    self.traits = traits
    self.listed = listed
    self.pass = pass
    self.struck = struck
  }

  /// The words behind a rule's effect that make it strike this request and no other.
  public var clauses: String {
    (anchor.map { "nth 1 once \($0)" } ?? "nth \(nth) once") + (byReader ? " by reader" : "")
  }

  /// The moment right before the request, or one before it with nothing between, as a clause.
  public var moment: String { anchor ?? "before \(point)" }

  /// The request as a moment.
  public var point: String { "\(operation.rawValue) \(target.text) nth \(pointNth)" }
}
