import FaultModel

/// A set of phases as one word.
struct PhaseSet: OptionSet {
  let rawValue: UInt16

  init(rawValue: UInt16) { self.rawValue = rawValue }

  init(_ phase: Phase) {
    let place: UInt16 =
      switch phase {
      case .scan: 0
      case .firstData: 1
      case .synced: 2
      case .readback: 3
      case .named: 4
      case .complete: 5
      case .published: 6
      case .markerGone: 7
      case .dirSynced: 8
      case .done: 9
      }
    rawValue = 1 << place
  }

  func contains(_ phase: Phase) -> Bool { contains(PhaseSet(phase)) }

  mutating func insert(_ phase: Phase) { formUnion(PhaseSet(phase)) }

  /// As scripts write them.
  var names: [String] { Phase.allCases.filter(contains).map(\.rawValue) }
}
