// For libm: exact conversions of doubles call trunc(3), and this import links it.
import Glibc

/// A JSON value (RFC 8259) whose strings keep their bytes and whose objects keep their order.
///
/// Strings are UTF-8 bytes and are compared as bytes, so that NFC and NFD spellings of a file name
/// stay two names. Whole numbers of 64 bits keep every digit.
public indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  /// A whole number that fits 64 signed bits.
  case integer(Int64)
  /// A whole number above `Int64.max`; smaller ones are `integer`, see `init(_:)`.
  case unsigned(UInt64)
  /// A number written with a fraction or an exponent; always finite when it was read.
  case number(Double)
  /// The UTF-8 bytes of a string, escapes resolved.
  case string([UInt8])
  case array([JSON])
  /// The members in their order.
  case object([Member])

  /// One name and value of an object.
  public struct Member: Sendable, Equatable {
    public let key: String
    public let value: JSON

    public init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }

    /// Equal when the key's bytes and the value are.
    public static func == (left: Member, right: Member) -> Bool {
      left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
    }
  }
}

extension JSON {
  /// A string of a text's UTF-8 bytes.
  public static func text(_ text: some StringProtocol) -> JSON { .string(Array(text.utf8)) }

  /// A string, or null when there is none.
  public static func text(orNull text: String?) -> JSON { text.map { JSON.text($0) } ?? .null }

  /// A string of bytes as hexadecimal digits, for what need not be UTF-8.
  public static func hex(_ bytes: some Sequence<UInt8>) -> JSON {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return .string(text)
  }

  /// A whole number of at most 64 bits in its one form: `integer` when it fits.
  public init(_ value: some FixedWidthInteger) {
    if let small = Int64(exactly: value) {
      self = .integer(small)
    } else {
      self = .unsigned(UInt64(clamping: value))
    }
  }
}

extension JSON: Equatable {
  /// Equal values; numbers by value whatever their form, objects with their order.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.integer(let a), .unsigned(let b)), (.unsigned(let b), .integer(let a)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.number(let a), .integer(let b)), (.integer(let b), .number(let a)):
      Int64(exactly: a) == b
    case (.number(let a), .unsigned(let b)), (.unsigned(let b), .number(let a)):
      UInt64(exactly: a) == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .text(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .number(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// An object with the members in the order they are written.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
