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

  init(_ operation: RecordedOperation, mode: Mode, volume: String, context: [String]) {
    self.mode = mode
    self.volume = volume
    self.operation = operation.operation
    byReader = operation.byReader
    kind = operation.kind
    entry = operation.entry
    phases = operation.phases
    position = Self.position(of: operation)
    errno = operation.errno
    size =
      operation.entry != .file || operation.byteCount == 0
      ? .empty : operation.byteCount <= Self.requestByteCount ? .one : .several
    self.context = context
  }

  /// The kernel cuts reads and writes here.
  private static let requestByteCount: UInt64 = 1 << 20
  /// Later ones of an inode count as this one.
  private static let countLimit = 6

  private static func position(of operation: RecordedOperation) -> String {
    guard let range = operation.range,
      [.read, .write, .copyrange].contains(operation.operation)
    else { return String(min(operation.nth, countLimit)) }
    let end = range.offset + UInt64(operation.answered ?? 0)
    let part =
      operation.answered == 0
      ? "end" : range.offset == 0 ? "first" : end >= operation.byteCount ? "last" : "middle"
    return "\(part) \(operation.pass)"
  }

  /// The class without what makes no difference to a coarse fault.
  var coarse: CoarseClass {
    CoarseClass(
      mode: mode, volume: volume, operation: operation, kind: kind, isFailed: errno != nil,
      context: context)
  }
}

/// Operations of one kind on one kind of thing, whatever the moment.
struct CoarseClass: Hashable {
  let mode: Mode
  let volume: String
  let operation: FaultModel.Operation
  let kind: RecordedOperation.Kind
  let isFailed: Bool
  let context: [String]
}
