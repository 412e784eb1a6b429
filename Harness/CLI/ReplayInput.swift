import CommandLineKit
import HarnessKit
import Suites
import SystemIO

/// What `harness replay` and `harness shrink` work on: the case of a replay file.
struct ReplayInput {
  static let file = Parameter.positional(
    "FILE", .path, "a replay.json below a run's cases folder")
  static let example = "custody-runs/latest/cases/exfat/case-twins@standard/replay.json"

  let options: RunOptions
  let replay: Replay
  /// Its cards are on disk until `removeCards`.
  let replayed: ReplayedCase

  init(_ values: Arguments, verb: String) throws(UsageError) {
    guard let path = values[Self.file] else { throw UsageError("harness \(verb): no file") }
    options = try RunOptions(values)
    do throws(ReplayError) {
      replay = try Replay.read(path)
      replayed = try ReplayedCase(replay)
    } catch {
      throw UsageError("harness \(verb): \(path.escaped): \(error)")
    }
  }

  /// The session that runs it as the file says, with a word of what may differ.
  func session(verb: String, _ console: Console) throws(UsageError) -> RunSession {
    for warning in replayed.warnings { console.complain("harness \(verb): \(warning)") }
    var session = RunSession(
      verb: verb, options: options, library: replayed.library, console: console)
    if let name = replay.account { session.account = try ToolOptions.account(named: name) }
    return session
  }
}
