/// One digest: which hash and its bytes. Two are equal when both are, however they were written.
public struct Digest: Hashable, Sendable {
  public let algorithm: HashAlgorithm
  /// Big-endian, as the canonical form of each hash has it.
  public let bytes: [UInt8]

  /// Makes a digest; nil when the length is not that of the hash.
  public init?(_ algorithm: HashAlgorithm, bytes: [UInt8]) {
    guard bytes.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Reads the text form: hex in either case, or a C4 ID; nil for anything else.
  public init?(_ algorithm: HashAlgorithm, text: some StringProtocol) {
    let bytes = algorithm == .c4 ? C4.bytes(of: text) : Hex.bytes(of: text)
    guard let bytes else { return nil }
    self.init(algorithm, bytes: bytes)
  }

  init(unchecked algorithm: HashAlgorithm, _ bytes: [UInt8]) {
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// Lower-case hex, or the C4 ID.
  public var text: String {
    algorithm == .c4 ? C4.text(of: bytes) : Hex.text(of: bytes)
  }
}

extension Digest: CustomStringConvertible {
  /// `sha256:e3b0…`, whole.
  public var description: String { "\(algorithm.rawValue):\(text)" }
}

/// The digests of one stream, in the order they were asked for.
public struct Digests: Hashable, Sendable {
  public let all: [Digest]
  /// Bytes that went in.
  public let byteCount: Int64

  init(_ all: [Digest], byteCount: Int64) {
    self.all = all
    self.byteCount = byteCount
  }

  /// The digest of one hash; nil when it was not asked for.
  public subscript(algorithm: HashAlgorithm) -> Digest? {
    all.first { $0.algorithm == algorithm }
  }

  /// The digests of both, of one stream that two hashed side by side.
  public func joined(with other: Digests) -> Digests {
    Digests(all + other.all, byteCount: max(byteCount, other.byteCount))
  }

  /// The digests of these hashes, in this order; those that were not asked for are left out.
  public func ordered(as algorithms: [HashAlgorithm]) -> Digests {
    Digests(algorithms.compactMap { self[$0] }, byteCount: byteCount)
  }

  /// The digests of bytes in memory.
  public static func of(
    _ bytes: [UInt8], _ algorithms: [HashAlgorithm]
  ) throws(HashingError) -> Digests {
    var digest = try MultiDigest(algorithms)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }
}
