import Hashing
import Synchronization
import SystemIO

/// One cell for each file and destination: the state that rows, verdict and reports are made of.
///
/// A failure is final: nothing that comes later turns it into a success, and no later failure
/// hides the first, more specific one (offload contract 50, 78).
final class RunLedger: Sendable {
  fileprivate struct Cell {
    var outcome: UInt8 = 0
    var level: UInt8 = 0
    var isReused = false
    var reason: UInt8 = 0
    var witness: UInt8 = 0
    /// Index in `causes`; 0 is none.
    var cause: UInt32 = 0
    /// When the file that was verified was last written, in the low bits of its seconds; 0 is
    /// unknown.
    var modifiedAt: UInt32 = 0
    /// The file that was verified; 0 is unknown.
    var inode: UInt64 = 0
  }

  fileprivate struct State {
    var cells: [Cell]
    var causes: [String] = [""]
    var causeIndex: [String: UInt32] = ["": 0]
    /// The digests of each file, one after the other; all zero where nothing was hashed.
    var digests: [UInt8]
    var extra: [FileRow] = []
  }

  private let manifest: SourceManifest
  private let targets: [BytePath]
  private let algorithms: [HashAlgorithm]
  private let digestByteCount: Int
  private let state: Mutex<State>

  init(manifest: SourceManifest, destinations: [BytePath], algorithms: [HashAlgorithm]) {
    self.manifest = manifest
    targets = destinations
    self.algorithms = algorithms
    digestByteCount = algorithms.reduce(0) { $0 + $1.byteCount }
    state = Mutex(
      State(
        cells: Array(repeating: Cell(), count: manifest.files.count * destinations.count),
        digests: Array(repeating: 0, count: manifest.files.count * digestByteCount)))
  }

  /// Records a success, unless the cell has failed already.
  func succeed(
    _ file: Int, _ destination: Int, _ outcome: RowOutcome, level: VerificationLevel,
    isReused: Bool, inode: UInt64? = nil, modification: Timestamp? = nil, note: String = ""
  ) {
    state.withLock { state in
      let index = file * targets.count + destination
      guard !state.hasFailed(index) else { return }
      state.cells[index].outcome = Self.code(outcome)
      state.cells[index].level = Self.code(level)
      state.cells[index].isReused = isReused
      state.cells[index].inode = inode ?? 0
      state.cells[index].modifiedAt =
        modification.map { UInt32(truncatingIfNeeded: $0.seconds) } ?? 0
      state.cells[index].cause = state.intern(note)
    }
  }

  /// Records a failure, unless the cell has failed already; false then.
  @discardableResult
  func fail(
    _ file: Int, _ destination: Int, _ failure: Failure, level: VerificationLevel? = nil
  ) -> Bool {
    state.withLock { state in
      let index = file * targets.count + destination
      guard !state.hasFailed(index) else { return false }
      state.cells[index].outcome = Self.code(failure.outcome)
      if let level { state.cells[index].level = Self.code(level) }
      state.cells[index].reason = failure.reason.map { Self.code($0) } ?? 0
      state.cells[index].witness = failure.witness.map { Self.code($0) } ?? 0
      state.cells[index].cause = state.intern(failure.cause)
      return true
    }
  }

  /// Records what a file's bytes hash to.
  func setDigests(_ file: Int, _ digests: Digests) {
    let bytes = algorithms.flatMap { digests[$0]?.bytes ?? [] }
    guard bytes.count == digestByteCount, digestByteCount > 0 else { return }
    state.withLock { state in
      let start = file * digestByteCount
      state.digests.replaceSubrange(start..<(start + digestByteCount), with: bytes)
    }
  }

  /// Adds rows for a file that was not in the manifest.
  func addFailure(of path: BytePath, byteCount: Int64, _ failure: Failure) {
    state.withLock { state in
      for (index, root) in targets.enumerated() {
        state.extra.append(
          FileRow(
            path: path, destination: index, target: root.appending(path),
            outcome: failure.outcome, level: .notRead, byteCount: byteCount,
            cause: failure.cause, reason: failure.reason, witness: failure.witness))
      }
    }
  }

  /// The inode that a success stands for; nil when it is unknown.
  func inode(_ file: Int, _ destination: Int) -> UInt64? {
    let inode = state.withLock { $0.cells[file * targets.count + destination].inode }
    return inode == 0 ? nil : inode
  }

  /// False when a file with this modification time was written to since it was verified; steps of
  /// time that a file system makes of its own are none.
  func isUnwritten(_ file: Int, _ destination: Int, _ modification: Timestamp) -> Bool {
    let known = state.withLock { $0.cells[file * targets.count + destination].modifiedAt }
    let now = UInt32(truncatingIfNeeded: modification.seconds)
    return known == 0 || min(now &- known, known &- now) <= Timestamp.coarsestStep
  }

  /// True when the cell has a success so far.
  func hasSucceeded(_ file: Int, _ destination: Int) -> Bool {
    state.withLock { $0.hasSucceeded(file * targets.count + destination) }
  }

  /// True when the cell has neither a success nor a failure.
  func isOpen(_ file: Int, _ destination: Int) -> Bool {
    state.withLock { $0.cells[file * targets.count + destination].outcome == 0 }
  }

  /// The rows as they stand; a cell that nobody filled is a failure.
  var rows: RowList {
    let count = state.withLock { $0.cells.count + $0.extra.count }
    return RowList(count: count) { self.row($0) }
  }

  /// How many rows have each outcome.
  var counts: (verified: Int, unverified: Int, failed: Int) {
    state.withLock { state in
      var counts = (verified: 0, unverified: 0, failed: state.extra.count)
      for cell in state.cells {
        switch Self.outcome(cell.outcome) {
        case .verified: counts.verified += 1
        case .copiedUnverified: counts.unverified += 1
        case .checksumMismatch, .failed: counts.failed += 1
        }
      }
      return counts
    }
  }

  private func row(_ index: Int) -> FileRow {
    let (cell, cause, digests, extra) = state.withLock { state in
      guard index < state.cells.count else {
        return (Cell(), "", [UInt8](), state.extra[index - state.cells.count] as FileRow?)
      }
      let cell = state.cells[index]
      let start = index / targets.count * digestByteCount
      return (
        cell, state.causes[Int(cell.cause)],
        Array(state.digests[start..<(start + digestByteCount)]), nil
      )
    }
    if let extra { return extra }
    let file = index / targets.count
    let destination = index % targets.count
    let path = manifest.path(ofFile: file)
    return FileRow(
      path: path, destination: destination, target: targets[destination].appending(path),
      outcome: Self.outcome(cell.outcome), level: Self.level(cell.level),
      byteCount: manifest.files[file].byteCount, digests: split(digests),
      isReused: cell.isReused,
      cause: cell.outcome == 0 ? "not copied: the run ended before this file" : cause,
      reason: Self.value(cell.reason), witness: Self.value(cell.witness))
  }

  private func split(_ bytes: [UInt8]) -> [Digest] {
    guard bytes.contains(where: { $0 != 0 }) else { return [] }
    var rest = bytes[...]
    return algorithms.compactMap { algorithm in
      defer { rest = rest.dropFirst(algorithm.byteCount) }
      return Digest(algorithm, bytes: Array(rest.prefix(algorithm.byteCount)))
    }
  }
}

extension RunLedger.State {
  func hasFailed(_ index: Int) -> Bool {
    cells[index].outcome != 0 && !RunLedger.outcome(cells[index].outcome).isSuccess
  }

  func hasSucceeded(_ index: Int) -> Bool {
    cells[index].outcome != 0 && RunLedger.outcome(cells[index].outcome).isSuccess
  }

  mutating func intern(_ cause: String) -> UInt32 {
    if let index = causeIndex[cause] { return index }
    let index = UInt32(causes.count)
    causes.append(cause)
    causeIndex[cause] = index
    return index
  }
}

/// Enumerations in one byte: 0 is none, then their cases in order.
extension RunLedger {
  private static func code<Value: CaseIterable & Equatable>(_ value: Value) -> UInt8 {
    var code: UInt8 = 1
    for candidate in Value.allCases {
      if candidate == value { return code }
      code += 1
    }
    return 0
  }

  private static func value<Value: CaseIterable>(_ code: UInt8) -> Value? {
    code == 0 ? nil : Array(Value.allCases)[Int(code) - 1]
  }

  fileprivate static func outcome(_ code: UInt8) -> RowOutcome { value(code) ?? .failed }

  private static func level(_ code: UInt8) -> VerificationLevel { value(code) ?? .notRead }
}
