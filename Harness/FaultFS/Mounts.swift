import CFuseShims
import Glibc
public import SystemIO

/// Our mounts as the kernel lists them, and the two ways to end one.
///
/// Nothing here resolves a path on a mount of ours: the state is read from mountinfo, and a detach
/// does not follow the last component.
enum Mounts {
  /// Detaches lazily what is mounted at a path. Blocks while the kernel writes back, so a mount
  /// that this process serves must be aborted before, or the call be made on another thread.
  ///
  /// - Returns: nil when it is gone.
  static func detach(_ mountPoint: BytePath) -> SystemError? {
    let code = mountPoint.withCString { ff_detach($0) }
    if code == 0 { return nil }
    let direct = SystemError(call: "umount2", errno: Errno(rawValue: code), path: mountPoint)
    guard code == EPERM else { return direct }
    do throws(SystemError) {
      // An ordinary user may end its own mounts by the set-uid helper only.
      var child = try ChildProcess.spawn(
        ChildProcess.Command(
          "/usr/bin/fusermount3",
          ["-u", "-q", "-z", "--"].map { Array($0.utf8) }
            + [mountPoint.bytes]))
      let status = try child.wait(timeout: .seconds(5))
      return status?.isSuccess == true ? nil : direct
    } catch {
      return error
    }
  }

  /// Mounts a folder for mount points that show in the mount namespaces of subjects, where that is
  /// allowed (root): without it an ejection does not show there.
  ///
  /// - Returns: true when it stands.
  static func makePlace(_ folder: BytePath, _ tag: MountTag) -> Bool {
    BytePath(tag.text).withCString { source in
      folder.withCString { ff_mount_place(source, $0) == 0 }
    }
  }

  /// Every mount whose source says that it is ours, of whatever process; none when the table
  /// cannot be read.
  static func tagged() -> [(entry: MountTable.Entry, tag: MountTag)] {
    guard let table = try? MountTable.current() else { return [] }
    return table.entries.compactMap { entry in entry.tag.map { (entry, $0) } }
  }

  /// Aborts the connections of a tag, so that no client hangs.
  ///
  /// An id is aborted only while mountinfo shows our tag with it, since the kernel gives ids out
  /// again at once.
  static func abort(_ tag: MountTag, _ control: FuseControl) {
    for (entry, found) in tagged() where found == tag && entry.isConnection {
      control.abort(connection: entry.deviceMinor)
    }
  }

  /// Detaches every mount of a tag whose connections are over: its owner is dead, or they were
  /// aborted. The last one is the uppermost: bind mounts of ours lie above.
  static func detachAll(_ tag: MountTag) {
    for (entry, found) in tagged().reversed() where found == tag {
      _ = detach(entry.mountPoint)
    }
  }

  /// Detaches mounts of ours whose owner is dead, and no others. The death has closed the
  /// connections, so that nothing is aborted here.
  ///
  /// - Returns: where they were.
  static func sweep() -> [BytePath] {
    let dead = tagged().filter { !$0.tag.isOwnerAlive }
    for tag in Set(dead.map(\.tag)) { detachAll(tag) }
    return dead.map(\.entry.mountPoint)
  }

  /// The mount of ours that a path lies on or is, by its text alone; nil when there is none.
  static func ours(holding path: BytePath) -> BytePath? {
    let wanted = path.components
    return tagged().filter(\.entry.isConnection).map(\.entry.mountPoint)
      .first { wanted.starts(with: $0.components) }
  }
}

/// Mounts of rigs that are gone, for whoever starts a run.
public enum DeadMounts {
  /// Detaches them, and no others.
  ///
  /// - Returns: where they were.
  public static func sweep() -> [BytePath] { Mounts.sweep() }
}

/// The kernel's control file system for FUSE connections.
final class FuseControl: Sendable {
  private let directory: FileDescriptor

  /// nil where an ordinary user finds it not mounted.
  init?() {
    let number = ff_control_open()
    guard number >= 0 else { return nil }
    directory = FileDescriptor(owning: number, path: "fusectl")
  }

  /// Fails every request of the connection, now and later.
  @discardableResult
  func abort(connection: UInt32) -> Bool {
    ff_control_abort(directory.rawValue, connection) == 0
  }
}
