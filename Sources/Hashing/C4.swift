/// C4 IDs (SMPTE ST 2114): `c4` and a SHA-512 as one big-endian number in 88 digits of base 58.
///
/// Not Bitcoin's base 58: leading zero bytes have no rule of their own, the number is padded.
enum C4 {
  static let textLength = 90
  private static let digitCount = 88
  private static let alphabet = Array(
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var number = bytes
    var digits = [UInt8](repeating: alphabet[0], count: digitCount)
    for place in stride(from: digitCount - 1, through: 0, by: -1) {
      digits[place] = alphabet[divide(&number)]
    }
    return "c4" + String(decoding: digits, as: UTF8.self)
  }

  /// The 64 bytes of an ID; nil for another length, a foreign digit, or a number of more bytes.
  static func bytes(of text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count == textLength, characters.starts(with: Array("c4".utf8)) else {
      return nil
    }
    var number = [UInt8](repeating: 0, count: 64)
    for character in characters.dropFirst(2) {
      guard let digit = alphabet.firstIndex(of: character) else { return nil }
      guard multiply(&number, adding: digit) else { return nil }
    }
    return number
  }

  /// Divides a big-endian number by 58 in place and returns the remainder.
  private static func divide(_ number: inout [UInt8]) -> Int {
    var remainder = 0
    for index in number.indices {
      let value = remainder << 8 | Int(number[index])
      number[index] = UInt8(value / 58)
      remainder = value % 58
    }
    return remainder
  }

  /// Multiplies by 58 and adds; false when the number outgrows its bytes.
  private static func multiply(_ number: inout [UInt8], adding digit: Int) -> Bool {
    var carry = digit
    for index in number.indices.reversed() {
      let value = Int(number[index]) * 58 + carry
      number[index] = UInt8(truncatingIfNeeded: value)
      carry = value >> 8
    }
    return carry == 0
  }
}
