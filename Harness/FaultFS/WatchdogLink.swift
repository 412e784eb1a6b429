import Glibc
import SystemIO

/// The rig's end of the pipe to its watchdog: who it is, and signs of life.
final class WatchdogLink {
  private let pipe: FileDescriptor
  /// The loop may wait for a real disk at any request: a backed volume is mounted.
  var isPatient = false

  /// Tells the watchdog whose mounts it guards.
  init(_ pipe: consuming FileDescriptor, tag: MountTag) throws(SystemError) {
    self.pipe = pipe
    try self.pipe.writeAll(Array("rig \(tag.pid) \(tag.startTime)\n".utf8))
    guard fcntl(self.pipe.rawValue, F_SETFL, O_NONBLOCK) == 0 else {
      throw SystemError(call: "fcntl", errno: .current)
    }
  }

  var descriptor: CInt { pipe.rawValue }

  /// "I serve": the next sign must come within two seconds, or a minute beside a slow disk.
  func beat() { send(isPatient ? WatchdogMain.Sign.busy : WatchdogMain.Sign.beat) }

  /// "I work on something long": no sign for a minute is no alarm.
  func busy() { send(WatchdogMain.Sign.busy) }

  /// "I have ended all mounts": the end of the pipe is no alarm.
  func farewell() { send(WatchdogMain.Sign.farewell) }

  /// A full pipe means a watchdog that is slow: it has signs enough. A closed one is seen by the
  /// loop, which polls the descriptor.
  private func send(_ sign: UInt8) {
    var sign = sign
    _ = Glibc.write(pipe.rawValue, &sign, 1)
  }
}
