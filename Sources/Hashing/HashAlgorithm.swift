public import SystemIO

/// A hash that evidence and media hash lists use.
public enum HashAlgorithm: String, Hashable, Sendable, CaseIterable {
  case md5
  case sha1
  case sha256
  case sha512
  /// XXH64, seed 0.
  case xxh64
  /// XXH3, 64 bits, seed 0.
  case xxh3
  /// XXH3, 128 bits, seed 0.
  case xxh128
  /// SHA-512 written as a C4 ID (SMPTE ST 2114).
  case c4

  /// The length of the digest, not of its text.
  public var byteCount: Int {
    switch self {
    case .md5, .xxh128: return 16
    case .sha1: return 20
    case .sha256: return 32
    case .sha512, .c4: return 64
    case .xxh64, .xxh3: return 8
    }
  }

  /// The length of the digest's text: hex, or 90 characters for a C4 ID.
  public var textLength: Int { self == .c4 ? C4.textLength : 2 * byteCount }

  /// True for the hashes that are slower than a fast disk and deserve a thread of their own.
  public var isSlow: Bool { openSSLName != nil }

  /// OpenSSL's name of the digest that is computed; nil for the xxHash family.
  var openSSLName: String? {
    switch self {
    case .md5: return "MD5"
    case .sha1: return "SHA1"
    case .sha256: return "SHA256"
    case .sha512, .c4: return "SHA512"
    case .xxh64, .xxh3, .xxh128: return nil
    }
  }
}

extension HashAlgorithm: Comparable {
  /// The order of the list above, for stable reports.
  public static func < (left: HashAlgorithm, right: HashAlgorithm) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .md5: return 0
    case .sha1: return 1
    case .sha256: return 2
    case .sha512: return 3
    case .xxh64: return 4
    case .xxh3: return 5
    case .xxh128: return 6
    case .c4: return 7
    }
  }
}

/// Why a digest cannot be computed.
public enum HashingError: Error, Hashable, Sendable {
  /// The crypto library does not offer it, as MD5 in FIPS mode.
  case unavailable(HashAlgorithm)
  /// No thread could be started for a slow one.
  case thread(SystemError)
}

extension HashingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unavailable(let algorithm):
      return "the crypto library of this machine has no \(algorithm.rawValue)"
    case .thread(let error): return "\(error)"
    }
  }
}
