extension JSON {
  /// The value as UTF-8 bytes: the same bytes for the same value, always.
  ///
  /// - Parameters:
  ///   - pretty: Two spaces of indentation and a line for each element; else one line, which is
  ///     what line protocols need.
  ///   - sorted: Members by their key's bytes; else in their order.
  ///
  /// Controls, quote and backslash are escaped, U+2028 and U+2029 too; everything else keeps its
  /// bytes. Bytes that are no UTF-8 become U+FFFD, since JSON has no other form for them, and a
  /// number that is not finite becomes null.
  public func encoded(pretty: Bool = false, sorted: Bool = false) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty, sorted: sorted)
    writer.write(self)
    return writer.output
  }

  /// The value as one line with its line feed, ready for a line protocol.
  public var line: [UInt8] { encoded() + [0x0a] }
}

struct JSONWriter {
  let pretty: Bool
  let sorted: Bool
  var output: [UInt8] = []
  private var level = 0

  init(pretty: Bool, sorted: Bool) {
    self.pretty = pretty
    self.sorted = sorted
  }

  mutating func write(_ value: JSON) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .integer(let value): append(digits: String(value))
    case .unsigned(let value): append(digits: String(value))
    case .number(let value): append(digits: value.isFinite ? Self.text(of: value) : "null")
    case .string(let bytes): writeString(bytes)
    case .array(let elements):
      list(elements, open: "[", close: "]") { writer, element in writer.write(element) }
    case .object(let members):
      list(sorted ? Self.sorted(members) : members, open: "{", close: "}") { writer, member in
        writer.write(key: member.key)
        writer.append(writer.pretty ? ": " : ":")
        writer.write(member.value)
      }
    }
  }

  private static func sorted(_ members: [JSON.Member]) -> [JSON.Member] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  private static func text(of value: Double) -> String {
    // The shortest text that reads back as the same double; it keeps its point, so that a reader
    // sees a double again.
    "\(value)"
  }

  private mutating func list<T>(
    _ items: [T], open: StaticString, close: StaticString, _ body: (inout JSONWriter, T) -> Void
  ) {
    append(open)
    level += 1
    for (index, item) in items.enumerated() {
      if index > 0 { append(",") }
      newLine()
      body(&self, item)
    }
    level -= 1
    if !items.isEmpty { newLine() }
    append(close)
  }

  private mutating func newLine() {
    if !pretty { return }
    output.append(0x0a)
    output.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  private mutating func append(_ text: StaticString) {
    output.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func append(digits text: String) {
    output.append(contentsOf: text.utf8)
  }

  private mutating func write(key: String) {
    var key = key
    key.withUTF8 { writeValid($0) }
  }

  private mutating func writeString(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { bytes in
      if String(validating: bytes, as: UTF8.self) == nil {
        write(key: String(decoding: bytes, as: UTF8.self))
      } else {
        writeValid(bytes)
      }
    }
  }

  private mutating func writeValid(_ bytes: UnsafeBufferPointer<UInt8>) {
    output.append(0x22)
    var plain = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let length =
        byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f
        ? 1 : byte == 0xe2 && Self.isLineSeparator(bytes, at: index) ? 3 : 0
      if length > 0 {
        output.append(contentsOf: bytes[plain..<index])
        append(digits: Self.escapeText(byte, bytes[index + length - 1]))
        plain = index + length
      }
      index += max(1, length)
    }
    output.append(contentsOf: bytes[plain...])
    output.append(0x22)
  }

  /// U+2028 and U+2029 end a line for some readers of line protocols.
  private static func isLineSeparator(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    index + 2 < bytes.count && bytes[index + 1] == 0x80 && bytes[index + 2] & 0xfe == 0xa8
  }

  private static func escapeText(_ first: UInt8, _ last: UInt8) -> String {
    switch first {
    case 0x22: "\\\""
    case 0x5c: "\\\\"
    case 0x0a: "\\n"
    case 0x0d: "\\r"
    case 0x09: "\\t"
    case 0xe2: last == 0xa8 ? "\\u2028" : "\\u2029"
    default: "\\u00" + (first < 16 ? "0" : "") + String(first, radix: 16)
    }
  }
}
