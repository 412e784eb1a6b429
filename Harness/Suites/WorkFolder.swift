import FaultFS
import SystemIO

/// A folder of ours below TMPDIR. Its owner holds a lock on it, which ends with the process however
/// that dies: a folder that nobody holds was left behind.
struct WorkFolder: ~Copyable {
  let path: BytePath
  private let lock: FileDescriptor

  static let prefixes = ["custody-run-", "custody-replay-"]

  /// Makes one with a name that nobody had.
  ///
  /// - Parameter isOpen: another user finds its way through.
  static func make(_ prefix: String, isOpen: Bool = false) throws(SystemError) -> WorkFolder {
    let base = try Self.base()
    let place = try PinnedDirectory.open(base)
    while true {
      let name = BytePath(prefix + RandomID().text)
      let made = try place.makeDirectory(name, mode: isOpen ? 0o711 : 0o700, tolerant: false)
      let lock = try made.descriptor.duplicate()
      // Somebody who clears up may have been faster than our lock: it is gone then, or his.
      if try lock.tryLock(), try place.metadataIfPresent(of: name) != nil {
        return WorkFolder(path: base.appending(name), lock: lock)
      }
    }
  }

  /// Holds it no longer; it stays where it is.
  consuming func release() {}

  private static func base() throws(SystemError) -> BytePath {
    try FileSystem.resolve(Environment.value("TMPDIR") ?? BytePath("/tmp"))
  }

  /// True for a name that `make` gives, and no other: it must have the whole random part.
  static func isOurs(_ name: BytePath) -> Bool {
    prefixes.contains { prefix in
      name.bytes.starts(with: Array(prefix.utf8))
        && name.bytes.count == prefix.utf8.count + 32
        && name.bytes.dropFirst(prefix.utf8.count).allSatisfy {
          Character(UnicodeScalar($0)).isHexDigit
        }
    }
  }

  /// Detaches mounts of rigs that are gone, and removes folders whose owners are.
  ///
  /// - Returns: what was done, one line each.
  static func sweep() -> [String] {
    var done = DeadMounts.sweep().map { "detached \($0.escaped), a mount of a rig that is gone" }
    guard let base = try? base(), let place = try? PinnedDirectory.open(base),
      let entries = try? place.list()
    else { return done }
    for entry in entries where entry.kind == .directory {
      guard isOurs(entry.name),
        // Of another user, or somebody's own work.
        let folder = try? place.descend(entry.name),
        (try? folder.descriptor.tryLock()) == true
      else { continue }
      let path = base.appending(entry.name)
      // A rig that is ending its mounts still needs it.
      guard let table = try? MountTable.current(),
        !table.entries.contains(where: { $0.mountPoint.components.starts(with: path.components) }),
        (try? ScratchFolder.remove(path)) != nil
      else { continue }
      done.append("removed \(path.escaped), which a run that was killed had left")
    }
    return done
  }
}
