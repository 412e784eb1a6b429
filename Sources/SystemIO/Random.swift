import CLinuxShims

/// A repeatable source: xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64.
///
/// The stream for a seed never changes: runs are repeated by their seed. The standard library's
/// own `random(in:using:)` may change between its versions, so use `below` where it must not.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  public init(seed: UInt64) {
    var filler = SplitMix64(state: seed)
    state = (filler.next(), filler.next(), filler.next(), filler.next())
  }

  /// A raw state, not all zero; for known answers.
  init(state: (UInt64, UInt64, UInt64, UInt64)) {
    self.state = state
  }

  public mutating func next() -> UInt64 {
    let result = Self.rotate(state.1 &* 5, 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = Self.rotate(state.3, 45)
    return result
  }

  /// A number from 0 to `bound` - 1, each equally likely (Lemire's method with rejection).
  public mutating func below(_ bound: UInt64) -> UInt64 {
    precondition(bound > 0, "There is no number below zero")
    let threshold = (0 &- bound) % bound
    while true {
      let (high, low) = next().multipliedFullWidth(by: bound)
      if low >= threshold { return high }
    }
  }

  /// An independent source for a part of the work; the same label gives the same source.
  public func derived(_ label: UInt64) -> SeededRandom {
    var filler = SplitMix64(state: state.0 ^ SplitMix64.mix(label &+ 1))
    return SeededRandom(seed: filler.next())
  }

  /// Fills memory, eight bytes of a number at a time, lowest byte first.
  public mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var done = 0
    while done < buffer.count {
      withUnsafeBytes(of: next().littleEndian) { bytes in
        let count = min(8, buffer.count - done)
        UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        done += count
      }
    }
  }

  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014), as Vigna's public-domain C.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

/// The kernel's random numbers (man 2 getrandom).
public struct SystemRandom: RandomNumberGenerator, Sendable {
  public init() {}

  public mutating func next() -> UInt64 {
    var value: UInt64 = 0
    withUnsafeMutableBytes(of: &value) { Self.fill($0) }
    return value
  }

  /// Fills memory.
  static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let base = buffer.baseAddress else { return }
    var done = 0
    while done < buffer.count {
      // Requests of up to 256 bytes are never cut short once the pool is seeded; EINTR may come
      // only before that, early in boot.
      let count = ls_getrandom(base + done, UInt64(buffer.count - done))
      if count > 0 { done += Int(count) }
    }
  }
}

/// A name that nobody else has: 128 random bits as 32 lower-case hex digits.
public struct RandomID: Hashable, Sendable, CustomStringConvertible {
  /// The digits.
  public let text: String

  /// Takes the bits from the kernel.
  public init() {
    var source = SystemRandom()
    self.init(using: &source)
  }

  /// Takes the bits from any source, for repeatable runs.
  public init(using source: inout some RandomNumberGenerator) {
    let parts: [UInt64] = [source.next(), source.next()]
    text = parts.map { Self.hex($0) }.joined()
  }

  private static func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  public var description: String { text }
}
