extension JSON {
  /// Bounds for a text from outside.
  public struct Limits: Sendable {
    /// The most levels of arrays and objects.
    public let depth: Int
    /// The longest text, in bytes.
    public let byteCount: Int

    public init(depth: Int = 64, byteCount: Int = 256 << 20) {
      self.depth = depth
      self.byteCount = byteCount
    }
  }

  /// Reads the one value that the bytes hold (RFC 8259, strict).
  ///
  /// Whitespace around it is allowed, anything else is not; a member named twice, a string that is
  /// no UTF-8 and a number beyond 64 bits are errors, never guesses. Never traps; time and memory
  /// are linear in the length. Throws `JSONError` with the offset of the first fault.
  public static func parse(
    _ bytes: some Sequence<UInt8>, limits: Limits = Limits()
  ) throws(JSONError) -> JSON {
    let result = bytes.withContiguousStorageIfAvailable { read($0, limits: limits) }
    if let result { return try result.get() }
    return try Array(bytes).withUnsafeBufferPointer { read($0, limits: limits) }.get()
  }

  /// Reads the one value that a text holds; see `parse(_:limits:)` of bytes.
  public static func parse(_ text: String, limits: Limits = Limits()) throws(JSONError) -> JSON {
    try parse(text.utf8, limits: limits)
  }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>, limits: Limits
  ) -> Result<JSON, JSONError> {
    Result { () throws(JSONError) in
      if bytes.count > limits.byteCount { throw JSONError(.tooLong, offset: limits.byteCount) }
      var reader = JSONReader(bytes: bytes, maximumDepth: limits.depth)
      return try reader.document()
    }
  }
}

/// A recursive descent over borrowed bytes; the depth limit bounds the stack.
struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  let maximumDepth: Int
  var position = 0
  private var depth = 0

  init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  mutating func document() throws(JSONError) -> JSON {
    let value = try value()
    skipSpace()
    if position < bytes.count { throw JSONError(.trailingBytes, offset: position) }
    return value
  }

  private mutating func value() throws(JSONError) -> JSON {
    skipSpace()
    switch try peek() {
    case UInt8(ascii: "{"): return try nested { (reader) throws(JSONError) in try reader.object() }
    case UInt8(ascii: "["): return try nested { (reader) throws(JSONError) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw JSONError(.unexpectedByte, offset: position)
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(JSONError) -> JSON
  ) throws(JSONError) -> JSON {
    if depth == maximumDepth { throw JSONError(.tooDeep, offset: position) }
    depth += 1
    position += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONError) -> JSON {
    var elements: [JSON] = []
    if try closes(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value())
      if try !continues(orCloses: UInt8(ascii: "]")) { return .array(elements) }
    }
  }

  private mutating func object() throws(JSONError) -> JSON {
    var members: [JSON.Member] = []
    var keys = SeenKeys()
    if try closes(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      let start = position
      if try peek() != UInt8(ascii: "\"") { throw JSONError(.unexpectedByte, offset: position) }
      let key = try string()
      if !keys.insert(key) { throw JSONError(.duplicateKey, offset: start) }
      skipSpace()
      if try peek() != UInt8(ascii: ":") { throw JSONError(.unexpectedByte, offset: position) }
      position += 1
      members.append(JSON.Member(String(decoding: key, as: UTF8.self), try value()))
      if try !continues(orCloses: UInt8(ascii: "}")) { return .object(members) }
    }
  }

  private mutating func closes(_ closing: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    if try peek() != closing { return false }
    position += 1
    return true
  }

  private mutating func continues(orCloses closing: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    let byte = try peek()
    if byte != closing && byte != UInt8(ascii: ",") {
      throw JSONError(.unexpectedByte, offset: position)
    }
    position += 1
    return byte != closing
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
    for index in 0..<word.utf8CodeUnitCount {
      if try peek() != word.utf8Start[index] { throw JSONError(.unexpectedByte, offset: position) }
      position += 1
    }
    return value
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  func peek() throws(JSONError) -> UInt8 {
    if position >= bytes.count { throw JSONError(.endsEarly, offset: position) }
    return bytes[position]
  }
}

/// The keys of one object: a list while there are few, since hashing costs more than comparing.
private struct SeenKeys {
  private static let listed = 16
  private var list: [[UInt8]] = []
  private var set: Set<[UInt8]> = []

  /// False when the key was there.
  mutating func insert(_ key: [UInt8]) -> Bool {
    if set.isEmpty {
      if list.contains(key) { return false }
      list.append(key)
      if list.count > Self.listed { set = Set(list) }
      return true
    }
    return set.insert(key).inserted
  }
}
