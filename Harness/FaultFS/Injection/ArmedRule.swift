import FaultModel
import SystemIO

/// A rule at work: what it waits for, what it counted, how often it struck.
final class ArmedRule {
  let rule: Rule
  /// The operations at which it strikes; empty for an act, which strikes at a point.
  let bits: OperationBits
  /// The volume of its requests or of its act; nil when it strikes the subject.
  let volume: String?
  let matcher: TargetMatcher?
  let timing: Timing?
  let progress: Progress?
  var isArmed = false
  /// How often the effect took hold.
  private(set) var fired = 0
  /// The listing in which an entry was struck last.
  var listings: [NodeID: UInt64] = [:]
  private var struck: Set<UInt64> = []
  /// Until when a stale answer goes on, by inode.
  private var windows: [UInt64: ContinuousClock.Instant] = [:]
  private var counts: [UInt64: Int] = [:]
  private var dice: UInt64
  private let firstDice: UInt64

  enum Timing {
    case before(PointWatch)
    case after(PointWatch)
    case between(PointWatch, PointWatch)
  }

  /// A share or a number of bytes that must have gone by.
  struct Progress {
    let measure: Measure
    /// Of the measure's whole; nil when `byteCount` counts.
    let percent: Int?
    let byteCount: UInt64

    enum Measure {
      /// Bytes written to a destination volume, or read from the source.
      case volume(String)
      /// Bytes read of the source, for what strikes the subject.
      case source
      /// Bytes of the file that the request is about.
      case requestedFile
      /// Bytes of the file or folder that this names.
      case file(TargetMatcher)
    }
  }

  init(
    _ rule: Rule, bits: OperationBits, volume: String?, matcher: TargetMatcher?, timing: Timing?,
    progress: Progress?, seed: UInt64
  ) {
    self.rule = rule
    self.bits = bits
    self.volume = volume
    self.matcher = matcher
    self.timing = timing
    self.progress = progress
    firstDice = seed &+ UInt64(rule.id) &* 0x9e37_79b9_7f4a_7c15
    dice = firstDice
  }

  /// As it was made: silent, with nothing counted.
  func reset() {
    isArmed = false
    fired = 0
    listings = [:]
    struck = []
    windows = [:]
    counts = [:]
    dice = firstDice
    switch timing {
    case .before(let watch), .after(let watch): watch.reset()
    case .between(let first, let second):
      first.reset()
      second.reset()
    case nil: break
    }
  }

  var id: Int { rule.id }
  var isAct: Bool { bits.isEmpty }

  var isStale: Bool { if case .stale = rule.effect { true } else { false } }

  /// A lie about stat for so many times: the lookups that go with it are not counted.
  var followsStat: Bool {
    switch rule.effect {
    case .report(.stat), .stale(.stat, _, _): rule.clauses.repetition != .always
    default: false
    }
  }

  /// True while the timing allows requests to be struck.
  var isOpen: Bool {
    switch timing {
    case nil: true
    case .before(let watch): !watch.isReached
    case .after(let watch): watch.isReached
    case .between(let first, let second): first.isReached && !second.isReached
    }
  }

  /// Counts one more match and says whether `nth`, `every` and `chance` pick it.
  func picks(_ key: UInt64) -> Bool {
    if rule.clauses.nth != nil || rule.clauses.every != nil {
      let count = counts[key, default: 0] + 1
      counts[key] = count
      if let nth = rule.clauses.nth, count != nth { return false }
      if let every = rule.clauses.every, count % every != 0 { return false }
    }
    if let chance = rule.clauses.chance, roll() >= chance { return false }
    return true
  }

  /// Strikes are left: without a word of repetition one for each inode, `once` and `times` for the
  /// whole case; `every` and `chance` repeat by themselves.
  func hasStrikesLeft(_ key: UInt64) -> Bool {
    if let end = windows[key] { return ContinuousClock.now < end }
    return switch rule.clauses.repetition {
    case .always: true
    case .once: fired < 1
    case .times(let limit): fired < limit
    case nil:
      if isAct {
        fired < 1
      } else if rule.clauses.every != nil || rule.clauses.chance != nil {
        true
      } else {
        !struck.contains(key)
      }
    }
  }

  /// The effect took hold.
  func tookHold(_ key: UInt64) {
    fired += 1
    struck.insert(key)
    if case .stale(_, _, let milliseconds?) = rule.effect, windows[key] == nil {
      windows[key] = ContinuousClock.now + .milliseconds(Int64(clamping: milliseconds))
    }
  }

  private func roll() -> Double {
    dice = dice &+ 0x9e37_79b9_7f4a_7c15
    var mixed = dice
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    mixed ^= mixed >> 31
    return Double(mixed >> 11) / 9_007_199_254_740_992
  }
}
