import FaultModel
import SystemIO

/// What two operations must share so that one fault at the first stands for the same fault at the
/// second (docs/exploration.md).
struct EquivalenceClass: Hashable {
  let mode: Mode
  /// `src`, the first destination or another one, with its persona.
  let volume: String
  let operation: FaultModel.Operation
  let byReader: Bool
  let kind: RecordedOperation.Kind
  let entry: TreeEntry.Kind?
  let phases: [String]
  let position: String
  let errno: Errno?
  let size: Size
  /// Rules of the case that had struck by then, as written.
  let context: [String]

  /// How a file's bytes come: not at all, in one request, in several.
  enum Size: Hashable { case empty, one, several }

  /// - `isLast`: no later request of the recording has the same operation and target.
  init(
    _ operation: RecordedOperation, mode: Mode, volume: String, context: [String], isLast: Bool
  ) {
    self.mode = mode
    self.volume = volume
    self.operation = operation.operation
    byReader = operation.byReader
    kind = operation.kind
    entry = operation.entry
    phases = operation.phases
    position = Self.position(of: operation, isLast: isLast)
    errno = operation.errno
    size =
      operation.entry != .file || operation.byteCount == 0
      ? .empty : operation.byteCount <= Self.requestByteCount ? .one : .several
    self.context = context
  }

  /// The kernel cuts reads and writes here.
  private static let requestByteCount: UInt64 = 1 << 20
  /// Later ones of an inode count as this one, but for the last.
  private static let countLimit = 3

  private static func position(of operation: RecordedOperation, isLast: Bool) -> String {
    guard let range = operation.range,
      [.read, .write, .copyrange].contains(operation.operation)
    else { return isLast && operation.nth > 1 ? "last" : String(min(operation.nth, countLimit)) }
    let end = range.offset + UInt64(operation.answered ?? 0)
    let part =
      operation.answered == 0
      ? "end" : range.offset == 0 ? "first" : end >= operation.byteCount ? "last" : "middle"
    return "\(part) \(operation.pass)"
  }

  /// The class without what makes no difference to a coarse fault.
  var coarse: CoarseClass {
    CoarseClass(
      isSource: volume.hasPrefix("src"), operation: operation, kind: kind, isFailed: errno != nil)
  }

  /// A file's phase, whatever is done in it.
  var phase: PhaseClass {
    PhaseClass(mode: mode, volume: volume, kind: kind, phases: phases, size: size, context: context)
  }
}

/// Operations of one kind on one kind of thing, whatever the moment, mode and file system.
struct CoarseClass: Hashable {
  let isSource: Bool
  let operation: FaultModel.Operation
  let kind: RecordedOperation.Kind
  let isFailed: Bool
}

/// All that is done while a file is in one phase.
struct PhaseClass: Hashable {
  let mode: Mode
  let volume: String
  let kind: RecordedOperation.Kind
  let phases: [String]
  let size: EquivalenceClass.Size
  let context: [String]
}
