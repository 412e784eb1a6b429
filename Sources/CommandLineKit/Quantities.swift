/// Whole numbers as people write them: digits only, no sign, no separators.
enum Digits {
  static func number(_ text: some StringProtocol) -> UInt64? {
    if text.isEmpty || !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return nil }
    return UInt64(text)
  }

  /// A number and the letters after it, each by its own rule.
  static func split(_ text: String) -> (number: UInt64, unit: Substring)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = number(digits) else { return nil }
    return (number, text[digits.endIndex...])
  }
}

/// Byte counts in the units of the fault scripts (`N["B"|"KiB"|"MiB"|"GiB"]`).
public enum ByteCount {
  private static let units: [(name: Substring, bytes: UInt64)] = [
    ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
  ]

  /// The bytes that a size stands for; nil when it is none or does not fit 64 bits.
  public static func parse(_ text: String) -> UInt64? {
    guard let (number, unit) = Digits.split(text) else { return nil }
    if unit.isEmpty { return number }
    guard let factor = units.first(where: { $0.name == unit })?.bytes else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }

  /// A size for people: at most four digits, `973 B`, `1.5 GiB`, `12 MiB`.
  public static func text(_ bytes: UInt64) -> String {
    guard let unit = units.last(where: { bytes >= $0.bytes }) else { return "0 B" }
    if unit.bytes == 1 { return "\(bytes) B" }
    // Down, so that less than everything never reads as everything.
    let tenths = bytes / unit.bytes * 10 + bytes % unit.bytes * 10 / unit.bytes
    let fraction = tenths < 100 && tenths % 10 != 0 ? ".\(tenths % 10)" : ""
    return "\(tenths / 10)\(fraction) \(unit.name)"
  }
}

/// Lengths of time in the units of the fault scripts (`N("ms"|"s"|"m"|"h")`).
public enum TimeSpan {
  /// The duration that a text stands for; nil when it is none or is over 100 years.
  public static func parse(_ text: String) -> Duration? {
    guard let (number, unit) = Digits.split(text) else { return nil }
    let milliseconds: UInt64? =
      switch unit {
      case "ms": 1
      case "s": 1_000
      case "m": 60_000
      case "h": 3_600_000
      default: nil
      }
    guard let milliseconds else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: milliseconds)
    if overflow || product > 100 * 366 * 24 * 3_600_000 { return nil }
    return .milliseconds(Int64(product))
  }

  /// A duration for people: `480 ms`, `12 s`, `3 min 20 s`, `2 h 5 min`.
  public static func text(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    if whole <= 0 { return "\(max(0, attoseconds) / 1_000_000_000_000_000) ms" }
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s") }
    let minutes = whole % 3600 / 60
    return "\(whole / 3600) h" + (minutes == 0 ? "" : " \(minutes) min")
  }
}
