/// Why bytes are no JSON value that this reader takes.
public struct JSONError: Error, Hashable, Sendable {
  /// What is wrong, as a sentence without a full stop.
  public let reason: Reason
  /// Where, in bytes from the beginning.
  public let offset: Int

  /// The ways in which a text fails.
  public enum Reason: String, Sendable, CaseIterable {
    case tooLong = "the text is longer than the limit"
    case tooDeep = "arrays and objects are nested deeper than the limit"
    case endsEarly = "the text ends inside a value"
    case unexpectedByte = "this byte cannot stand here"
    case trailingBytes = "something follows the value"
    case invalidUTF8 = "a string holds bytes that are no UTF-8"
    case controlInString = "a string holds a bare control character"
    case badEscape = "a string holds an unknown or incomplete escape"
    case loneSurrogate = "a string holds half of a surrogate pair"
    case badNumber = "a number is malformed"
    case numberOutOfRange = "a number does not fit 64 bits"
    case duplicateKey = "an object names the same member twice"
  }

  public init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension JSONError: CustomStringConvertible {
  /// One line: `JSON, byte 17: a number is malformed`.
  public var description: String { "JSON, byte \(offset): \(reason.rawValue)" }
}
