import HarnessKit
import SystemIO

/// PID and mount namespaces around a subject: whoever is left in them dies with its first process,
/// and what is mounted and unmounted outside shows inside.
public enum Enclosure {
  /// Why subjects cannot be enclosed here; nil when they can.
  public static let problem: String? = {
    do throws(SystemError) {
      var command = ChildProcess.Command("/bin/true")
      command.newNamespaces = true
      var child = try ChildProcess.spawn(command)
      let status = try child.wait(timeout: .seconds(10))
      return status?.isSuccess == true ? nil : "/bin/true fails in namespaces of its own"
    } catch {
      return "PID and mount namespaces cannot be made here: \(error)"
    }
  }()
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
