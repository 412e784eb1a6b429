/// Bytes as hexadecimal text.
public enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two lower-case digits a byte.
  public static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[2 * index] = digits[Int(byte >> 4)]
        buffer[2 * index + 1] = digits[Int(byte & 15)]
      }
      return 2 * bytes.count
    }
  }

  /// The bytes of digits in either case; nil for an odd count or another character.
  public static func bytes(of text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let value = value(digit) else { return nil }
      if let upper = high {
        bytes.append(upper << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return high == nil ? bytes : nil
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: return digit - 0x30
    case 0x41...0x46: return digit - 0x41 + 10
    case 0x61...0x66: return digit - 0x61 + 10
    default: return nil
    }
  }
}
