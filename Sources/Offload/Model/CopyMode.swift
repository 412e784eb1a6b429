public import Hashing

/// How thoroughly a copy is checked (docs/offload.md, "Modes").
public enum CopyMode: String, Sendable, Hashable, CaseIterable {
  /// SHA-256 of three witnesses.
  case standard
  /// As standard, with MD5 beside SHA-256.
  case thorough
  /// As standard, and the bytes of the two re-reads are compared one by one.
  case paranoid
  /// Copies durably and reads nothing back: never `verified`.
  case quick

  /// The digests that every witness is reduced to; none in quick mode.
  public var algorithms: [HashAlgorithm] {
    switch self {
    case .standard, .paranoid: return [.sha256]
    case .thorough: return [.sha256, .md5]
    case .quick: return []
    }
  }

  /// True when copies are read back.
  public var verifies: Bool { self != .quick }

  /// True when the re-reads are compared byte by byte as well.
  public var comparesBytes: Bool { self == .paranoid }
}

/// How the bytes were read back, weakest first.
public enum VerificationLevel: String, Sendable, Hashable, CaseIterable, Comparable {
  case notRead = "not read"
  /// Perhaps from memory: never a proof of the medium.
  case cached
  /// After the page cache was proven empty of the file.
  case evicted
  /// By direct I/O, past the page cache.
  case direct

  /// True when the level proves that the bytes came from the medium.
  public var provesMedium: Bool { self >= .evicted }

  public static func < (left: VerificationLevel, right: VerificationLevel) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .notRead: return 0
    case .cached: return 1
    case .evicted: return 2
    case .direct: return 3
    }
  }
}
