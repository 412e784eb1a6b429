import CLinuxShims
import Glibc

/// Waits for descriptors (man 2 poll).
public enum Poller {
  /// What to wait for, and what came.
  public struct Events: OptionSet, Sendable {
    public let rawValue: Int16

    public init(rawValue: Int16) {
      self.rawValue = rawValue
    }

    /// Bytes, a connection or the end of the stream can be read.
    public static let readable = Events(rawValue: Int16(POLLIN))
    /// Bytes can be written.
    public static let writable = Events(rawValue: Int16(POLLOUT))
    /// The other end hung up; comes unasked.
    public static let hungUp = Events(rawValue: Int16(POLLHUP))
    /// An error is pending; comes unasked.
    public static let failed = Events(rawValue: Int16(POLLERR))
    /// The number is not an open descriptor; comes unasked.
    public static let invalid = Events(rawValue: Int16(POLLNVAL))
  }

  /// Blocks until one of the descriptors is ready or the time is over.
  ///
  /// - Parameter timeout: nil to wait for ever.
  /// - Returns: events in the order of `descriptors`; all empty when the time is over.
  public static func wait(
    _ descriptors: [(number: CInt, events: Events)], timeout: Duration? = nil
  ) throws(SystemError) -> [Events] {
    let clock = SystemClock()
    let deadline = timeout.map { clock.monotonic() + $0 }
    var set = descriptors.map {
      ls_pollfd(fd: $0.number, events: $0.events.rawValue, revents: 0)
    }
    // With no descriptors the call is a sleep, but wants an address all the same.
    if set.isEmpty { set = [ls_pollfd(fd: -1, events: 0, revents: 0)] }
    let count = UInt64(set.count)
    _ = try systemCall("poll", path: nil) {
      let rest = deadline.map { max(0, ($0 - clock.monotonic()).nanoseconds) } ?? -1
      return set.withUnsafeMutableBufferPointer {
        $0.baseAddress.map { ls_poll($0, count, rest) } ?? -1
      }
    }
    return set.prefix(descriptors.count).map { Events(rawValue: $0.revents) }
  }

  /// Blocks until one descriptor is ready; empty when the time is over.
  public static func wait(
    for events: Events, on descriptor: borrowing FileDescriptor, timeout: Duration? = nil
  ) throws(SystemError) -> Events {
    try wait([(descriptor.rawValue, events)], timeout: timeout).first ?? []
  }
}
