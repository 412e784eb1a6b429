import FaultModel
import SystemIO

/// Writes down every request of a case with the words by which a rule strikes it alone.
///
/// Counting is the rules' own: a counter for each operation and target, kept for each inode. A
/// target is known from the first request that it names, so a run that is recorded again, with the
/// targets of the first time, counts exactly as a rule that is armed from the start.
final class OperationRecorder {
  private var counters: [FaultModel.Operation: [Counter]] = [:]
  private var index: [Key: Counter] = [:]
  private var threads: [Int32: Int] = [:]
  private(set) var operations: [RecordedOperation] = []
  private var struck: [Int] = []

  private struct Key: Hashable {
    let operation: FaultModel.Operation
    let target: Target
    /// nil: whoever closes.
    let byReader: Bool?
  }

  private final class Counter {
    let key: Key
    let bits: OperationBits
    let matcher: TargetMatcher
    private var counts: [UInt64: Int] = [:]
    /// The counts that some inode has reached.
    private var reached: Set<Int> = []

    init(_ key: Key, _ matcher: TargetMatcher) {
      self.key = key
      self.matcher = matcher
      bits = OperationBits(key.operation)
    }

    /// Counts a match; false when another inode came to this count before.
    func count(_ inode: UInt64) -> (nth: Int, isFirst: Bool) {
      let count = counts[inode, default: 0] + 1
      counts[inode] = count
      return (count, reached.insert(count).inserted)
    }
  }

  /// - `previous`: the recorder of an earlier run of the same case.
  init(after previous: OperationRecorder?, compiler: RuleCompiler) {
    for key in previous?.index.keys ?? [:].keys { add(key, compiler) }
  }

  @discardableResult
  private func add(_ key: Key, _ compiler: RuleCompiler) -> Counter {
    if let known = index[key] { return known }
    let counter = Counter(key, compiler.matcher(key.target))
    index[key] = counter
    counters[key.operation, default: []].append(counter)
    return counter
  }

  /// Counts a request that is about to be carried out; what it is, without its answer.
  func begin(
    _ address: Address, _ request: Request, on volume: FaultyVolume, _ compiler: RuleCompiler
  ) -> RecordedOperation? {
    guard let target = volume.recordedTarget(address) else { return nil }
    let operation = address.named
    let isReader = address.operation == .close && volume.isReader(address)
    let own = add(
      Key(
        operation: operation, target: target,
        byReader: address.operation == .close ? isReader : nil), compiler)
    let point = add(Key(operation: operation, target: target, byReader: nil), compiler)
    var nth = (nth: 0, isFirst: false)
    var pointNth = (nth: 0, isFirst: false)
    for counter in counters.values.joined()
    where counter.key.target.volume == volume.name && !counter.bits.isDisjoint(with: address.bits) {
      if let byReader = counter.key.byReader, byReader != isReader { continue }
      guard volume.matches(counter.matcher, address) else { continue }
      let counted = counter.count(volume.injector.counted(address))
      if counter === own { nth = counted }
      if counter === point { pointNth = counted }
    }
    if threads[request.thread] == nil { threads[request.thread] = threads.count + 1 }
    return RecordedOperation(
      operation: operation, target: target, nth: nth.nth, pointNth: pointNth.nth,
      byReader: isReader, isShadowed: !nth.isFirst || !pointNth.isFirst,
      thread: threads[request.thread] ?? 0, kind: volume.recordedKind(address),
      entry: address.node.flatMap { volume.store.attributes(of: $0)?.kind },
      phases: address.node.map { volume.track($0).phases.names.sorted() } ?? [],
      range: address.range, byteCount: volume.recordedSize(address), answered: nil, errno: nil,
      traits: volume.recordedTraits(address, request.call), listed: [],
      pass: volume.recordedPass(address), struck: [])
  }

  /// Adds the answer.
  func end(
    _ operation: RecordedOperation, _ reply: Reply, _ rules: [Int], hasPast: Bool,
    _ address: Address, on volume: FaultyVolume
  ) {
    struck += rules.filter { !struck.contains($0) }
    var operation = operation
    operation.struck = struck
    if hasPast { operation.traits.insert(.hasPast) }
    switch reply {
    case .error(let errno): operation.errno = errno
    case .data(let data): operation.answered = data.count
    case .written(let count): operation.answered = count
    case .listing(let entries):
      let names = entries.map(\.name).filter { $0 != "." && $0 != ".." }
      let folder = address.node.flatMap { volume.located($0).paths.first } ?? ""
      operation.answered = entries.count
      operation.listed = names.map { folder.appending($0) }
    default: break
    }
    operations.append(operation)
  }

  /// An act of the rig struck.
  func note(_ rule: Int) {
    if !struck.contains(rule) { struck.append(rule) }
  }
}

extension Address {
  /// The operation as a rule best names it.
  fileprivate var named: FaultModel.Operation {
    guard operation == .setattr else { return operation }
    let parts: [(OperationBits, FaultModel.Operation)] = [
      (.setattrMode, .setattrMode), (.setattrTimes, .setattrTimes), (.setattrSize, .setattrSize),
    ]
    let set = parts.filter { bits.contains($0.0) }
    return set.count == 1 ? set[0].1 : .setattr
  }
}
