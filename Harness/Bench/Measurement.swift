import SystemIO
import Wire

/// What a contender took for one job.
struct Measurement {
  var wall: Duration = .zero
  /// User and system time of all its processes.
  var processor: Duration = .zero
  /// The largest of its processes.
  var peakResidentBytes: Int64 = 0

  var json: JSON {
    .object([
      .init("wallSeconds", .number(wall.seconds)),
      .init("cpuSeconds", .number(processor.seconds)),
      .init("peakResidentBytes", JSON(peakResidentBytes)),
    ])
  }
}

extension Duration {
  var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// The spread of a ratio over the rounds.
struct Ratio {
  let minimum: Double
  let median: Double
  let maximum: Double

  /// nil without rounds.
  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    minimum = first
    maximum = last
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// `0.71 / 0.74 / 0.80`: smallest, median, largest.
  var text: String {
    [minimum, median, maximum].map { Self.twoPlaces($0) }.joined(separator: " / ")
  }

  var json: JSON {
    .object([
      .init("min", .number(minimum)), .init("median", .number(median)),
      .init("max", .number(maximum)),
    ])
  }

  static func twoPlaces(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let rest = String(hundredths % 100)
    return "\(hundredths / 100)." + (rest.utf8.count == 1 ? "0" : "") + rest
  }
}
