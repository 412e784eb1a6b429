import SystemIO

extension Timestamp {
  /// `2026-07-11T12:00:01Z`, whole seconds, UTC (RFC 3339).
  var iso8601: String { text(separator: ":") }

  /// The same with `-` for `:`, for file names on every file system.
  var iso8601FileName: String { text(separator: "-") }

  private func text(separator: String) -> String {
    let secondsPerDay: Int64 = 86_400
    let day = (seconds >= 0 ? seconds : seconds - (secondsPerDay - 1)) / secondsPerDay
    let second = seconds - day * secondsPerDay
    let (year, month, dayOfMonth) = Self.date(daysSince1970: day)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))T"
      + clock.joined(separator: separator) + "Z"
  }

  /// The civil date of a day number (Howard Hinnant, "chrono-compatible low-level date algorithms").
  private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
