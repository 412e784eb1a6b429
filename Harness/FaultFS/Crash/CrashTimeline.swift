import FaultModel

/// The states that a crash may leave of one volume, moment by moment in rising order.
final class CrashTimeline {
  let recorder: CrashRecorder
  private let order: BarrierOrder
  /// The last write may also be kept in part, by sectors.
  private let tearsLastWrite: Bool
  /// What is durable at the last moment that was asked for.
  private var durable: VolumeImage
  /// Numbers of operations in the order in which they became durable.
  private let settled: [Int]
  private var nextSettled = 0
  /// Operations that are pending at the last moment, and the first that had not happened.
  private var open: [Int] = []
  private var nextOperation = 0
  private var last: (moment: Int, keep: CrashSubset, found: Found)?

  /// One state and what it has beyond the durable layer.
  struct State {
    let image: VolumeImage
    let fingerprint: UInt64
    /// Numbers of the operations that were kept.
    let kept: [Int]
    /// Bytes that were kept of the last write when it is torn.
    var tornAt: UInt64?
  }

  struct Found {
    /// How many sets of units were looked at.
    var generated = 0
    /// Those that can be told apart, nothing kept first.
    var states: [State] = []
    var pending: [Int] = []
  }

  init(_ recorder: CrashRecorder, _ barriers: Barriers, tearsLastWrite: Bool = false) {
    self.recorder = recorder
    order = BarrierOrder(barriers: barriers)
    self.tearsLastWrite = tearsLastWrite
    durable = recorder.base
    settled = recorder.operations.indices
      .filter { recorder.operations[$0].durableAt < .max }
      .sorted { left, right in
        let (one, other) = (recorder.operations[left], recorder.operations[right])
        return (one.durableAt, left) < (other.durableAt, right)
      }
  }

  /// The states at a moment; nothing happens to a volume between two equal moments.
  func states(at moment: Int, keep: CrashSubset) -> Found {
    if let last, last.moment == moment, last.keep == keep { return last.found }
    advance(to: moment)
    var found = Found()
    found.pending = open
    if case .only(let numbers) = keep, numbers.contains(where: { $0 > open.count }) { return found }
    let units = order.units(open, of: recorder.operations)
    let sets: [[Int]] =
      switch keep {
      case .none: [[]]
      case .all: [Array(units.indices)]
      case .subsets: SubsetChoice(units: units).sets
      case .only(let numbers):
        [SubsetChoice(units: units).closure(of: numbers.map { open[$0 - 1] })]
      }
    var known: Set<UInt64> = []
    func add(_ state: State) {
      found.generated += 1
      if known.insert(state.fingerprint).inserted { found.states.append(state) }
    }
    for set in sets { add(state(set.flatMap { units[$0].operations }.sorted())) }
    if tearsLastWrite, keep == .subsets { torn().forEach(add) }
    last = (moment, keep, found)
    return found
  }

  /// How many changes are unsynced at a moment.
  func pendingCount(at moment: Int) -> Int {
    advance(to: moment)
    return open.count
  }

  private func advance(to moment: Int) {
    let operations = recorder.operations
    var touched: Set<NodeID> = []
    while nextSettled < settled.count, operations[settled[nextSettled]].durableAt <= moment {
      let number = settled[nextSettled]
      durable.apply(operations[number], number: number, made: recorder.nodes)
      if let inode = operations[number].inode { touched.insert(inode) }
      nextSettled += 1
    }
    for inode in touched { durable.flatten(inode) }
    while nextOperation < operations.count, operations[nextOperation].moment <= moment {
      open.append(nextOperation)
      nextOperation += 1
    }
    open.removeAll { !operations[$0].isPending(at: moment) }
  }

  private func state(_ kept: [Int], replacing torn: (number: Int, by: Extent)? = nil) -> State {
    var image = durable
    for number in kept {
      var operation = recorder.operations[number]
      if let torn, torn.number == number, case .data(let node, _) = operation.kind {
        operation = MicroOperation(
          kind: .data(node, torn.by), group: operation.group, moment: operation.moment,
          attributes: operation.attributes)
      }
      image.apply(operation, number: number, made: recorder.nodes)
    }
    var fingerprint = image.fingerprint(recorder.nodes)
    if let torn {
      var mixed = Fingerprint(fingerprint)
      mixed.mix(torn.by.count)
      fingerprint = mixed.value
    }
    return State(
      image: image, fingerprint: fingerprint, kept: kept, tornAt: torn?.by.count)
  }

  private static let sectorByteCount: UInt64 = 512

  /// Everything is kept, but of the last write only the first sector, half, or all but the last.
  private func torn() -> [State] {
    guard let number = open.last(where: { recorder.operations[$0].isData }),
      case .data(_, let extent) = recorder.operations[number].kind,
      !recorder.operations[(number + 1)...].contains(where: {
        $0.isData && $0.moment <= recorder.operations[open.last ?? number].moment
      })
    else { return [] }
    let sectors = (extent.count + Self.sectorByteCount - 1) / Self.sectorByteCount
    let counts = Set([1, sectors / 2, sectors - min(1, sectors)].filter { $0 > 0 && $0 < sectors })
    return counts.sorted().map { count in
      state(open, replacing: (number, Extent(extent, first: count * Self.sectorByteCount)))
    }
  }
}
