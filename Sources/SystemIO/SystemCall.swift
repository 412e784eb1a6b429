import CLinuxShims
import Glibc

/// The one gate to the kernel: every call of this module runs through it, so that EINTR is retried
/// in one place and a test can force an errno on any call.
///
/// `retrying` is false for close(2) alone: its descriptor is gone after EINTR too (man 2 close).
@inline(__always)
func systemCall<Result: FixedWidthInteger & SignedInteger>(
  _ call: String, retrying: Bool = true, path: @autoclosure () -> BytePath?, offset: Int64? = nil,
  detail: @autoclosure () -> String = "", _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    #if DEBUG
      let errno: Errno
      switch Interposer.decide(call, path: path()) {
      case .perform:
        let result = body()
        if result >= 0 { return result }
        errno = .current
      case .pretend: return 0
      case .fail(let forced):
        // A refused close still retires its descriptor.
        if !retrying { _ = body() }
        errno = forced
      case .failAfter(let forced):
        let result = body()
        errno = result >= 0 ? forced : .current
      }
    #else
      let result = body()
      if result >= 0 { return result }
      let errno = Errno.current
    #endif
    if retrying && errno == .interrupted { continue }
    throw SystemError(
      call: call, errno: errno, path: path(), offset: offset, detail: detail())
  }
}

/// The number of bytes a transfer asks for: all of them, unless a test shortens it.
@inline(__always)
func transferLength(_ call: String, path: @autoclosure () -> BytePath?, _ count: Int) -> Int {
  #if DEBUG
    return Interposer.limit(call, path: path(), count)
  #else
    return count
  #endif
}

extension BytePath {
  /// The bytes with a terminating NUL, on the stack up to 1 KiB.
  @inline(__always)
  func withCString<Result: FixedWidthInteger>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      buffer[bytes.count] = 0
      return buffer.baseAddress.map { body(UnsafePointer($0)) } ?? -1
    }
  }

  /// True for what can be one directory entry: not empty, no slash, neither `.` nor `..`.
  public var isPlainName: Bool {
    let dot = UInt8(ascii: ".")
    return !bytes.isEmpty && !bytes.contains(UInt8(ascii: "/")) && bytes != [dot]
      && bytes != [dot, dot]
  }
}
