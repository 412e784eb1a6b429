/// Reads the small words of scripts and card tables: strings, sizes, durations, times.
enum Literals {
  /// The longest string after its escapes and repeats, in bytes.
  static let longestString = 1 << 16

  /// A string error: where in the word it is, and what is wrong.
  struct Flaw: Error {
    /// Bytes from the start of the word.
    let position: Int
    let message: String
  }

  /// The bytes of `"text"` or `"text"*N`. Escapes: `\n`, `\\`, `\"`, `\xNN`, `\u{...}`.
  static func string(_ word: ArraySlice<UInt8>) throws(Flaw) -> [UInt8] {
    let bytes = Array(word)
    var value: [UInt8] = []
    var position = 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      if bytes[position] == UInt8(ascii: "\\") {
        try escape(in: bytes, at: &position, into: &value)
      } else {
        value.append(bytes[position])
        position += 1
      }
    }
    guard bytes.first == UInt8(ascii: "\""), position < bytes.count else {
      throw Flaw(position: 0, message: "not a quoted string")
    }
    if value.contains(0) { throw Flaw(position: 0, message: "a name cannot hold a NUL byte") }
    let rest = bytes[(position + 1)...]
    return rest.isEmpty ? value : try repeated(value, rest, at: position + 1)
  }

  private static func repeated(
    _ value: [UInt8], _ rest: ArraySlice<UInt8>, at position: Int
  ) throws(Flaw) -> [UInt8] {
    guard rest.first == UInt8(ascii: "*"), let times = number(rest.dropFirst()), times > 0 else {
      throw Flaw(position: position, message: "only *N with a count may follow a string")
    }
    guard times <= UInt64(longestString), value.count * Int(times) <= longestString else {
      throw Flaw(
        position: position, message: "the string is longer than \(longestString) bytes")
    }
    var all: [UInt8] = []
    all.reserveCapacity(value.count * Int(times))
    for _ in 0..<times { all += value }
    return all
  }

  private static func escape(
    in bytes: [UInt8], at position: inout Int, into value: inout [UInt8]
  ) throws(Flaw) {
    let start = position
    let letter = position + 1 < bytes.count ? bytes[position + 1] : 0
    position += 2
    switch letter {
    case UInt8(ascii: "n"): value.append(0x0a)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""): value.append(letter)
    case UInt8(ascii: "x"):
      guard position + 2 <= bytes.count, let byte = hex(bytes[position..<position + 2]) else {
        throw Flaw(position: start, message: "\\x needs two hex digits")
      }
      value.append(UInt8(byte))
      position += 2
    case UInt8(ascii: "u"):
      guard position < bytes.count, bytes[position] == UInt8(ascii: "{"),
        let close = bytes[position...].firstIndex(of: UInt8(ascii: "}")), close <= position + 7,
        let number = hex(bytes[(position + 1)..<close]), let scalar = Unicode.Scalar(number)
      else {
        throw Flaw(position: start, message: "\\u{...} needs 1 to 6 hex digits of a character")
      }
      value.append(contentsOf: Array(String(Character(scalar)).utf8))
      position = close + 1
    default:
      throw Flaw(position: start, message: "unknown escape; there are \\n \\\\ \\\" \\xNN \\u{...}")
    }
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt32? {
    guard !digits.isEmpty, digits.allSatisfy({ isHexDigit($0) }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  /// A decimal number without sign; nil when it is none or does not fit.
  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    guard !bytes.isEmpty, bytes.count <= 20, bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      return nil
    }
    return UInt64(String(decoding: bytes, as: UTF8.self))
  }

  /// A number with one of the units behind it; nil when it is none or does not fit.
  private static func scaled(
    _ bytes: ArraySlice<UInt8>, units: [(suffix: String, factor: UInt64)]
  ) -> UInt64? {
    let digits = bytes.prefix { $0 >= 0x30 && $0 <= 0x39 }
    let suffix = bytes.dropFirst(digits.count)
    guard let count = number(digits),
      let unit = units.first(where: { suffix.elementsEqual($0.suffix.utf8) })
    else { return nil }
    let (value, overflow) = count.multipliedReportingOverflow(by: unit.factor)
    return overflow || value > UInt64(Int64.max) ? nil : value
  }

  /// `N`, `NB`, `NKiB`, `NMiB` or `NGiB`, in bytes.
  static func size(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    scaled(
      bytes,
      units: [("", 1), ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)])
  }

  /// `Nms`, `Ns`, `Nm` or `Nh`, in milliseconds.
  static func duration(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    scaled(bytes, units: [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)])
  }

  /// An RFC 3339 time from 1900 to 2261 in nanoseconds since 1970.
  ///
  /// `YYYY-MM-DDTHH:MM:SS[.fraction](Z|+HH:MM|-HH:MM)`; a fraction has 1 to 9 digits.
  static func time(_ word: ArraySlice<UInt8>) -> Int64? {
    var reader = FieldReader(rest: word)
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2),
      reader.take("-"), let day = reader.digits(2), reader.take("T"),
      let hour = reader.digits(2), reader.take(":"), let minute = reader.digits(2),
      reader.take(":"), let second = reader.digits(2),
      let nanoseconds = reader.fraction(), let zoneMinutes = reader.zone(), reader.rest.isEmpty,
      (1900...2261).contains(year), (1...12).contains(month),
      (1...daysInMonth(month, year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let seconds =
      daysSince1970(year, month, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
      - Int64(zoneMinutes * 60)
    return seconds * 1_000_000_000 + nanoseconds
  }

  private static func daysInMonth(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func isLeap(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
    func daysBefore(_ year: Int) -> Int {
      let past = year - 1
      return past * 365 + past / 4 - past / 100 + past / 400
    }
    let months = (1..<month).reduce(0) { $0 + daysInMonth($1, year) }
    return Int64(daysBefore(year) - daysBefore(1970) + months + day - 1)
  }
}

/// Takes fixed fields from the front of a time.
private struct FieldReader {
  var rest: ArraySlice<UInt8>

  mutating func digits(_ count: Int) -> Int? {
    guard rest.count >= count, let value = Literals.number(rest.prefix(count)) else { return nil }
    rest = rest.dropFirst(count)
    return Int(value)
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  mutating func fraction() -> Int64? {
    guard take(".") else { return 0 }
    let digits = rest.prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard (1...9).contains(digits.count), let value = Literals.number(digits) else { return nil }
    rest = rest.dropFirst(digits.count)
    return (digits.count..<9).reduce(Int64(value)) { value, _ in value * 10 }
  }

  mutating func zone() -> Int? {
    if take("Z") { return 0 }
    let isEast = rest.first == UInt8(ascii: "+")
    guard take("+") || take("-"), let hours = digits(2), take(":"), let minutes = digits(2),
      hours < 24, minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (isEast ? 1 : -1)
  }
}

extension Literals {
  /// Permission bits: up to five octal digits, 07777 at most.
  static func octal(_ bytes: ArraySlice<UInt8>) -> UInt16? {
    guard (1...5).contains(bytes.count), bytes.allSatisfy({ (0x30...0x37).contains($0) }),
      let value = UInt16(String(decoding: bytes, as: UTF8.self), radix: 8), value <= 0o7777
    else { return nil }
    return value
  }
}
