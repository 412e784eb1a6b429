import Bench
import CommandLineKit
import FaultFS
import Subjects
import SystemIO

/// Verbs that only our own processes start. They read their arguments themselves, as raw bytes.
enum HiddenVerbs {
  /// The exit code of the hidden verb that the arguments begin with; nil when there is none.
  static func run(_ arguments: [[UInt8]]) -> Int32? {
    guard let verb = arguments.first else { return nil }
    let rest = Array(arguments.dropFirst())
    switch String(decoding: verb, as: UTF8.self) {
    case "rig": return RigMain.run(rest.compactMap { BytePath($0) })
    case "watchdog":
      return WatchdogMain.run { OutputStream.standardError.write($0 + "\n") }
    case "twin": return MountProcesses.twin(rest)
    case "client": return MountProcesses.client(rest)
    case "saboteur": return SaboteurMain.run(rest)
    default: return nil
    }
  }
}
