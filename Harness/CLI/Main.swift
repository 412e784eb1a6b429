import BuildIdentity
import CommandLineKit
import Glibc
import Suites
import SystemIO

/// The harness's command: one file a verb, one table of them here.
@main
enum Main {
  static let program = Program(
    "harness", "puts copy engines under faults and judges what they claim",
    version: "harness \(BuildIdentity.version) build \(BuildIdentity.current), \(Machine.kernel)",
    commands: verbs.map(\.command))

  private static let verbs = [
    Verb(FaultVerb.command, FaultVerb.run), Verb(GateVerb.command, GateVerb.run),
    Verb(ReplayVerb.command, ReplayVerb.run), Verb(ShrinkVerb.command, ShrinkVerb.run),
    Verb(MountVerb.command, MountVerb.run),
    Verb(ListVerb.command, ListVerb.run), Verb(DoctorVerb.command, DoctorVerb.run),
    Verb(BenchVerb.command, BenchVerb.run), Verb(LeagueVerb.command, LeagueVerb.run),
  ]

  static func main() {
    OutputStream.holdStandardDescriptors()
    OutputStream.ignoreBrokenPipes()
    let arguments = CommandLine.rawArguments
    if let code = HiddenVerbs.run(arguments) { exit(code) }
    let console = Console()
    do throws(UsageError) {
      switch try program.parse(arguments, columns: console.columns) {
      case .text(let text):
        console.show(text)
        exit(console.finish(with: ExitCode.pass))
      case .run(let command, let values):
        guard let verb = verbs.first(where: { $0.command.name == command.name }) else {
          preconditionFailure("Every verb of the table is in the list")
        }
        exit(console.finish(with: try verb.run(values, console)))
      }
    } catch {
      console.complain("\(error)")
      exit(ExitCode.usage)
    }
  }
}

/// A verb of the command: its row in the table and what it does.
struct Verb: Sendable {
  typealias Body = @Sendable (Arguments, Console) throws(UsageError) -> Int32

  let command: Command
  /// Returns the exit code.
  let run: Body

  init(_ command: Command, _ run: @escaping Body) {
    self.command = command
    self.run = run
  }
}

/// What `harness` exits with; `Run.Summary` gives the code of a run.
enum ExitCode {
  static let pass: Int32 = 0
  static let fail: Int32 = 1
  static let usage: Int32 = 2
  static let blocked: Int32 = 3
  static let broken: Int32 = 4

  /// The table for help.
  static let rows: [Command.ExitCode] = [
    .init("0", "every case passed"),
    .init("1", "a case failed"),
    .init("2", "the command line, a script, a card or the report folder cannot be used"),
    .init("3", "a case was blocked or not exercised, or nothing was judged"),
    .init("4", "the harness itself is broken"),
    .init("130, 143", "interrupted; the report is written"),
  ]
}
