import Glibc
import SystemIO

/// What our mounts carry as their source: `custody:<pid>:<starttime>`, so that a mount whose owner
/// is dead can be told from one in use, even when the process id is taken again.
struct MountTag: Hashable, Sendable {
  let pid: Int32
  /// Clock ticks since boot (man 5 proc, field 22 of stat).
  let startTime: UInt64

  var text: String { "custody:\(pid):\(startTime)" }

  init(pid: Int32, startTime: UInt64) {
    self.pid = pid
    self.startTime = startTime
  }

  /// Reads a mount's source; nil for a mount that is not ours.
  init?(source: BytePath) {
    let parts = source.escaped.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "custody", let pid = Int32(parts[1]), pid > 0,
      let startTime = UInt64(parts[2])
    else { return nil }
    self.init(pid: pid, startTime: startTime)
  }

  /// The tag of a live process; nil when there is none or it is a zombie, whose descriptors are
  /// closed.
  init?(process pid: Int32) {
    guard let stat = try? FileSystem.contents(of: BytePath("/proc/\(pid)/stat")),
      // The command's name stands in brackets and may hold anything.
      let close = stat.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, fields[0] != [UInt8(ascii: "Z")],
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.init(pid: pid, startTime: startTime)
  }

  static let ownText = MountTag(process: getpid())?.text

  /// False when the owner is gone.
  var isOwnerAlive: Bool { MountTag(process: pid) == self }
}

extension MountTable.Entry {
  /// The tag when the mount is one of ours, of whatever process.
  var tag: MountTag? {
    isConnection || type == "tmpfs" ? MountTag(source: source) : nil
  }

  /// True for a mount with a connection that can be aborted; the folder of a rig's mount points
  /// has none, and its device number is no connection's.
  var isConnection: Bool { type == "fuse" || type.hasPrefix("fuse.") }
}

/// Mounts that others than a rig make.
public enum OwnMounts {
  /// What such a mount is to carry as its source (fsname), so that the next rig takes it away if
  /// this process dies; nil where /proc does not tell.
  public static var source: String? { MountTag.ownText }
}
