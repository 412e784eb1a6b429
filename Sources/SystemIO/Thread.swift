import CLinuxShims
import Glibc

/// A thread of its own for a long loop that may block.
// @unchecked: `handle` is written once, in init; `isJoined` is under the monitor.
public final class Thread: @unchecked Sendable {
  private var handle = pthread_t()
  private let isJoined = Monitor(false)

  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts a thread.
  ///
  /// - Throws: the errno of pthread_create(3), EAGAIN at a limit on threads.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = Unmanaged.passRetained(
      Start {
        // Linux keeps 15 bytes of a name, for ps and perf.
        String(decoding: name.utf8.prefix(15), as: UTF8.self).withCString { ls_name_thread($0) }
        body()
      })
    let code = pthread_create(
      &handle, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<Start>.fromOpaque(raw).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw SystemError(
        call: "pthread_create", errno: Errno(rawValue: code), detail: name)
    }
  }

  /// Binds the calling thread, and every thread and process that it starts from now on, to one of
  /// the cores that it may use.
  ///
  /// Two processes that answer each other in turn run several times faster on one core than on
  /// two that must be woken.
  ///
  /// - Parameter turn: 0 for the first of the cores, and from the first again after the last.
  /// - Throws: the errno of sched_setaffinity(2).
  public static func bindCurrent(turn: Int) throws(SystemError) {
    _ = try systemCall("sched_setaffinity", path: nil) {
      ls_bind_thread(Int32(truncatingIfNeeded: turn))
    }
  }

  /// Waits for the end of the thread; later calls return at once.
  public func join() {
    let isFirst = isJoined.update { joined in
      defer { joined = true }
      return !joined
    }
    if isFirst { pthread_join(handle, nil) }
  }

  deinit {
    if isJoined.read({ !$0 }) { pthread_detach(handle) }
  }
}
