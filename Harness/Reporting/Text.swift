/// Numbers as people read them.
enum Text {
  /// One digit after the point.
  static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }

  /// `0.4 s`, `34 s`, `5 min 02 s`, `3 h 07 min`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 10 { return decimal(seconds) + " s" }
    let whole = Int(min(seconds, 1e9).rounded())
    if whole < 120 { return "\(whole) s" }
    if whole < 7200 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
    return "\(whole / 3600) h \(twoDigits(whole / 60 % 60)) min"
  }

  private static func twoDigits(_ value: Int) -> String {
    value < 10 ? "0\(value)" : "\(value)"
  }

  /// Seconds with three digits after the point, as JUnit readers take them.
  static func junitSeconds(_ seconds: Double) -> String {
    let thousandths = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let digits = String(thousandths % 1000)
    let zeros = String(repeating: "0", count: 3 - digits.count)
    return "\(thousandths / 1000).\(zeros)\(digits)"
  }
}
