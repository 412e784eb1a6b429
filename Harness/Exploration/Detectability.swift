/// What an engine can know of a fault, computed from the model before anything runs.
public enum Detectability: Hashable, Sendable {
  /// A good engine comes to the same as without the fault.
  case transparent
  /// An engine can tell: nothing may be claimed that is not so.
  case detectable
  /// No engine can tell, for this reason; it may claim no more than its stated level.
  case undetectable(String)

  /// Of two faults at once.
  func with(_ other: Detectability) -> Detectability {
    switch (self, other) {
    case (.undetectable, _): self
    case (_, .undetectable): other
    case (.transparent, .transparent): .transparent
    default: .detectable
    }
  }
}

/// What of a case decides whether its faults can be seen.
public struct CaseTraits: Sendable {
  /// Nothing is read back.
  public var isUnchecked: Bool
  /// The source is read once only.
  public var readsSourceOnce: Bool
  /// The case has one run, no rule of its own, and comes to this word: `verified` or `copied`.
  public var cleanOutcome: String?

  public init(isUnchecked: Bool, readsSourceOnce: Bool, cleanOutcome: String?) {
    self.isUnchecked = isUnchecked
    self.readsSourceOnce = readsSourceOnce
    self.cleanOutcome = cleanOutcome
  }
}
