/// Something of the language that the rig and the runner must be able to carry out.
enum Feature: Hashable {
  case effect(EffectWord)
  case volumeOption(String)
  case cache(CachePolicy)
  case store(StoreKind)
  case persona(String)
  case statement(String)
  case expectation(String)
  case operation(Operation)

  /// As an error names it.
  var name: String {
    switch self {
    case .effect(let word): word.rawValue
    case .volumeOption("="): "another way to a volume (=)"
    case .volumeOption(let word): word
    case .cache(let policy): "cache \(policy.rawValue)"
    case .store(let kind): "store \(kind.rawValue)"
    case .persona(let name): "persona \(name)"
    case .statement(let words): words
    case .expectation(let word): "expect \(word)"
    case .operation(let operation): operation.rawValue
    }
  }
}

/// What of the language works today. Everything else parses and is refused when a script is
/// loaded, so that no case passes without its fault. Whoever makes a thing work takes it out here.
enum Availability {
  ///
  /// `lock`: the kernel keeps flock and POSIX locks of a FUSE mount to itself unless the file system
  /// plays them whole, waiting included.
  static let missing: Set<Feature> = [.operation(.lock)]

  static func isMissing(_ feature: Feature) -> Bool {
    missing.contains(feature)
  }
}
