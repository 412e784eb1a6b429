extension JSONReader {
  /// Reads a number: whole ones exactly, others as a finite double.
  mutating func number() throws(JSONError) -> JSON {
    let start = position
    var isWhole = true
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    if try peek() == UInt8(ascii: "0") {
      position += 1
    } else {
      try digits(from: start)
    }
    if position < bytes.count && bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits(from: start)
    }
    if position < bytes.count && bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      let sign = try peek()
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
      try digits(from: start)
    }
    if position < bytes.count && isDigit(bytes[position]) {
      throw JSONError(.badNumber, offset: start)
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole {
      if let value = Int64(text) { return .integer(value) }
      if let value = UInt64(text) { return .unsigned(value) }
    } else if let value = Double(text), value.isFinite {
      return .number(value)
    }
    throw JSONError(.numberOutOfRange, offset: start)
  }

  private mutating func digits(from start: Int) throws(JSONError) {
    let first = try peek()
    if !isDigit(first) { throw JSONError(.badNumber, offset: start) }
    while position < bytes.count && isDigit(bytes[position]) { position += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  /// Reads a string's bytes; the position is on its opening quote.
  mutating func string() throws(JSONError) -> [UInt8] {
    let start = position
    position += 1
    var result: [UInt8] = []
    var plain = position
    while true {
      let byte = try peek()
      if byte < 0x20 { throw JSONError(.controlInString, offset: position) }
      if byte == UInt8(ascii: "\"") {
        result.append(contentsOf: bytes[plain..<position])
        position += 1
        break
      }
      if byte == UInt8(ascii: "\\") {
        result.append(contentsOf: bytes[plain..<position])
        try escape(into: &result)
        plain = position
      } else {
        position += 1
      }
    }
    if String(validating: result, as: UTF8.self) == nil {
      throw JSONError(.invalidUTF8, offset: start)
    }
    return result
  }

  private mutating func escape(into result: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    let byte = try peek()
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0c)
    case UInt8(ascii: "n"): result.append(0x0a)
    case UInt8(ascii: "r"): result.append(0x0d)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      result.append(contentsOf: UTF8.encode(try escapedScalar(from: start)) ?? .init())
    default: throw JSONError(.badEscape, offset: start)
    }
  }

  private mutating func escapedScalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try fourDigits(from: start)
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xdc00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw JSONError(.loneSurrogate, offset: start) }
    position += 2
    let second = try fourDigits(from: start)
    guard (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    else { throw JSONError(.loneSurrogate, offset: start) }
    return scalar
  }

  private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = try peek()
      guard let digit = JSON.hexDigit(byte) else { throw JSONError(.badEscape, offset: start) }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
