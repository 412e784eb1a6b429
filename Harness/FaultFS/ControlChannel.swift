import Glibc
import SystemIO

/// One stream of command lines in the loop: reads what is there, never blocks, and hands over
/// whole lines.
final class ControlChannel {
  static let longestLine = 16 << 20
  private let descriptor: FileDescriptor
  private let buffer = AlignedBuffer(byteCount: 64 * 1024)
  private var pending: [UInt8] = []

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = descriptor
  }

  var number: CInt { descriptor.rawValue }

  /// Takes what has come; call it when the descriptor is readable.
  ///
  /// - Returns: whole lines, and whether the other side has hung up or sends what is no line.
  func receive() -> (lines: [[UInt8]], isOver: Bool) {
    guard let count = try? descriptor.read(into: buffer.bytes), count > 0 else {
      return ([], true)
    }
    pending += buffer.prefix(count)
    var lines: [[UInt8]] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(pending[..<end]))
      pending.removeFirst(end + 1)
    }
    return (lines, pending.count > Self.longestLine)
  }

  /// Blocks until the other side has taken the line; it waits for nothing else meanwhile.
  func send(_ line: [UInt8]) throws(SystemError) {
    try descriptor.sendAll(line)
  }
}
