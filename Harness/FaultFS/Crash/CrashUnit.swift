import FaultModel

/// What a power cut leaves or loses as a whole: one or several micro-operations.
struct CrashUnit: Equatable {
  /// Numbers of the operations in their log, in order.
  var operations: [Int]
  /// Units, all earlier ones, without which it cannot stand.
  var requires: [Int] = []
}

/// What each barrier model lets a power cut take apart.
///
/// - `strict`: names and attributes in the order of the journal, each request as a whole; a size
///   stands only with the names before it, with the sizes of its file before it and with the bytes
///   written before it. Bytes over old bytes stand alone.
/// - `apfs`: as `strict`, but a size does not wait for the bytes.
/// - `weak`, `ignored`: everything stands alone; a request's entries are one.
/// - `fat`: everything stands alone, each entry too.
struct BarrierOrder {
  let barriers: Barriers

  /// The units of the operations that are pending, in order.
  func units(_ pending: [Int], of operations: [MicroOperation]) -> [CrashUnit] {
    switch barriers {
    case .weak, .ignored: loose(pending, operations, splitsRequests: false)
    case .fat: loose(pending, operations, splitsRequests: true)
    case .strict: journalled(pending, operations, waitsForData: true)
    case .apfs: journalled(pending, operations, waitsForData: false)
    }
  }

  private func loose(
    _ pending: [Int], _ operations: [MicroOperation], splitsRequests: Bool
  ) -> [CrashUnit] {
    var units: [CrashUnit] = []
    for number in pending {
      if !splitsRequests, let last = units.indices.last,
        Self.shareEntries(units[last], number, operations)
      {
        units[last].operations.append(number)
      } else {
        units.append(CrashUnit(operations: [number]))
      }
    }
    return units
  }

  /// Both are entries that one request wrote.
  private static func shareEntries(
    _ unit: CrashUnit, _ number: Int, _ operations: [MicroOperation]
  ) -> Bool {
    guard case .entry = operations[number].kind, let other = unit.operations.last,
      case .entry = operations[other].kind
    else { return false }
    return operations[other].group == operations[number].group
  }

  private func journalled(
    _ pending: [Int], _ operations: [MicroOperation], waitsForData: Bool
  ) -> [CrashUnit] {
    var units: [CrashUnit] = []
    var lastOfJournal: Int?
    var lastSize: [NodeID: Int] = [:]
    var dataUnits: [NodeID: [Int]] = [:]
    /// Bytes behind the end, which nobody sees before their size is there.
    var hidden: [NodeID: [Int]] = [:]
    for number in pending {
      let operation = operations[number]
      switch operation.kind {
      case .entry, .attributes:
        if let last = lastOfJournal, last == units.count - 1,
          Self.shareEntries(units[last], number, operations)
        {
          units[last].operations.append(number)
          continue
        }
        units.append(
          CrashUnit(operations: [number], requires: lastOfJournal.map { [$0] } ?? []))
        lastOfJournal = units.count - 1
      case .data(let node, let extent):
        if waitsForData && extent.isAppended {
          hidden[node, default: []].append(number)
        } else {
          dataUnits[node, default: []].append(units.count)
          units.append(CrashUnit(operations: [number]))
        }
      case .size(let node, _), .cut(let node, _):
        var requires = [lastOfJournal, lastSize[node]].compactMap { $0 }
        if waitsForData { requires += dataUnits[node] ?? [] }
        lastSize[node] = units.count
        units.append(
          CrashUnit(
            operations: (hidden.removeValue(forKey: node) ?? []) + [number],
            requires: requires.sorted()))
      }
    }
    return units
  }
}
