import CFuseShims
import Glibc
import SystemIO

/// The process that ends the mounts of a rig which can no longer do it: killed, stopped or stuck.
///
/// It holds no mount and no FUSE descriptor, resolves no path, and reads signs of life from its
/// standard input (`WatchdogLink`). At the end of that pipe the rig is dead or dying; after two
/// seconds of silence it is stuck, so that its connections are aborted and it is killed. Then its
/// mounts are detached.
public enum WatchdogMain {
  enum Sign {
    static let beat = UInt8(ascii: "h")
    static let busy = UInt8(ascii: "b")
    static let farewell = UInt8(ascii: "q")
  }

  private static let silence = Duration.seconds(2)
  private static let busySilence = Duration.seconds(60)

  /// Runs until the rig has said farewell or was cleared away.
  ///
  /// - Returns: the exit code: 0 when there was nothing to do, 1 when mounts had to be ended.
  public static func run() -> Int32 {
    // The terminal's signals are for the runner, which ends the rig, which says farewell.
    for signal in [Signal.interrupt, .terminate, .hangUp, .pipe] { Signal.ignore(signal) }
    // Opened now: later the machine may be short of descriptors.
    let control = FuseControl()
    let pipe = FileDescriptor(unowned: 0)
    guard let tag = greeting(pipe) else { return 0 }
    let rig = ff_process_open(tag.pid)
    // Opened before it was checked: the descriptor is the rig's or nobody's.
    let isRig = rig >= 0 && tag.isOwnerAlive
    let end = watch(pipe)
    if end == .farewell { return 0 }
    if end == .silence, let control { Mounts.abort(tag, control) }
    if isRig {
      // This also closes connections that are detached already and stand in no table.
      _ = ff_signal(rig, SIGKILL)
      _ = try? Poller.wait([(rig, .readable)], timeout: .seconds(2))
    }
    Mounts.detachAll(tag)
    return 1
  }

  private enum End {
    case farewell
    /// The pipe has no writer any more.
    case hangUp
    case silence
  }

  /// Reads `rig PID STARTTIME`; nil when the pipe ends without it.
  private static func greeting(_ pipe: borrowing FileDescriptor) -> MountTag? {
    var line: [UInt8] = []
    while line.count < 100 {
      guard let byte = nextByte(pipe, within: busySilence) else { return nil }
      if byte == UInt8(ascii: "\n") { break }
      line.append(byte)
    }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3, words[0] == "rig", let pid = Int32(words[1]),
      let start = UInt64(words[2])
    else { return nil }
    return MountTag(pid: pid, startTime: start)
  }

  private static func watch(_ pipe: borrowing FileDescriptor) -> End {
    var patience = silence
    while true {
      guard let events = try? Poller.wait(for: .readable, on: pipe, timeout: patience),
        !events.isEmpty
      else { return .silence }
      guard let sign = nextByte(pipe, within: .zero) else { return .hangUp }
      if sign == Sign.farewell { return .farewell }
      patience = sign == Sign.busy ? busySilence : silence
    }
  }

  private static func nextByte(
    _ pipe: borrowing FileDescriptor, within patience: Duration
  ) -> UInt8? {
    guard let events = try? Poller.wait(for: .readable, on: pipe, timeout: patience),
      !events.isEmpty
    else { return nil }
    var byte: UInt8 = 0
    return Glibc.read(pipe.rawValue, &byte, 1) == 1 ? byte : nil
  }
}
