public import FaultModel
public import HarnessKit

/// One schedule: a script of its own with one fault more than the case that it explores.
public struct ExploredSchedule: Sendable {
  /// The index of its base.
  public let base: Int
  public let place: Coverage.Place
  public let detectability: Detectability
  /// Behind the base's title: `x` and ten digits, a pure function of rules and expectation.
  public let id: String
  public let text: String
  /// What is struck, for a second fault.
  let target: Target
}

/// Which schedules an exploration runs.
public struct ExplorationPlan: Sendable {
  public private(set) var schedules: [ExploredSchedule] = []
  public private(set) var coverage = Coverage()
  private let operations: Set<FaultModel.Operation>
  private let prunes: Bool
  private var classes: Set<Sample> = []
  private var coarseClasses: Set<CoarseSample> = []
  private var phaseClasses: Set<PhaseSample> = []
  private var ids: Set<String> = []
  /// Classes of operations that one fault can reach.
  private var reached: Set<EquivalenceClass> = []

  private struct Sample: Hashable {
    let place: EquivalenceClass
    let fault: String
    let detail: String
  }

  private struct CoarseSample: Hashable {
    let place: CoarseClass
    let fault: String
  }

  private struct PhaseSample: Hashable {
    let place: PhaseClass
    let fault: String
    let isSeen: Bool
  }

  /// - `operations`: only these are struck; `setattr` means its parts too. Empty for all.
  /// - `prunes`: one schedule stands for its class.
  public init(operations: Set<FaultModel.Operation> = [], prunes: Bool = true) {
    self.operations = operations
    self.prunes = prunes
  }

  private func admits(_ operation: FaultModel.Operation) -> Bool {
    if operations.isEmpty || operations.contains(operation) { return true }
    let isPart = [.setattrMode, .setattrTimes, .setattrSize].contains(operation)
    return isPart && operations.contains(.setattr)
  }

  /// Adds the schedules of one fault more at each operation of a case.
  ///
  /// Behind a rule of the case that has struck an explored fault is a second one, and is planned as
  /// such. Clean cases should come first, so that it is known what they reach.
  public mutating func add(_ base: ExplorationBase, index: Int) {
    coverage.baseCount += 1
    let operations = base.operations.anchored
    let recording = base.recording(operations)
    let faults = LegalFaults(traits: base.traits, recording: recording)
    for operation in operations {
      coverage.recorded[operation.operation, default: 0] += 1
      if operation.isShadowed, operation.anchor == nil { note(operation) }
      let context = base.context(of: operation)
      let place = base.place(of: operation, recording, context)
      let isKnown =
        !context.isEmpty
        && !isWorthSecond(operation, base, recording, base.targets(of: operation))
      if context.isEmpty { reached.insert(place) }
      guard admits(operation.operation) else { continue }
      for fault in faults.faults(of: operation) {
        if prunes, !context.isEmpty, isKnown || !Self.seconds.contains(fault.name) {
          coverage.prunedCount += 1
        } else {
          add(fault, at: operation, place, base, index)
        }
      }
    }
  }

  /// Adds the schedules of a second fault to one that was explored: on its way out, or on the same
  /// file. Only an error and a loss are tried.
  public mutating func addSecond(_ base: ExplorationBase, index: Int, after first: ExploredSchedule)
  {
    let operations = base.operations.anchored
    let recording = base.recording(operations)
    let faults = LegalFaults(traits: base.traits, recording: recording)
    // The request that the first fault struck has had its answer.
    let rest = operations.drop { $0.struck.isEmpty }.dropFirst()
    for operation in rest where !operation.struck.isEmpty && admits(operation.operation) {
      guard isWorthSecond(operation, base, recording, [first.target]) else { continue }
      let place = base.place(
        of: operation, recording,
        [first.place.fault, first.place.operation.rawValue, first.target.text])
      for fault in faults.faults(of: operation) where Self.seconds.contains(fault.name) {
        let before = schedules.count
        add(fault, at: operation, place, base, index, first.detectability)
        coverage.pairCount += schedules.count - before
      }
    }
  }

  /// An operation behind a first fault that strikes the same file, or that no case asks for that
  /// has no fault before it.
  private func isWorthSecond(
    _ operation: RecordedOperation, _ base: ExplorationBase, _ recording: RecordingIndex,
    _ first: [Target]
  ) -> Bool {
    first.contains(operation.target)
      || !reached.contains(base.place(of: operation, recording, []))
  }

  private static let seconds: Set<String> = ["fail EIO", "fail EINTR", "drop"]

  /// Schedules whose fault is worth a second one: an error, once for each class of operations.
  public var firsts: [ExploredSchedule] { schedules.filter { $0.place.fault == "fail EIO" } }

  /// An empty plan for second faults, which knows what the first ones reach.
  public var continued: ExplorationPlan {
    var plan = ExplorationPlan(operations: operations, prunes: prunes)
    plan.reached = reached
    plan.ids = ids
    return plan
  }

  private mutating func note(_ operation: RecordedOperation) {
    let text = "\(operation.operation.rawValue) \(operation.target.text) nth \(operation.nth)"
    if coverage.unaddressed.count < Self.listLimit { coverage.unaddressed.append(text) }
  }

  private static let listLimit = 200

  private mutating func add(
    _ fault: Fault, at operation: RecordedOperation, _ place: EquivalenceClass,
    _ base: ExplorationBase, _ index: Int, _ first: Detectability = .transparent
  ) {
    if prunes && !isNew(fault, place) {
      coverage.prunedCount += 1
      return
    }
    let seen = fault.detectability.with(first)
    let expected = expectation(fault, seen, base)
    let words = fault.rules + ["\(expected)"]
    let id = Self.id(words.joined(separator: "\n") + base.text + base.mode.rawValue)
    guard ids.insert(id).inserted else { return }
    let cell = Coverage.Place(operation.operation, fault.name)
    coverage.plan(cell)
    schedules.append(
      ExploredSchedule(
        base: index, place: cell, detectability: seen, id: id,
        text: base.schedule.text(id: id, adding: fault.rules, expecting: expected),
        target: operation.target))
  }

  /// Nothing of its class was planned yet.
  private mutating func isNew(_ fault: Fault, _ place: EquivalenceClass) -> Bool {
    if fault.isCoarse {
      return coarseClasses.insert(CoarseSample(place: place.coarse, fault: fault.name)).inserted
    }
    if fault.isPerPhase {
      let isSeen = if case .undetectable = fault.detectability { false } else { true }
      return phaseClasses.insert(PhaseSample(place: place.phase, fault: fault.name, isSeen: isSeen))
        .inserted
    }
    return classes.insert(Sample(place: place, fault: fault.name, detail: fault.detail)).inserted
  }

  private func expectation(
    _ fault: Fault, _ seen: Detectability, _ base: ExplorationBase
  ) -> ScheduleScript.Expected {
    if let reason = base.undetectableReason { return .undetectable(reason) }
    if fault.endsRun, let outcome = base.traits.cleanOutcome {
      // One that is asked to end may be done before it hears of it.
      // Quick mode proves nothing of what stands there already, so that it is in the way.
      return .interrupted(
        first: fault.name == "kill" ? "interrupted" : "sound",
        then: base.mode == .quick ? "recovery" : outcome)
    }
    switch seen {
    case .undetectable(let reason): return .undetectable(reason)
    case .transparent where base.scriptCase.rules.isEmpty: return .asWritten
    case .transparent, .detectable: return .sound
    }
  }

  /// Puts first what fills most cells of the matrix, lets the operations take turns over the cells
  /// and the cases in each cell, so that a run that is cut short has seen something of each; then
  /// keeps at most `limit`.
  public mutating func arrange(limit: Int? = nil) {
    var cells: [Coverage.Place: Int] = [:]
    var turns: [Turn: Int] = [:]
    // How many cells of its operation come before each.
    var row: [Int] = []
    var rows: [FaultModel.Operation: Int] = [:]
    let ranked = schedules.enumerated().map { order, schedule in
      let cell = cells[schedule.place] ?? cells.count
      if cells.updateValue(cell, forKey: schedule.place) == nil {
        row.append(rows[schedule.place.operation, default: 0])
        rows[schedule.place.operation, default: 0] += 1
      }
      let turn = turns[Turn(cell: cell, base: schedule.base), default: 0]
      turns[Turn(cell: cell, base: schedule.base)] = turn + 1
      // Another case begins in each cell.
      let seat = (schedule.base + cell) % max(1, coverage.baseCount)
      return (rank: (turn, seat), cell: cell, order: order, schedule: schedule)
    }
    var ranks: [Int: Int] = [:]
    let seated = ranked.sorted {
      ($0.rank.0, $0.rank.1, $0.order) < ($1.rank.0, $1.rank.1, $1.order)
    }
    .map { item in
      let rank = ranks[item.cell, default: 0]
      ranks[item.cell] = rank + 1
      return (rank: rank, cell: item.cell, schedule: item.schedule)
    }
    schedules = seated.sorted {
      ($0.rank, row[$0.cell], $0.cell) < ($1.rank, row[$1.cell], $1.cell)
    }
    .map(\.schedule)
    guard let limit, schedules.count > limit else { return }
    for left in schedules[limit...] { coverage.plan(left.place, count: -1) }
    coverage.cutCount += schedules.count - limit
    schedules.removeLast(schedules.count - limit)
  }

  /// A case in a cell of the matrix.
  private struct Turn: Hashable {
    let cell: Int
    let base: Int
  }

  /// FNV-1a of 64 bits, the upper forty mixed in, in hexadecimal digits.
  private static func id(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String((hash ^ (hash >> 40)) & 0xff_ffff_ffff, radix: 16)
    return "x" + String(repeating: "0", count: 10 - digits.count) + digits
  }
}
