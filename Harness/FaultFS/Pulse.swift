import SystemIO

/// What the kernel tells of a process's first thread: whether it runs, sleeps or is stopped.
///
/// Two equal ones, one after the other, of a thread that does not run mean that it slept through:
/// one that woke up and fell asleep again counts one more switch.
struct Pulse: Equatable, Sendable {
  /// The letter of man 5 proc, field 3 of stat: R, S, D, T ...
  let state: UInt8
  /// How often it left a core.
  let switches: UInt64

  /// nil when there is no such process.
  init?(of process: Int32) {
    guard let status = try? FileSystem.contents(of: BytePath("/proc/\(process)/status")) else {
      return nil
    }
    self.init(status: status)
  }

  /// Reads the text of /proc/PID/status.
  init?(status: [UInt8]) {
    var state: UInt8?
    var switches: UInt64 = 0
    for line in status.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      let words = text.split(whereSeparator: { $0 == "\t" || $0 == " " })
      guard words.count > 1 else { continue }
      switch words[0] {
      case "State:": state = words[1].utf8.first
      case "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:":
        switches += UInt64(words[1]) ?? 0
      default: break
      }
    }
    guard let state else { return nil }
    self.state = state
    self.switches = switches
  }

  /// On a core or waiting for one.
  var isRunning: Bool { state == UInt8(ascii: "R") }

  var isStopped: Bool { state == UInt8(ascii: "T") }

  /// In words, for a message.
  var description: String {
    switch state {
    case UInt8(ascii: "T"): "is stopped"
    case UInt8(ascii: "R"): "runs without end"
    case UInt8(ascii: "D"): "sleeps in the kernel"
    default: "sleeps"
    }
  }
}
