import FaultModel
import SystemIO

/// The smallest change of a volume that a power cut may leave or lose by itself.
struct MicroOperation {
  let kind: Kind
  /// Changes of one request share a number: a rename's two entries are one where the file system
  /// has a journal.
  let group: Int64
  /// When it happened, on the recorder's own clock.
  let moment: Int
  /// When a barrier made it durable.
  var durableAt = Int.max
  /// When it was decided that it never becomes durable.
  var lostAt = Int.max
  /// Attributes that go with it: of the inode, or of the entry's folder.
  let attributes: FileState?

  enum Kind {
    /// Bytes of a file; they show as far as the file's size goes.
    case data(NodeID, Extent)
    case size(NodeID, UInt64)
    /// The file is no longer than this.
    case cut(NodeID, UInt64)
    /// An entry of a folder; nil takes it away.
    case entry(folder: NodeID, key: BytePath, DirectoryEntry?)
    case attributes(NodeID)
  }

  /// The inode whose fsync makes it durable; nil for an entry.
  var inode: NodeID? {
    switch kind {
    case .data(let node, _), .size(let node, _), .cut(let node, _), .attributes(let node): node
    case .entry: nil
    }
  }

  var isData: Bool { if case .data = kind { true } else { false } }

  /// Part of the metadata that a journal keeps in order. Sizes are for themselves: they wait for
  /// their data.
  var isJournalled: Bool {
    switch kind {
    case .entry, .attributes: true
    case .data, .size, .cut: false
    }
  }

  /// A power cut at `time` may leave it or lose it.
  func isPending(at time: Int) -> Bool {
    moment <= time && durableAt > time && lostAt > time
  }
}

/// Bytes that one write brought.
final class Extent {
  let offset: UInt64
  let count: UInt64
  /// nil: zeros.
  let bytes: SharedBytes?
  /// Ranges of it that never become durable.
  var lost: [ByteRange] = []
  /// It began at or behind the file's end, so that nobody sees it without its size.
  let isAppended: Bool

  init(_ bytes: SharedBytes, isAppended: Bool) {
    offset = bytes.offset
    count = UInt64(bytes.count)
    self.bytes = bytes
    self.isAppended = isAppended
  }

  init(zeros range: ByteRange) {
    offset = range.offset
    count = range.count
    bytes = nil
    isAppended = false
  }

  /// The first bytes of another one.
  init(_ other: Extent, first count: UInt64) {
    offset = other.offset
    isAppended = other.isAppended
    self.count = count
    bytes = other.bytes
    lost = other.lost
  }

  var end: UInt64 { offset + count }
}
