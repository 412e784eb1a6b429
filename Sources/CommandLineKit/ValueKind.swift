public import SystemIO

/// How the bytes of an argument become a value, and what to say when they do not.
public struct ValueKind<Value: Sendable>: Sendable {
  let read: @Sendable ([UInt8]) throws(BadValue) -> Value

  /// Makes a kind of its reader, which throws `BadValue` for what it does not take.
  public init(read: @escaping @Sendable ([UInt8]) throws(BadValue) -> Value) {
    self.read = read
  }

  /// The kind whose values are made from this one's.
  public func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(BadValue) -> Other
  ) -> ValueKind<Other> {
    ValueKind<Other> { [read] (bytes) throws(BadValue) in try transform(try read(bytes)) }
  }
}

/// Why an argument is no value of its kind, as the end of a sentence: `is no size`.
public struct BadValue: Error, Hashable, Sendable {
  /// The rest of the sentence that begins with the argument.
  public let complaint: String

  public init(_ complaint: String) {
    self.complaint = complaint
  }
}

extension ValueKind where Value == BytePath {
  /// A path: any bytes but none at all; nothing is normalised.
  public static var path: Self {
    Self { (bytes) throws(BadValue) in
      guard let path = BytePath(bytes), !bytes.isEmpty else { throw BadValue("is no path") }
      return path
    }
  }
}

extension ValueKind where Value == [UInt8] {
  /// The bytes as they are.
  public static var bytes: Self { Self { (bytes) throws(BadValue) in bytes } }
}

extension ValueKind where Value == String {
  /// Text, which must be UTF-8.
  public static var text: Self {
    Self { (bytes) throws(BadValue) in
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw BadValue("is no UTF-8 text")
      }
      return text
    }
  }

  /// One of some words; the complaint lists them and the nearest one.
  public static func oneOf(_ words: [String]) -> Self {
    text.map { (text) throws(BadValue) in
      if words.contains(text) { return text }
      let near = NearNames.of(text, among: words).first.map { "; did you mean \($0)?" } ?? ""
      throw BadValue("is none of \(words.joined(separator: ", "))\(near)")
    }
  }
}

extension ValueKind where Value == UInt64 {
  /// A number of bytes: `512`, `4KiB`, `10MiB`, `2GiB`; the sizes of the fault scripts.
  public static var size: Self {
    ValueKind<String>.text.map { (text) throws(BadValue) in
      guard let size = ByteCount.parse(text) else {
        throw BadValue("is no size; write it as 512, 4KiB, 10MiB or 2GiB")
      }
      return size
    }
  }

  /// A whole number that is not negative.
  public static var number: Self {
    ValueKind<String>.text.map { (text) throws(BadValue) in
      guard let number = Digits.number(text) else { throw BadValue("is no whole number") }
      return number
    }
  }
}

extension ValueKind where Value == Int {
  /// A whole number of a range.
  public static func integer(_ range: ClosedRange<Int>) -> Self {
    ValueKind<UInt64>.number.map { (number) throws(BadValue) in
      guard let value = Int(exactly: number), range.contains(value) else {
        throw BadValue("is not between \(range.lowerBound) and \(range.upperBound)")
      }
      return value
    }
  }
}

extension ValueKind where Value == Duration {
  /// A length of time: `250ms`, `30s`, `10m`, `2h`; the times of the fault scripts.
  public static var duration: Self {
    ValueKind<String>.text.map { (text) throws(BadValue) in
      guard let duration = TimeSpan.parse(text) else {
        throw BadValue("is no length of time; write it as 250ms, 30s, 10m or 2h")
      }
      return duration
    }
  }
}
