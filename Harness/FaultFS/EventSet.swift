import CFuseShims
import Glibc
import SystemIO

/// The descriptors that a loop waits for. Used by one thread.
final class EventSet {
  private let descriptor: FileDescriptor
  /// What the last wait found, in its first places.
  private(set) var ready = [CInt](repeating: -1, count: 64)

  init() throws(SystemError) {
    let number = ff_events_new()
    guard number >= 0 else {
      throw SystemError(call: "epoll_create1", errno: Errno(rawValue: -number))
    }
    descriptor = FileDescriptor(owning: number)
  }

  func add(_ number: CInt) throws(SystemError) {
    let code = ff_events_add(descriptor.rawValue, number)
    guard code == 0 else { throw SystemError(call: "epoll_ctl", errno: Errno(rawValue: code)) }
  }

  /// Must come before the descriptor is closed.
  func remove(_ number: CInt) { ff_events_remove(descriptor.rawValue, number) }

  /// Waits until one is readable or hung up.
  ///
  /// - Returns: how many are, at the front of `ready`; 0 when the time is over.
  func wait(nanoseconds: Int64) throws(SystemError) -> Int {
    let count = ff_events_wait(descriptor.rawValue, &ready, UInt32(ready.count), nanoseconds)
    if count >= 0 { return Int(count) }
    if count == -EINTR { return 0 }
    throw SystemError(call: "epoll_pwait2", errno: Errno(rawValue: -count))
  }
}
