import FaultModel

/// Disjoint ranges of bytes in order.
struct RangeList {
  private(set) var ranges: [Range<UInt64>] = []

  var isEmpty: Bool { ranges.isEmpty }

  mutating func insert(_ range: ByteRange) {
    guard range.count > 0 else { return }
    var lower = range.offset
    var upper = range.offset + range.count
    let touched = ranges.filter { $0.lowerBound <= upper && $0.upperBound >= lower }
    for other in touched {
      lower = min(lower, other.lowerBound)
      upper = max(upper, other.upperBound)
    }
    ranges.removeAll { $0.lowerBound <= upper && $0.upperBound >= lower }
    let place = ranges.firstIndex { $0.lowerBound > lower } ?? ranges.count
    ranges.insert(lower..<upper, at: place)
  }

  mutating func remove(_ range: ByteRange) {
    if ranges.isEmpty { return }
    let end = range.offset + range.count
    ranges = ranges.flatMap { held -> [Range<UInt64>] in
      guard held.overlaps(range.offset..<end) else { return [held] }
      var rest: [Range<UInt64>] = []
      if held.lowerBound < range.offset { rest.append(held.lowerBound..<range.offset) }
      if held.upperBound > end { rest.append(end..<held.upperBound) }
      return rest
    }
  }
}
