import SystemIO

extension Timestamp {
  /// Seconds: no file system keeps times in wider steps than FAT.
  static let coarsestStep: UInt32 = 2

  /// True when a file system's steps may make the one of the other.
  func isNear(_ other: Timestamp) -> Bool {
    let (difference, isOver) = seconds.subtractingReportingOverflow(other.seconds)
    return !isOver && difference.magnitude <= Self.coarsestStep
  }
}
