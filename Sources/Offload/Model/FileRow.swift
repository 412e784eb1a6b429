public import Hashing
public import SystemIO

/// What became of one file on one destination.
public enum RowOutcome: String, Sendable, Hashable, CaseIterable {
  /// The witnesses agree and the bytes were read from the medium.
  case verified
  /// Copied and durable, but nothing proves the medium: success, never `verified`.
  case copiedUnverified
  /// The witnesses do not agree.
  case checksumMismatch
  case failed

  /// True when the copy is there and complete as far as the mode can tell.
  public var isSuccess: Bool { self == .verified || self == .copiedUnverified }
}

/// A cause that a program may want to act on.
public enum FailureReason: String, Sendable, Hashable, CaseIterable {
  case outOfSpace
  /// An AppleDouble companion (`._name`) is in the way of the card's own.
  case companionConflict
}

/// The witness that stands alone against the two others.
public enum Witness: String, Sendable, Hashable, CaseIterable {
  case sourceRead = "source read"
  case sourceReread = "source re-read"
  case destination
}

/// One source file on one destination: the unit of every verdict and report.
public struct FileRow: Sendable, Hashable {
  /// Below the source root.
  public let path: BytePath
  /// Index in `CopyJob.destinations`.
  public let destination: Int
  /// The absolute path of the copy.
  public let target: BytePath
  public let outcome: RowOutcome
  /// How the copy was read back.
  public let level: VerificationLevel
  /// The size in the manifest.
  public let byteCount: Int64
  /// What the bytes hash to; empty when nothing was hashed.
  public let digests: [Digest]
  /// True when an existing file was proven instead of copied.
  public let isReused: Bool
  /// One line; empty for a success.
  public let cause: String
  public let reason: FailureReason?
  public let witness: Witness?

  public init(
    path: BytePath, destination: Int, target: BytePath, outcome: RowOutcome,
    level: VerificationLevel, byteCount: Int64, digests: [Digest] = [], isReused: Bool = false,
    cause: String = "", reason: FailureReason? = nil, witness: Witness? = nil
  ) {
    self.path = path
    self.destination = destination
    self.target = target
    self.outcome = outcome
    self.level = level
    self.byteCount = byteCount
    self.digests = digests
    self.isReused = isReused
    self.cause = cause
    self.reason = reason
    self.witness = witness
  }
}
