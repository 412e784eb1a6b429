import Glibc
import HarnessKit
import SystemIO

/// A PID and mount namespace around a subject: whoever is left in it dies with its first process,
/// and what is mounted and unmounted outside shows inside.
public enum Enclosure {
  private static let program: BytePath = "/usr/bin/unshare"

  /// What stands before a command that is to run enclosed. `setsid` makes the first process the
  /// leader of a group, so that a signal to the group reaches all of the subject.
  static let prefix: [[UInt8]] = [
    "--mount", "--propagation", "slave", "--pid", "--fork", "--kill-child=KILL", "--mount-proc",
    "/usr/bin/setsid",
  ].map { Array($0.utf8) }

  /// The command, enclosed.
  static func enclose(_ command: inout ChildProcess.Command) {
    command.arguments = prefix + [command.executable.bytes] + command.arguments
    command.executable = program
  }

  /// Why subjects cannot be enclosed here; nil when they can.
  public static let problem: String? = {
    do throws(SystemError) {
      var command = ChildProcess.Command("/bin/true", newProcessGroup: true)
      enclose(&command)
      let nothing = try FileDescriptor.open("/dev/null", .writeOnly)
      var child = try ChildProcess.spawn(command, descriptors: [(nothing.rawValue, 2)])
      let status = try child.wait(timeout: .seconds(10))
      if status?.isSuccess == true { return nil }
      return "unshare(1) may not make PID and mount namespaces here"
    } catch {
      return "unshare(1) cannot be run: \(error)"
    }
  }()

  /// How long the first process may take to be there.
  private static let startTime = Duration.seconds(5)

  /// The first process of an enclosure, once it leads its group.
  ///
  /// - Parameter outer: the `unshare` that was started.
  static func firstProcess(under outer: Int32) throws(SystemError) -> Int32 {
    let clock = SystemClock()
    let end = clock.monotonic() + startTime
    let children = BytePath("/proc/\(outer)/task/\(outer)/children")
    while clock.monotonic() < end {
      let text = (try? FileSystem.contents(of: children, limit: 4096)) ?? []
      let word = String(decoding: text, as: UTF8.self).split(separator: " ").first
      if let first = word.flatMap({ Int32($0) }), getpgid(first) == first { return first }
      _ = try Poller.wait([], timeout: .milliseconds(1))
    }
    throw SystemError(call: "unshare", errno: .timedOut, detail: "no process in the namespace")
  }
}

extension Account {
  /// The program that becomes this user and then the command.
  var changer: BytePath { "/usr/bin/setpriv" }

  /// Its arguments before the command.
  var prefix: [[UInt8]] {
    ["--reuid=\(uid)", "--regid=\(gid)", "--init-groups", "--no-new-privs"]
      .map { Array($0.utf8) }
  }
}
