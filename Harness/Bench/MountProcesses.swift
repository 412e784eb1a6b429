import CBench
import FaultFS
import Glibc
import SystemIO

/// The processes that the comparison of mounts starts from its own executable: the plain file
/// system, and the client. Bound to the core of their parent.
public enum MountProcesses {
  /// `twin FOLDER MOUNTPOINT none|kernel`: shows a folder until SIGTERM.
  public static func twin(_ arguments: [[UInt8]]) -> Int32 {
    guard arguments.count == 3, let folder = BytePath(arguments[0]),
      let mountPoint = BytePath(arguments[1]), let source = OwnMounts.source
    else { return 2 }
    let isDirect = arguments[2] == Array("none".utf8)
    let list = BytePath("fsname=\(source)" + (getuid() == 0 ? ",allow_other" : ""))
    let code = list.withBytes { list in
      var options = cb_options(
        mount_options: list, direct: isDirect ? 1 : 0, timeout: isDirect ? 0 : 1)
      return folder.withBytes { folder in
        mountPoint.withBytes { cb_pass_through(folder, $0, &options) }
      }
    }
    return code == 0 ? 0 : 4
  }

  /// `client FOLDER SERVER FILES STEP COUNT`: does a step and says on standard output what it took,
  /// `WALL CLIENT SERVER` in nanoseconds.
  public static func client(_ arguments: [[UInt8]]) -> Int32 {
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 5, let folder = BytePath(arguments[0]), let server = Int32(words[1]),
      let files = Int(words[2]), let step = MountStep(rawValue: words[3]),
      let count = Int(words[4])
    else { return 2 }
    do throws(SystemError) {
      let taken = try step.run(in: folder, count: count, files: files, server: server)
      try FileDescriptor(owning: dup(1)).writeAll(
        Array("\(taken.wall) \(taken.client) \(taken.server)\n".utf8))
      return 0
    } catch {
      _ = try? FileDescriptor(owning: dup(2)).writeAll(Array("\(error)\n".utf8))
      return 4
    }
  }
}
