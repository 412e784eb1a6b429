import CommandLineKit
import Suites

/// `harness gate`: everything that must hold before a change goes in.
enum GateVerb {
  static let command = Command(
    "gate", "Runs every script, and every broken engine against the oracle that must catch it",
    details: "Then \(scheduleLimit) schedules of the script exploration are run, some of each "
      + "operation and fault. Verdicts that FaultScripts/allowed excuses do not fail the gate; a "
      + "line there whose case passes, or that no case has, does.",
    parameters: RunOptions.rows,
    examples: [.init("harness gate --report gate-report", "Leaves the report in a fixed folder.")],
    exitCodes: ExitCode.rows)

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let options = try RunOptions(values)
    let library = try Library.standard()
    let choice = CaseChoice(seed: options.seed, modes: options.modes)
    let cases = try Library.cases(of: GateSuite(library: library), choice)
    let allowed: AllowedCases
    do throws(SuiteError) {
      allowed = try AllowedCases.read(library)
    } catch {
      throw UsageError("\(error)")
    }
    return RunSession(verb: "gate", options: options, library: library, console: console)
      .run(
        cases, allowed: allowed, isWhole: options.filters.isEmpty && options.modes == nil,
        exploration: try exploration(library, choice)
      ).code
  }

  /// A floor for every change; a whole exploration takes its own time.
  private static let scheduleLimit = 600

  private static func exploration(
    _ library: SuiteLibrary, _ choice: CaseChoice
  ) throws(UsageError) -> RunSession.Exploration? {
    guard library.names.contains("exploration") else { return nil }
    var bounds = ExplorationChoice()
    bounds.scheduleLimit = scheduleLimit
    return RunSession.Exploration(
      targets: try Library.explorations(
        of: FaultSuite(["exploration"], library: library), choice), choice: bounds)
  }
}
