import Glibc
import SystemIO

/// The user whom everything on the volumes belongs to: the rig's own, unless its runner names the
/// one that the subject runs as. With such a user the kernel checks modes.
enum VolumeOwner {
  /// The variable by which a runner tells its rig: `uid:gid`.
  static let variable = "CUSTODY_VOLUME_OWNER"

  private static let named: (user: UInt32, group: UInt32)? = {
    guard let parts = Environment.value(variable)?.utf8?.split(separator: ":"), parts.count == 2,
      let user = UInt32(parts[0]), let group = UInt32(parts[1])
    else { return nil }
    return (user, group)
  }()

  static let ids: (user: UInt32, group: UInt32) = named ?? (getuid(), getgid())

  /// Root passes through mode bits, so that only others gain by a kernel that looks at them.
  static var needsModes: Bool { named != nil || getuid() != 0 }
}
