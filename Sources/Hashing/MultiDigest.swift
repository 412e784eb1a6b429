/// Many digests in one pass over a stream, all on the calling thread.
///
/// Equal work is done once: SHA-512 serves C4 too, and one XXH3 state serves both widths. After
/// `finish` the value starts again at nothing, its memory kept.
public struct MultiDigest: ~Copyable, Sendable {
  /// The hashes in the order they were asked for, doubles left out.
  public let algorithms: [HashAlgorithm]
  private let states: [any HashState]
  /// Which state computes each algorithm.
  private let sources: [Int]
  private var byteCount: Int64 = 0

  /// Prepares the hashes.
  ///
  /// - Throws: `unavailable` when the crypto library does not offer one.
  public init(_ algorithms: [HashAlgorithm]) throws(HashingError) {
    var wanted: [HashAlgorithm] = []
    var families: [Family] = []
    var states: [any HashState] = []
    var sources: [Int] = []
    for algorithm in algorithms where !wanted.contains(algorithm) {
      let family = Family(algorithm)
      wanted.append(algorithm)
      if let index = families.firstIndex(of: family) {
        sources.append(index)
        continue
      }
      guard let state = family.state else { throw .unavailable(algorithm) }
      sources.append(states.count)
      families.append(family)
      states.append(state)
    }
    self.algorithms = wanted
    self.states = states
    self.sources = sources
  }

  /// Takes the next bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return }
    byteCount += Int64(bytes.count)
    let length = states.count == 1 ? bytes.count : Self.sliceByteCount
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + length)
      let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      for state in states { state.update(slice) }
      start = end
    }
  }

  /// So much stays in the processor's cache while every hash reads it in turn.
  private static let sliceByteCount = 128 * 1024

  /// The digests of all bytes since the start, and a new start.
  public mutating func finish() -> Digests {
    var raw: [[UInt8]] = []
    for (index, algorithm) in algorithms.enumerated() {
      // OpenSSL's states finish once, so C4 takes SHA-512's digest, or the other way round.
      if algorithm.isSlow, let twin = sources[..<index].firstIndex(of: sources[index]) {
        raw.append(raw[twin])
      } else {
        raw.append(states[sources[index]].digest(algorithm))
      }
    }
    let digests = zip(algorithms, raw).map { Digest(unchecked: $0, $1) }
    defer { reset() }
    return Digests(digests, byteCount: byteCount)
  }

  /// Forgets the bytes so far.
  public mutating func reset() {
    for state in states { state.reset() }
    byteCount = 0
  }
}

/// Hashes that one state computes together.
private enum Family: Hashable {
  case openSSL(String)
  case xxh64, xxh3

  init(_ algorithm: HashAlgorithm) {
    if let name = algorithm.openSSLName {
      self = .openSSL(name)
    } else {
      self = algorithm == .xxh64 ? .xxh64 : .xxh3
    }
  }

  var state: (any HashState)? {
    switch self {
    case .openSSL(let name): return EVPState(name)
    case .xxh64: return XXH64State()
    case .xxh3: return XXH3State()
    }
  }
}
