import CFuseShims
import Glibc
import SystemIO

/// The process that ends the mounts of a rig which can no longer do it: killed, stopped or stuck.
///
/// It holds no mount and no FUSE descriptor, resolves no path, and reads signs of life from its
/// standard input (`WatchdogLink`). At the end of that pipe the rig is dead or dying. One that has
/// been silent for two seconds is stuck when it is stopped or slept through; one that runs, or waits
/// for a core of a loaded machine, is given a minute. A stuck one's connections are aborted and it
/// is killed. Then its mounts are detached.
public enum WatchdogMain {
  enum Sign {
    static let beat = UInt8(ascii: "h")
    static let busy = UInt8(ascii: "b")
    static let farewell = UInt8(ascii: "q")
  }

  private static let silence = Duration.seconds(2)
  private static let busySilence = Duration.seconds(60)
  /// Between two looks at a rig that is silent.
  private static let look = Duration.milliseconds(500)

  /// Runs until the rig has said farewell or was cleared away.
  ///
  /// - Parameter say: takes one line for people, why a rig was killed.
  /// - Returns: the exit code: 0 when there was nothing to do, 1 when mounts had to be ended.
  public static func run(say: (String) -> Void) -> Int32 {
    // The terminal's signals are for the runner, which ends the rig, which says farewell.
    for signal in [Signal.interrupt, .terminate, .hangUp, .pipe] { Signal.ignore(signal) }
    // Opened now: later the machine may be short of descriptors.
    let control = FuseControl()
    let pipe = FileDescriptor(unowned: 0)
    guard let tag = greeting(pipe) else { return 0 }
    let rig = ff_process_open(tag.pid)
    // Opened before it was checked: the descriptor is the rig's or nobody's.
    let isRig = rig >= 0 && tag.isOwnerAlive
    let end = watch(pipe, isRig ? tag.pid : nil)
    if case .farewell = end { return 0 }
    if case .silence(let length, let pulse) = end {
      if let control { Mounts.abort(tag, control) }
      let state = pulse?.description ?? "cannot be looked at"
      say(
        "watchdog: rig \(tag.pid) gave no sign for \(length.components.seconds) s and \(state): "
          + "killed, its mounts are ended")
    }
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
    case silence(Duration, Pulse?)
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

  private static func watch(_ pipe: borrowing FileDescriptor, _ rig: Int32?) -> End {
    var silence = Silence(of: rig)
    while true {
      let events = (try? Poller.wait(for: .readable, on: pipe, timeout: look)) ?? []
      if !events.isEmpty {
        guard let sign = nextByte(pipe, within: .zero) else { return .hangUp }
        if sign == Sign.farewell { return .farewell }
        silence = Silence(of: rig, isBusy: sign == Sign.busy)
      } else if silence.isTooLong() {
        return .silence(silence.length, silence.pulse)
      }
    }
  }

  /// The time since the last sign, and what the rig did in it.
  private struct Silence {
    let rig: Int32?
    let isBusy: Bool
    private let begin = ContinuousClock.now
    private(set) var pulse: Pulse?
    /// Since when it has slept without a break, as far as was looked at.
    private var asleepSince: ContinuousClock.Instant?

    init(of rig: Int32?, isBusy: Bool = false) {
      self.rig = rig
      self.isBusy = isBusy
    }

    var length: Duration { ContinuousClock.now - begin }

    /// Looks at the rig. Its first look is its measure: what it did before nobody has seen.
    mutating func isTooLong() -> Bool {
      if length >= busySilence { return true }
      if isBusy { return false }
      let now = ContinuousClock.now
      let last = pulse
      pulse = rig.flatMap { Pulse(of: $0) }
      if pulse?.isRunning == true || pulse != last { asleepSince = nil }
      let since = asleepSince ?? now
      asleepSince = since
      guard length >= silence else { return false }
      guard let pulse else { return true }
      return pulse.isStopped || !pulse.isRunning && now - since >= silence
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
