extension JSON {
  /// The value of an object's member; nil when there is none or this is no object. Keys are
  /// compared by byte.
  public subscript(key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// An array's element; nil outside its range or when this is no array.
  public subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// True for `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The truth value; nil when this is none.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The text of a string; nil when this is none.
  public var text: String? {
    if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  /// The UTF-8 bytes of a string; nil when this is none.
  public var bytes: [UInt8]? {
    if case .string(let bytes) = self { bytes } else { nil }
  }

  /// The bytes that a string of hexadecimal digit pairs stands for; nil when this is none.
  public var hexBytes: [UInt8]? {
    guard case .string(let text) = self, text.count % 2 == 0 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 2)
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = Self.hexDigit(text[index]), let low = Self.hexDigit(text[index + 1])
      else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// The whole number; nil when this is none or does not fit.
  public var int: Int? { int64.flatMap { Int(exactly: $0) } }

  /// The whole number; nil when this is none or does not fit.
  public var int64: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The whole number that is not negative; nil when this is none.
  public var uint64: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsigned(let value): value
    case .number(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The number, rounded to a double where it is a long whole number; nil when this is none.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The elements of an array; nil when this is none.
  public var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; nil when this is none.
  public var object: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
