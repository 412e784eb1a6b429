import CFuseShims
import SystemIO

/// Which threads of a process and of its children run, as the kernel tells it in /proc.
///
/// Two that are equal, one after the other, mean that no thread ran between them: a thread that
/// ran and came to rest again counts one more switch.
struct ThreadCensus: Equatable {
  let threads: [Thread]

  struct Thread: Equatable {
    let id: Int32
    let state: State
    /// How often it left a core.
    let switches: UInt64
  }

  enum State: Equatable {
    case running
    /// Waits for something, is stopped, or has ended.
    case blocked
    /// Waits in the kernel's uninterruptible sleep.
    case disk
  }

  /// More threads are not looked at.
  private static let limit = 4096

  init(of process: Int32) {
    threads = withUnsafeTemporaryAllocation(of: ff_thread.self, capacity: Self.limit) { room in
      guard let base = room.baseAddress else { return [] }
      let count = Int(ff_threads(process, base, Int32(Self.limit)))
      return room[..<count].map(Thread.init)
    }
  }

  func holds(thread: Int32) -> Bool { threads.contains { $0.id == thread } }
}

extension ThreadCensus.Thread {
  fileprivate init(_ raw: ff_thread) {
    id = raw.thread
    switches = raw.switches
    state =
      switch UInt8(bitPattern: raw.state) {
      case UInt8(ascii: "R"): .running
      case UInt8(ascii: "D"): .disk
      default: .blocked
      }
  }
}
