public import SystemIO

/// What a volume holds before a run, computed from a card and the `given` steps: the rig builds
/// its store from it, and the oracles take the truth from it.
public struct PlannedTree: Sendable, Equatable {
  /// Every entry below the root, by path; folders before what is in them when sorted.
  public var entries: [BytePath: PlannedEntry]

  public init(entries: [BytePath: PlannedEntry] = [:]) {
    self.entries = entries
  }

  public var paths: [BytePath] { entries.keys.sorted() }
}

/// A file, folder or other entry of a planned tree.
public struct PlannedEntry: Sendable, Equatable {
  public var kind: TreeEntry.Kind
  /// A file's bytes; nil for the other kinds.
  public var content: Content?
  /// Permission bits.
  public var mode: UInt16
  /// Nanoseconds since 1970.
  public var modification: Int64
  public var linkText: BytePath?
  /// Another path of the same volume that is the same inode.
  public var hardLink: BytePath?

  public init(
    kind: TreeEntry.Kind, content: Content? = nil, mode: UInt16, modification: Int64,
    linkText: BytePath? = nil, hardLink: BytePath? = nil
  ) {
    self.kind = kind
    self.content = content
    self.mode = mode
    self.modification = modification
    self.linkText = linkText
    self.hardLink = hardLink
  }
}
