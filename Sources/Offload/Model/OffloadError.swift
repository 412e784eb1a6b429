public import SystemIO

/// A run that cannot even begin: a mistake of the caller, not of a disk.
public enum OffloadError: Error, Sendable, Hashable {
  /// The engine is running already.
  case operationAlreadyInProgress
  case noDestination
  /// A path must be absolute.
  case relativePath(BytePath)
  /// `workerCount` or `headroomByteCount` is out of range.
  case badSetting(String)
  /// A thread cannot be started, or a hash is not available.
  case machine(String)
}

extension OffloadError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .operationAlreadyInProgress: return "a copy is running already"
    case .noDestination: return "no destination was given"
    case .relativePath(let path): return "not an absolute path: \(path.escaped)"
    case .badSetting(let text): return text
    case .machine(let text): return text
    }
  }
}
