import SystemIO

/// Empties the page cache before a measured step, so that a read is a read of the disk.
struct ColdCache {
  private let folder: BytePath

  /// How it is done on this machine.
  let method: String
  private let canDropAll: Bool

  /// - Parameters:
  ///   - folder: the work folder, whose files are evicted one by one without root.
  ///   - dropsAll: empty the machine's whole cache where that is allowed.
  init(folder: BytePath, dropsAll: Bool) {
    self.folder = folder
    guard dropsAll else {
      canDropAll = false
      method = "eviction of each file"
      return
    }
    do throws(SystemError) {
      try FileDescriptor.open(Self.dropPath, .writeOnly).close()
      canDropAll = true
      method = "drop_caches"
    } catch {
      canDropAll = false
      method = "eviction of each file"
    }
  }

  private static var dropPath: BytePath { "/proc/sys/vm/drop_caches" }

  /// Flushes the file system and empties the cache.
  func make() throws(BenchError) {
    try system { () throws(SystemError) in
      let directory = try PinnedDirectory.open(folder)
      try directory.descriptor.syncFileSystem()
      if canDropAll {
        let drop = try FileDescriptor.open(Self.dropPath, .writeOnly)
        try drop.writeAll(Array("3".utf8))
        try drop.close()
      } else {
        try Self.evict(directory)
      }
    }
  }

  private static func evict(_ directory: borrowing PinnedDirectory) throws(SystemError) {
    for entry in try directory.list() {
      switch entry.kind {
      case .directory: try evict(try directory.descend(entry.name))
      case .regular:
        let file = try directory.openFile(entry.name, .readOnly)
        _ = try PageCache.evict(file, alreadySynced: true)
      default: break
      }
    }
  }
}
