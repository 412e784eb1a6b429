import FaultModel
import SystemIO

/// The recording of a run on all destinations, and the states that a crash could have left.
///
/// Volumes that the crash does not strike are brought to what they showed at the crash point.
final class CrashRecording {
  private let members: [Member]
  private let keep: CrashSubset
  private var points: [Point]
  /// Only the last point counts: the crash came there.
  private var isAtOnePoint = false
  /// Nothing more is noted.
  private(set) var isOver = false
  private var found: Found?

  private struct Member {
    let volume: FaultyVolume
    let store: MemoryVolume
    let recorder: CrashRecorder
    /// The crash strikes it.
    let isStruck: Bool
    let barriers: Barriers
  }

  /// A moment between two requests.
  private struct Point {
    /// What came right before; nil at the start and once the subject had ended.
    let entry: TraceRing.Entry?
    let moments: [Int]
    let isClaimed: Bool
    var operationCount = 0
    let time = SystemClock().monotonic()
  }

  private struct Found {
    var list: CrashStateList
    /// One image for each member.
    var picks: [[CrashTimeline.State]] = []
    /// The versions that equal bytes were given, for each member.
    var versions: [[UInt64: UInt64]] = []
  }

  /// Begins a recording on every destination.
  ///
  /// - Throws: for a destination on a backed store, which has no log.
  init(
    _ volumes: [FaultyVolume], struck: Set<String>, keep: CrashSubset
  ) throws(RigError) {
    self.keep = keep
    var members: [Member] = []
    for volume in volumes where !volume.isSource || struck.contains(volume.name) {
      let store = volume.store
      guard store.backing == nil else {
        throw RigError("volume \(volume.name) has a backed store, which keeps no log of states")
      }
      members.append(
        Member(
          volume: volume, store: store, recorder: store.record(),
          isStruck: struck.contains(volume.name), barriers: store.barriers))
    }
    self.members = members
    points = [
      Point(entry: nil, moments: members.map(\.recorder.moment), isClaimed: false)
    ]
  }

  // MARK: Noting

  /// A request is over: a point, if it changed what a crash may leave.
  ///
  /// - `operationCount`: requests that were recorded so far.
  func note(_ entry: TraceRing.Entry, operationCount: Int) {
    guard !isOver, isNews else { return }
    add(entry, isClaimed: false)
    points[points.count - 1].operationCount = operationCount
  }

  private var isNews: Bool {
    let moments = points[points.count - 1].moments
    return zip(members, moments).contains { $0.0.recorder.moment != $0.1 }
  }

  private func add(_ entry: TraceRing.Entry?, isClaimed: Bool) {
    points.append(
      Point(
        entry: entry, moments: members.map(\.recorder.moment), isClaimed: isClaimed))
  }

  /// The subject has ended.
  func end(claimed: Bool) {
    if isOver { return }
    add(nil, isClaimed: claimed)
    stop()
  }

  /// The crash comes now, and nowhere else.
  func strike(isClaimed: Bool) {
    if isOver { return }
    add(nil, isClaimed: isClaimed)
    isAtOnePoint = true
    stop()
  }

  private func stop() {
    isOver = true
    for member in members { member.store.recorder = nil }
  }

  // MARK: States

  /// Every state that can be told apart; the recording ends if it has not.
  ///
  /// - `tearsLastWrite`: the last write before a point may also be kept in part.
  func states(tearsLastWrite: Bool = false) -> CrashStateList {
    if let found { return found.list }
    end(claimed: false)
    let timelines = members.map {
      CrashTimeline($0.recorder, $0.barriers, tearsLastWrite: tearsLastWrite)
    }
    var list = CrashStateList(points: 0, generated: 0, states: [])
    var picks: [[CrashTimeline.State]] = []
    var known: [[UInt64]: Int] = [:]
    let struck = members.indices.filter { members[$0].isStruck }
    for (number, point) in points.enumerated() {
      if isAtOnePoint && number < points.count - 1 { continue }
      list.points += 1
      let keeps = self.keeps(at: point, timelines)
      let volumes = members.indices.map { index in
        timelines[index].states(at: point.moments[index], keep: keeps[index])
      }
      let combined = CrashProduct(counts: volumes.map(\.states.count)).picks
      list.generated +=
        members.count == 1
        ? volumes[0].generated : max(combined.count, volumes.map(\.generated).max() ?? 0)
      let text = text(of: point)
      for pick in combined {
        let states = zip(volumes, pick).map { $0.0.states[$0.1] }
        let key = states.map(\.fingerprint) + [point.isClaimed ? 1 : 0]
        if let index = known[key] {
          // What was claimed meanwhile must hold in it too.
          list.states[index].time = point.time
          continue
        }
        known[key] = list.states.count
        list.states.append(
          CrashState(
            point: number, moment: text, isClaimed: point.isClaimed,
            kept: Self.numbers(struck.map { (volumes[$0].pending, states[$0].kept) }),
            pending: struck.reduce(0) { $0 + volumes[$1].pending.count },
            operationCount: point.operationCount, time: point.time))
        picks.append(states)
      }
    }
    found = Found(
      list: list, picks: picks, versions: Array(repeating: [:], count: members.count))
    return list
  }

  /// What is kept of each volume: numbers of changes are shared out among those that are struck.
  private func keeps(at point: Point, _ timelines: [CrashTimeline]) -> [CrashSubset] {
    var before = 0
    return members.indices.map { index in
      guard members[index].isStruck else { return .all }
      guard case .only(let numbers) = keep else { return keep }
      let count = timelines[index].pendingCount(at: point.moments[index])
      defer { before += count }
      let isLast = members[(index + 1)...].allSatisfy { !$0.isStruck }
      // What no volume has leaves the last one without a state.
      return .only(
        numbers.filter { $0 > before && ($0 <= before + count || isLast) }.map { $0 - before })
    }
  }

  /// The places of kept changes among those that are pending, volume by volume, from 1.
  private static func numbers(_ volumes: [(pending: [Int], kept: [Int])]) -> [Int] {
    var numbers: [Int] = []
    var before = 1
    for (pending, kept) in volumes {
      let kept = Set(kept)
      numbers += pending.indices.filter { kept.contains(pending[$0]) }.map { $0 + before }
      before += pending.count
    }
    return numbers
  }

  private func text(of point: Point) -> String {
    if let entry = point.entry {
      return "after \(entry.volume.name): \(entry.volume.text(of: entry))"
    }
    return point.isClaimed ? "after the run" : isAtOnePoint ? "at the rule" : "before any change"
  }

  private static func kept(_ member: Member, _ state: CrashTimeline.State) -> [String] {
    let names = OperationNames(member.volume, member.recorder)
    return state.kept.enumerated().map { place, number in
      let text = "\(member.volume.name): \(names.text(of: number))"
      guard let torn = state.tornAt, place == state.kept.count - 1 else { return text }
      return text + " (a write torn at \(torn))"
    }
  }

  /// Brings every destination to a state of the list.
  ///
  /// - Returns: the volumes that the crash struck, and the unsynced changes that were kept.
  func install(
    _ index: Int
  ) throws(RigError) -> (volumes: [FaultyVolume], kept: [String]) {
    _ = states()
    guard let picks = found?.picks, picks.indices.contains(index) else {
      throw RigError("the recording has no state \(index)")
    }
    var kept: [String] = []
    for (number, member) in members.enumerated() {
      let state = picks[index][number]
      if member.isStruck { kept += Self.kept(member, state) }
      member.store.install(state.image, member.recorder.nodes) { key in
        if let version = found?.versions[number][key] { return version }
        let version = member.store.nextVersion()
        found?.versions[number][key] = version
        return version
      }
      member.volume.wasInstalled()
    }
    return (members.filter(\.isStruck).map(\.volume), kept)
  }
}

/// Which states of several volumes are put together: all combinations up to a limit; beyond it each
/// state of one volume beside the first, and beside the second, of all others.
struct CrashProduct {
  let counts: [Int]
  var limit = 256

  /// The places of the states, for each volume.
  var picks: [[Int]] {
    if counts.contains(0) { return [] }
    let product = counts.reduce(1) { $0 > limit ? $0 : $0 * $1 }
    if product <= limit {
      return counts.reduce([[]]) { picks, count in
        picks.flatMap { pick in (0..<count).map { pick + [$0] } }
      }
    }
    var picks: [[Int]] = []
    for others in [0, 1] {
      let base = counts.map { min(others, $0 - 1) }
      for (volume, count) in counts.enumerated() {
        for state in 0..<count {
          var pick = base
          pick[volume] = state
          picks.append(pick)
        }
      }
    }
    return picks
  }
}
