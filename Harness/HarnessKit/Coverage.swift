public import FaultModel

/// What an exploration planned and came to: operations against faults.
public struct Coverage: Sendable, Equatable {
  /// A cell of the matrix.
  public struct Place: Hashable, Sendable, Comparable {
    public let operation: Operation
    /// `fail EIO`, `torn`, `kill`.
    public let fault: String

    public init(_ operation: Operation, _ fault: String) {
      self.operation = operation
      self.fault = fault
    }

    public static func < (left: Place, right: Place) -> Bool {
      let rows = (left.operation.rawValue, right.operation.rawValue)
      return rows.0 != rows.1 ? rows.0 < rows.1 : left.fault < right.fault
    }
  }

  /// Schedules of one cell.
  public struct Cell: Hashable, Sendable {
    public var planned = 0
    /// Run to a verdict.
    public var run = 0
    /// Passed, faults that an engine can see.
    public var passed = 0
    /// Passed, faults that no engine can see: nothing was claimed beyond its level.
    public var undetectable = 0
    public var failed = 0
    public var notExercised = 0
    /// Blocked or broken.
    public var other = 0

    public init() {}

    static func + (left: Cell, right: Cell) -> Cell {
      var sum = left
      sum.planned += right.planned
      sum.run += right.run
      sum.passed += right.passed
      sum.undetectable += right.undetectable
      sum.failed += right.failed
      sum.notExercised += right.notExercised
      sum.other += right.other
      return sum
    }
  }

  public private(set) var cells: [Place: Cell] = [:]
  /// Requests that were recorded, by operation.
  public var recorded: [Operation: Int] = [:]
  /// Requests that no rule strikes alone, as text, with the reason; their operation and target may
  /// be covered by others.
  public var unaddressed: [String] = []
  /// Schedules that stand for others of their class, and were left out.
  public var prunedCount = 0
  /// Schedules that a limit of the command line left out.
  public var cutCount = 0
  /// No operation was left out on purpose.
  public var isWhole = true
  /// Cases that were explored.
  public var baseCount = 0
  /// Schedules with two faults, in the cell of their second one.
  public var pairCount = 0
  /// States after a crash that were judged.
  public var crashStateCount = 0
  /// Seconds of running schedules.
  public var seconds = 0.0

  public init() {}

  public mutating func plan(_ place: Place, count: Int = 1) {
    cells[place, default: Cell()].planned += count
  }

  public mutating func add(_ verdict: Verdict, at place: Place, isUndetectable: Bool) {
    cells[place, default: Cell()].run += 1
    switch verdict {
    case .pass where isUndetectable: cells[place, default: Cell()].undetectable += 1
    case .pass: cells[place, default: Cell()].passed += 1
    case .fail: cells[place, default: Cell()].failed += 1
    case .notExercised: cells[place, default: Cell()].notExercised += 1
    case .blocked, .broken: cells[place, default: Cell()].other += 1
    }
  }

  public var total: Cell { cells.values.reduce(Cell(), +) }

  /// Sums of one operation.
  public func row(_ operation: Operation) -> Cell {
    cells.filter { $0.key.operation == operation }.values.reduce(Cell(), +)
  }

  /// Operations that were struck at least once, in order.
  public var operations: [Operation] {
    let known = Set(cells.keys.map(\.operation))
    return Operation.allCases.filter(known.contains)
  }

  public var faults: [String] { Set(cells.keys.map(\.fault)).sorted() }

  /// Operations of the language that the subject never asked for.
  public var neverReached: [Operation] {
    Operation.allCases.filter { recorded[$0] == nil }
  }

  /// Operations that the subject asked for and that nothing struck.
  public var neverStruck: [Operation] {
    Operation.allCases.filter { (recorded[$0] ?? 0) > 0 && row($0).run == 0 }
  }

  /// Adds what another plan holds.
  public mutating func merge(_ other: Coverage) {
    cells.merge(other.cells, uniquingKeysWith: +)
    recorded.merge(other.recorded, uniquingKeysWith: +)
    unaddressed += other.unaddressed
    isWhole = isWhole && other.isWhole
    prunedCount += other.prunedCount
    cutCount += other.cutCount
    baseCount += other.baseCount
    pairCount += other.pairCount
    crashStateCount += other.crashStateCount
    seconds += other.seconds
  }

  /// Takes back the schedules that did not run, since the time was over.
  public mutating func cutRest() {
    for (place, cell) in cells where cell.planned > cell.run {
      cutCount += cell.planned - cell.run
      cells[place]?.planned = cell.run
    }
  }

  /// What shows that the plan was not carried out, one line each; none for a sound exploration.
  public var problems: [String] {
    var problems = cells.sorted { $0.key < $1.key }.filter { $0.value.planned != $0.value.run }
      .map { place, cell in
        "\(place.operation.rawValue), \(place.fault): \(cell.planned) schedules planned, "
          + "\(cell.run) run"
      }
    if isWhole, cutCount == 0, !neverStruck.isEmpty {
      let names = neverStruck.map(\.rawValue).joined(separator: ", ")
      problems.append("the subject asked for \(names), and nothing struck it")
    }
    if total.planned == 0, cutCount == 0 { problems.append("nothing was planned") }
    return problems
  }

  /// Schedules a minute, while they ran.
  public var perMinute: Double { seconds > 0 ? Double(total.run) * 60 / seconds : 0 }
}
