public import FaultFS
public import SystemIO

/// Why a comparison could not be made; none of these says anything about speed.
public enum BenchError: Error, Sendable, CustomStringConvertible {
  /// A system call of the bench itself.
  case system(SystemError)
  /// A tool that is compared is not on this machine.
  case missingTool(String)
  /// A command that should have copied failed; its last words are here.
  case failed(command: String, status: String, lastWords: String)
  /// A command said that it had copied, and the files are not there.
  case incomplete(command: String, found: String)
  /// A name that no bench has.
  case unknown(String)
  /// A digest that this machine's library does not offer.
  case hashing(String)
  /// What a rig could not do.
  case rig(RigError)
  /// The folder for what is mounted is on a disk.
  case notInMemory(BytePath)
  /// What schedules left behind, or took more of from one to the next.
  case leaks([String])
  /// A report of a run that does not say what it should.
  case unreadable(BytePath)

  public var description: String {
    switch self {
    case .system(let error): return "\(error)"
    case .missingTool(let name): return "\(name) is not in PATH; set-up installs it"
    case .failed(let command, let status, let lastWords):
      return "\(command) ended with \(status)" + (lastWords.isEmpty ? "" : ": \(lastWords)")
    case .incomplete(let command, let found):
      return "\(command) reported success and left \(found)"
    case .unknown(let name):
      return "there is no bench \(name); there are \(Bench.names.joined(separator: ", "))"
    case .hashing(let text): return text
    case .leaks(let problems): return problems.joined(separator: "; ")
    case .rig(let error): return "\(error)"
    case .notInMemory(let folder): return "\(folder) is not on a tmpfs"
    case .unreadable(let report): return "\(report) says nothing of schedules"
    }
  }
}

/// Runs a part that may fail in the kernel.
func system<Value: ~Copyable>(
  _ body: () throws(SystemError) -> Value
) throws(BenchError) -> Value {
  do throws(SystemError) {
    return try body()
  } catch {
    throw .system(error)
  }
}
