import CommandLineKit
import HarnessKit
import Suites
import SystemIO

/// `harness shrink`: the smallest script that fails as a replay file does.
enum ShrinkVerb {
  private static let output = Parameter.option(
    "--output", "FILE", .path, "write the script here instead of standard output")

  static let command = Command(
    "shrink", "Makes a failing case as small as it still fails in the same way",
    details: "Rules, clauses, destinations, files and bytes go, one after another, while the same "
      + "oracle fails on the same file for the same cause.",
    parameters: [ReplayInput.file.row, output.row] + RunOptions.rows,
    examples: [
      .init(
        "harness shrink \(ReplayInput.example) --output s.fault",
        "Leaves a script of few lines that shows the failure.")
    ],
    exitCodes: [
      .init("0", "the script is written"),
      .init("2", "the command line or the file cannot be used"),
      .init("3", "the case does not fail now, or the machine lacks something"),
      .init("4", "the harness itself is broken"),
    ])

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let input = try ReplayInput(values, verb: "shrink")
    defer { input.replayed.removeCards() }
    let session = try input.session(verb: "shrink", console)
    let outcome: ShrinkRun.Outcome
    switch session.shrink(input.replay, input.replayed) {
    case .success(let found): outcome = found
    case .failure(let end):
      console.complain("harness shrink: \(end.text)")
      return end.code
    }
    console.complain(
      "harness shrink: \(outcome.linesBefore) lines became \(outcome.linesAfter) in "
        + "\(outcome.attempts) runs; \(outcome.cause)")
    guard let place = values[output] else {
      console.show(outcome.script)
      return ExitCode.pass
    }
    do throws(SystemError) {
      let file = try FileDescriptor.open(
        place, .writeOnly, options: [.create, .truncate], mode: 0o644)
      try file.writeAll(Array(outcome.script.utf8))
      try file.close()
      return ExitCode.pass
    } catch {
      throw UsageError("harness shrink: \(error)")
    }
  }
}
