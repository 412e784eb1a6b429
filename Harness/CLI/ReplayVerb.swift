import CommandLineKit
import HarnessKit

/// `harness replay`: one case again, from the file that a run left.
enum ReplayVerb {
  static let command = Command(
    "replay", "Runs the case of a replay file again and says whether its verdict repeats",
    parameters: [ReplayInput.file.row] + RunOptions.rows,
    examples: [
      .init(
        "harness replay \(ReplayInput.example)",
        "Runs one case of the last run again.")
    ],
    exitCodes: ExitCode.rows)

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let input = try ReplayInput(values, verb: "replay")
    defer { input.replayed.removeCards() }
    let replay = input.replay
    let session = try input.session(verb: "replay", console)
    let end = session.run([input.replayed.planned], deadlineSeconds: replay.deadlineSeconds)
    guard let verdict = end.results.first?.verdict else { return end.code }
    let answer = verdict == replay.verdict ? "it repeats" : "it does not repeat"
    console.complain(
      "harness replay: \(answer): \(replay.verdict.rawValue) then, \(verdict.rawValue) now")
    return end.code
  }
}
