/// Which cases are looked at twice: a pure function of the run's seed and the case's id, so that a
/// run with the same seed looks at the same ones.
struct Sample {
  private let value: UInt64

  /// One worker run in this many is repeated in a fresh process.
  static let repeatedOneIn: UInt64 = 100
  /// One case in this many is judged again by outside tools.
  static let outsideOneIn: UInt64 = 500

  init(seed: UInt64, id: String) {
    // FNV-1a, 64 bits, then a finaliser, since neighbouring ids differ in few bits.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
    for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    value = hash ^ (hash >> 33)
  }

  var isRepeated: Bool { value % Self.repeatedOneIn == 0 }
  var isSeenOutside: Bool { (value >> 20) % Self.outsideOneIn == 0 }
}
