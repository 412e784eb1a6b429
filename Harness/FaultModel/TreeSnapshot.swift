public import SystemIO

/// What stands on one layer of a volume at one moment, as oracles compare it.
public struct TreeSnapshot: Sendable, Equatable {
  /// Every entry below the root, by path; the root itself under the empty path.
  public var entries: [BytePath: TreeEntry]

  public init(entries: [BytePath: TreeEntry] = [:]) {
    self.entries = entries
  }

  public subscript(path: BytePath) -> TreeEntry? { entries[path] }

  /// Paths in byte order.
  public var paths: [BytePath] { entries.keys.sorted() }

  /// Regular files only, in byte order of their paths.
  public var files: [(path: BytePath, entry: TreeEntry)] {
    entries.filter { $0.value.kind == .file }.map { ($0.key, $0.value) }
      .sorted { $0.path < $1.path }
  }
}

/// One entry of a snapshot.
public struct TreeEntry: Sendable, Equatable {
  /// What sort of entry it is.
  public enum Kind: String, Sendable, Codable { case file, directory, symlink, fifo, other }

  public var kind: Kind
  public var byteCount: UInt64
  /// XXH3-128 of a file's bytes, 32 lower-case hex digits; empty for the others.
  public var digest: String
  /// Permission bits.
  public var mode: UInt16
  /// Nanoseconds since 1970.
  public var modification: Int64
  public var inode: UInt64
  /// A symbolic link's text.
  public var linkText: BytePath?
  /// The bytes of a file of at most `inlineLimit` bytes whose name begins with `inlinePrefix`;
  /// empty for every other entry.
  public var inlineBytes: [UInt8]

  /// The names whose bytes a snapshot carries: status markers, which oracles must read.
  public static let inlinePrefix = BytePath(".custody-status-")
  /// The longest file whose bytes a snapshot carries.
  public static let inlineLimit: UInt64 = 4096

  /// True when a snapshot must carry the bytes of a file with this name and size.
  public static func isInline(name: BytePath, byteCount: UInt64) -> Bool {
    byteCount <= inlineLimit && name.lastComponent.bytes.starts(with: inlinePrefix.bytes)
  }

  public init(
    kind: Kind, byteCount: UInt64 = 0, digest: String = "", mode: UInt16 = 0,
    modification: Int64 = 0, inode: UInt64 = 0, linkText: BytePath? = nil,
    inlineBytes: [UInt8] = []
  ) {
    self.kind = kind
    self.byteCount = byteCount
    self.digest = digest
    self.mode = mode
    self.modification = modification
    self.inode = inode
    self.linkText = linkText
    self.inlineBytes = inlineBytes
  }
}
