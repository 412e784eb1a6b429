import Glibc

/// A path as the raw bytes the kernel takes: never normalised, never compared as text.
///
/// Equality and order are by byte, so that NFC and NFD spellings stay two files. A path holds no
/// NUL byte; empty components and a trailing slash are kept as given.
public struct BytePath: Hashable, Comparable, Sendable {
  /// The bytes, without a terminating NUL.
  public let bytes: [UInt8]

  /// Makes a path of raw bytes; nil when a NUL byte would cut it short in the kernel.
  public init?(_ bytes: [UInt8]) {
    if bytes.contains(0) { return nil }
    self.bytes = bytes
  }

  /// Makes a path of the UTF-8 bytes of a literal or an argument, up to its first NUL.
  public init(_ text: String) {
    bytes = Array(text.utf8.prefix { $0 != 0 })
  }

  /// All bytes at once: one by one they would take longer than what is looked up by them.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(bytes.count)
  }

  public static func == (left: BytePath, right: BytePath) -> Bool {
    left.bytes.count == right.bytes.count
      && left.bytes.withUnsafeBytes { left in
        right.bytes.withUnsafeBytes { right in
          guard let one = left.baseAddress, let other = right.baseAddress else { return true }
          return one == other || memcmp(one, other, left.count) == 0
        }
      }
  }

  public static func < (left: BytePath, right: BytePath) -> Bool {
    let common = min(left.bytes.count, right.bytes.count)
    let order = left.bytes.withUnsafeBytes { left in
      right.bytes.withUnsafeBytes { right in
        guard let one = left.baseAddress, let other = right.baseAddress else { return CInt(0) }
        return memcmp(one, other, common)
      }
    }
    return order == 0 ? left.bytes.count < right.bytes.count : order < 0
  }
}

extension BytePath: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension BytePath {
  /// The names between slashes, empty ones left out.
  public var components: [BytePath] {
    bytes.split(separator: UInt8(ascii: "/")).map { BytePath(unchecked: Array($0)) }
  }

  /// The last name; the path itself when it has no slash.
  public var lastComponent: BytePath {
    components.last ?? self
  }

  /// Everything before the last name; nil for a bare name.
  public var parent: BytePath? {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return BytePath(unchecked: Array(bytes[..<slash]))
  }

  /// True for a path that begins at the root.
  public var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// The path with `name` below it; `name` alone when this one is empty.
  public func appending(_ name: BytePath) -> BytePath {
    if bytes.isEmpty { return name }
    let slash: [UInt8] = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    return BytePath(unchecked: bytes + slash + name.bytes)
  }

  /// Text for people and logs: printable UTF-8 as it is, every other byte as `\xNN`, a backslash
  /// doubled. Distinct paths give distinct texts.
  public var escaped: String {
    var text = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = Self.printableLength(at: rest)
      if length == 0 {
        let byte = rest.removeFirst()
        text += byte == UInt8(ascii: "\\") ? "\\\\" : Self.hexEscape(byte)
      } else {
        text += String(decoding: rest.prefix(length), as: UTF8.self)
        rest = rest.dropFirst(length)
      }
    }
    return text
  }

  /// Text of the bytes when they are valid UTF-8; nil otherwise.
  public var utf8: String? {
    String(validating: bytes, as: UTF8.self)
  }

  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Bytes of the printable character at the front: 0 for a control, a backslash or a byte that
  /// is no valid UTF-8.
  private static func printableLength(at bytes: ArraySlice<UInt8>) -> Int {
    guard let first = bytes.first else { return 0 }
    if first < 0x80 {
      return first < 0x20 || first == 0x7f || first == UInt8(ascii: "\\") ? 0 : 1
    }
    let length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    guard let text = String(validating: bytes.prefix(length), as: UTF8.self),
      let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
    else { return 0 }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return 0
    default: return length
    }
  }

  private static func hexEscape(_ byte: UInt8) -> String {
    let digits = Array("0123456789abcdef")
    return "\\x\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }
}

extension BytePath: CustomStringConvertible {
  public var description: String { escaped }
}
