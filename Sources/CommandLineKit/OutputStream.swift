import Glibc
import Synchronization
public import SystemIO
public import Wire

/// A descriptor for text and lines that several threads may write to.
///
/// Each write is whole: lines of two threads never mix. A failed write (a reader that went away, a
/// full disk) stops the stream for good and is kept, since a program that lost its output must say
/// so in its exit code. Needs SIGPIPE ignored, see `ignoreBrokenPipes()`.
public final class OutputStream: Sendable {
  /// The descriptor, which stays the caller's.
  public let descriptor: CInt
  private let state = Mutex<SystemError?>(nil)

  public init(descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Descriptor 1.
  public static let standardOutput = OutputStream(descriptor: 1)
  /// Descriptor 2.
  public static let standardError = OutputStream(descriptor: 2)

  /// Takes the numbers 0, 1 and 2 where the caller closed them, so that no file that is opened
  /// later gets one and takes our messages for its bytes. Writing to such a one fails (EBADF).
  ///
  /// Call it first thing in `main`, before any other descriptor is made.
  public static func holdStandardDescriptors() {
    for number: CInt in 0...2 where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is this one; for reading only, so that output is lost loudly.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Makes a write to a closed pipe an error instead of the end of the process.
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Why the stream stopped; nil while every write has arrived.
  public var failure: SystemError? { state.withLock { $0 } }

  /// Writes all the bytes; blocks while the reader is slow.
  public func write(_ bytes: [UInt8]) {
    state.withLock { failure in
      if failure == nil { failure = Self.writeAll(bytes, to: descriptor) }
    }
  }

  /// Writes a text as it is.
  public func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes a value as one line of JSON.
  public func write(line value: JSON) { write(value.line) }

  private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> SystemError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      let error = Errno.current
      if error == .interrupted { continue }
      if error.rawValue == EAGAIN {
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
        continue
      }
      return SystemError(call: "write", errno: error, detail: "descriptor \(descriptor)")
    }
    return nil
  }
}
