import FaultModel

@testable import Suites

/// Small scripts for tests of what the runner makes of them.
enum Scripts {
  static let preamble = """
    custody-fault 1
    card empty
    volume src persona ext4 capacity 16MiB
    volume dst persona exfat-linux capacity 16MiB
    modes standard paranoid

    """

  /// The first case of a script with this body.
  static func firstCase(_ body: String) throws -> ScriptCase {
    let script = try ScriptParser.parse(preamble + "case \"one\"\n" + body, name: "t")
    return script.cases[0]
  }

  static func script(_ cases: String) throws -> Script {
    try ScriptParser.parse(preamble + cases, name: "t")
  }

  static func planned(_ body: String = "  expect verified\n") throws -> PlannedCase {
    try PlannedCase.all(of: script("case \"one\"\n" + body), subject: "offload")[0]
  }
}
