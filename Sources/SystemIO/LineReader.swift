/// Reads lines of bounded length from a stream: pipes, sockets, control channels. Blocks.
public struct LineReader: ~Copyable {
  /// The stream, for polling and writing.
  public let descriptor: FileDescriptor
  /// The longest line, in bytes without its newline.
  public let lengthLimit: Int
  private let buffer = AlignedBuffer(byteCount: 16 * 1024)
  private var pending: [UInt8] = []
  private var searched = 0
  private var isAtEnd = false

  /// Reads from a descriptor that it owns.
  public init(_ descriptor: consuming FileDescriptor, lengthLimit: Int = 1 << 20) {
    self.descriptor = descriptor
    self.lengthLimit = lengthLimit
  }

  /// The next line without its newline; nil at the end. A last line without newline counts.
  ///
  /// - Parameter timeout: nil to wait for ever.
  /// - Throws: ETIMEDOUT when no whole line came in time, and a later call goes on from there;
  ///   EMSGSIZE for a line above the limit; else the errno of read(2).
  public mutating func next(timeout: Duration? = nil) throws(SystemError) -> [UInt8]? {
    let clock = SystemClock()
    let deadline = timeout.map { clock.monotonic() + $0 }
    while true {
      if let line = takeLine() { return line }
      if pending.count > lengthLimit {
        throw SystemError(
          call: "read", errno: .messageTooLong, path: descriptor.path,
          detail: "a line of more than \(lengthLimit) bytes")
      }
      if isAtEnd {
        defer { pending = [] }
        searched = 0
        return pending.isEmpty ? nil : pending
      }
      if let deadline {
        let rest = max(.zero, deadline - clock.monotonic())
        if try Poller.wait(for: .readable, on: descriptor, timeout: rest).isEmpty {
          throw SystemError(call: "read", errno: .timedOut, path: descriptor.path)
        }
      }
      let count = try descriptor.read(into: buffer.bytes)
      if count == 0 { isAtEnd = true }
      pending += buffer.prefix(count)
    }
  }

  /// True when a whole line is there already, so that `next` does not read.
  public var hasLine: Bool { pending[searched...].contains(UInt8(ascii: "\n")) }

  private mutating func takeLine() -> [UInt8]? {
    guard let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = pending.count
      return nil
    }
    guard end <= lengthLimit else { return nil }
    let line = Array(pending[..<end])
    pending.removeFirst(end + 1)
    searched = 0
    return line
  }
}
