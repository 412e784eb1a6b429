import Glibc
import SystemIO

extension BytePath {
  /// The bytes with a terminating NUL for the time of a call.
  func withCString<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      bytes.withUnsafeBytes { raw.copyMemory(from: $0) }
      raw[bytes.count] = 0
      // The capacity is at least 1, so that there is an address.
      guard let base = buffer.baseAddress else {
        preconditionFailure("a buffer of \(bytes.count + 1) bytes has no address")
      }
      return body(base)
    }
  }

  /// The bytes of a C string; empty for nil.
  init(cString: UnsafePointer<CChar>?) {
    guard let cString else {
      self = ""
      return
    }
    let bytes = [UInt8](UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
    self = BytePath(bytes) ?? ""
  }
}
