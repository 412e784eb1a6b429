/// The rate of something that grows, over its last ten seconds.
///
/// The window is short, so that a slow drive shows soon; a time left is given only after two
/// seconds of samples, since the first ones come from caches.
public struct RateWindow: Sendable {
  private var samples: [(at: Duration, amount: UInt64)] = []
  private let width: Duration = .seconds(10)
  private let least: Duration = .seconds(2)

  /// How many samples are kept.
  var sampleCount: Int { samples.count }

  public init() {}

  /// Takes the amount reached at a time of a monotonic clock; earlier times are ignored.
  public mutating func add(_ amount: UInt64, at now: Duration) {
    if let last = samples.last, now < last.at { return }
    // Ten samples a second are enough; a caller that is faster replaces the last one.
    if samples.count > 1, now - samples[samples.count - 2].at < .milliseconds(100) {
      samples[samples.count - 1] = (now, amount)
    } else {
      samples.append((now, amount))
    }
    while samples.count > 2, now - samples[1].at >= width { samples.removeFirst() }
  }

  /// Amount a second; nil until there are two samples apart in time.
  public var perSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
    let amount = last.amount >= first.amount ? Double(last.amount - first.amount) : 0
    return amount / ((last.at - first.at) / Duration.seconds(1))
  }

  /// The time until `total` is reached; nil while it cannot be told.
  public func left(until total: UInt64) -> Duration? {
    guard let first = samples.first, let last = samples.last, last.at - first.at >= least,
      let rate = perSecond, rate > 0
    else { return nil }
    let seconds = Double(total > last.amount ? total - last.amount : 0) / rate
    return seconds < 100 * 366 * 86_400 ? .seconds(Int64(seconds.rounded(.up))) : nil
  }
}
