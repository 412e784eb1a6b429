import FaultModel
import SystemIO

@testable import Exploration

/// Recorded operations as tests need them.
func recorded(
  _ operation: FaultModel.Operation, _ volume: String = "dst", _ path: BytePath = "a.mov",
  nth: Int = 1, kind: RecordedOperation.Kind = .file, entry: TreeEntry.Kind? = .file,
  phases: [String] = [], range: ByteRange? = nil, byteCount: UInt64 = 100, answered: Int? = nil,
  errno: Errno? = nil, traits: RecordedOperation.Traits = .isNamed, listed: [BytePath] = [],
  pass: Int = 0, isShadowed: Bool = false, struck: [Int] = []
) -> RecordedOperation {
  RecordedOperation(
    operation: operation, target: Target(volume: volume, subject: .path(path)), nth: nth,
    pointNth: nth, byReader: false, isShadowed: isShadowed, thread: 1, kind: kind, entry: entry,
    phases: phases, range: range, byteCount: byteCount, answered: answered, errno: errno,
    traits: traits, listed: listed, pass: pass, struck: struck)
}

/// A clean case with two files of 100 bytes.
func base(
  _ operations: [RecordedOperation], mode: Mode = .standard, run: String = "run",
  expectation: String = "verified"
) throws -> ExplorationBase {
  let text = """
    custody-fault 1
    volume src persona ext4 capacity 64MiB
    volume dst persona ext4 capacity 64MiB
    case "clean"
      given src "a.mov" bytes 100
      given src "b.mov" bytes 100
      \(run)
      expect \(expectation)

    """
  let script = try ScriptParser.parse(text, name: "t")
  return ExplorationBase(
    script: "t", title: "clean", line: 4, mode: mode, text: text, scriptCase: script.cases[0],
    operations: operations, sequentialArguments: nil, subject: "offload")
}
