import CommandLineKit
import SystemIO
import Wire

/// How much more a process holds in the last fifth of a run than in the second one.
///
/// The median of each stands for it: what a schedule holds for a moment is no growth, and a mount
/// that is being made anew no loss.
struct Growth: Sendable {
  private let early: Typical
  private let late: Typical
  /// Schedules between the two.
  private let schedules: Double

  private struct Typical: Sendable {
    let descriptors: Int
    let threads: Int
    let children: Int
    let bytes: Int64

    init?(_ samples: [ProcessSample]) {
      if samples.isEmpty { return nil }
      func median<Value: Comparable>(_ values: [Value]) -> Value {
        values.sorted()[values.count / 2]
      }
      descriptors = median(samples.map(\.descriptors))
      threads = median(samples.map(\.threads))
      children = median(samples.map(\.children.count))
      bytes = median(samples.map(\.anonymousBytes))
    }
  }

  /// nil for a process that did not live through both.
  init?(
    _ samples: [(time: Duration, sample: ProcessSample)], seconds: Double, schedules: Double
  ) {
    func within(_ range: Range<Double>) -> [ProcessSample] {
      samples.filter { range.contains($0.time.seconds / seconds) }.map(\.sample)
    }
    guard let early = Typical(within(0.2..<0.4)), let late = Typical(within(0.8..<1)) else {
      return nil
    }
    self.early = early
    self.late = late
    self.schedules = max(1, schedules * 0.6)
  }

  init?(before: [ProcessSample], after: [ProcessSample], schedules: Int) {
    guard let early = Typical(before), let late = Typical(after) else { return nil }
    self.early = early
    self.late = late
    self.schedules = Double(max(1, schedules))
  }

  var bytesPerSchedule: Double { Double(late.bytes - early.bytes) / schedules }

  var rateText: String { "\(Int(bytesPerSchedule.rounded()))" }
  var descriptorText: String { "\(early.descriptors) to \(late.descriptors)" }
  var threadText: String { "\(early.threads) to \(late.threads)" }
  var memoryText: String {
    "\(ByteCount.text(UInt64(early.bytes))) to \(ByteCount.text(UInt64(late.bytes)))"
  }

  /// What may not be, one sentence each.
  var problems: [String] {
    var problems: [String] = []
    if late.descriptors > early.descriptors {
      problems.append("descriptors grew from \(descriptorText)")
    }
    if late.threads > early.threads { problems.append("threads grew from \(threadText)") }
    if late.children > early.children {
      problems.append("children grew from \(early.children) to \(late.children)")
    }
    let allowed = Double(SoakBench.spareBytes) + SoakBench.bytesPerSchedule * schedules
    if Double(late.bytes - early.bytes) > allowed {
      problems.append(
        "memory grew from \(memoryText), \(rateText) bytes a schedule")
    }
    return problems
  }

  func json(_ process: String) -> JSON {
    .object([
      .init("process", .text(process)), .init("descriptors", JSON(late.descriptors)),
      .init("threads", JSON(late.threads)), .init("children", JSON(late.children)),
      .init("anonymousBytes", JSON(late.bytes)),
      .init("bytesPerSchedule", .number(bytesPerSchedule)),
    ])
  }
}
