/// A failed system call: which call, on what, and why.
///
/// Its text is one line: `pwrite(/dst/a.mov @ 65536): No space left on device [ENOSPC 28]`.
public struct SystemError: Error, Hashable, Sendable {
  /// The call's name as in its manual page, section 2.
  public let call: String
  /// The kernel's answer.
  public let errno: Errno
  /// What the call was made on, as far as the caller knows it.
  public let path: BytePath?
  /// The byte offset, for calls that have one.
  public let offset: Int64?
  /// One more thing that a person needs; empty when there is nothing.
  public let detail: String

  public init(
    call: String, errno: Errno, path: BytePath? = nil, offset: Int64? = nil, detail: String = ""
  ) {
    self.call = call
    self.errno = errno
    self.path = path
    self.offset = offset
    self.detail = detail
  }
}

extension SystemError: CustomStringConvertible {
  public var description: String {
    let place = [path?.escaped, offset.map { "@ \($0)" }].compactMap { $0 }.joined(separator: " ")
    return "\(call)(\(place)): \(errno)" + (detail.isEmpty ? "" : " (\(detail))")
  }
}
