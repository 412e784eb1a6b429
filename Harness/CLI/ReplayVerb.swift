import CommandLineKit
import FaultModel
import HarnessKit
import Suites
import SystemIO

/// `harness replay`: one case again, from the file that a run left.
enum ReplayVerb {
  private static let file = Parameter.positional(
    "FILE", .path, "a replay.json below a run's cases folder")

  static let command = Command(
    "replay", "Runs the case of a replay file again and says whether its verdict repeats",
    parameters: [file.row] + RunOptions.rows,
    examples: [
      .init(
        "harness replay custody-runs/latest/cases/exfat/case-twins@standard/replay.json",
        "Runs one case of the last run again.")
    ],
    exitCodes: ExitCode.rows)

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    guard let path = values[file] else { throw UsageError("harness replay: no file") }
    let options = try RunOptions(values)
    let replay: Replay
    let planned: ReplayedCase
    do throws(ReplayError) {
      replay = try Replay.read(path)
      planned = try ReplayedCase(replay)
    } catch {
      throw UsageError("harness replay: \(path.escaped): \(error)")
    }
    defer { planned.removeCards() }
    for warning in planned.warnings { console.complain("harness replay: \(warning)") }
    var session = RunSession(
      verb: "replay", options: options, library: planned.library, console: console)
    if let name = replay.account {
      session.account = try ToolOptions.account(named: name)
    }
    let end = session.run([planned.planned], deadlineSeconds: replay.deadlineSeconds)
    guard let verdict = end.results.first?.verdict else { return end.code }
    let answer = verdict == replay.verdict ? "it repeats" : "it does not repeat"
    console.complain(
      "harness replay: \(answer): \(replay.verdict.rawValue) then, \(verdict.rawValue) now")
    return end.code
  }
}
