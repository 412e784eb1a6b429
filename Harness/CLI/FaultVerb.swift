import CommandLineKit
import FaultModel
import Subjects
import Suites
import SystemIO

/// `harness fault`: scripts, or the generic cases on a persona.
enum FaultVerb {
  private static let names = Parameter.positional(
    "SCRIPT|PERSONA", .path, repeats: true,
    "a script's name or path, or a persona for the generic cases")
  private static let subject = Parameter.option(
    "--subject", "NAME", .text, "the engine under test, offload unless said")
  private static let card = Parameter.option(
    "--card", "NAME", .text, "use this card instead of those of the scripts")
  private static let destinations = Parameter.option(
    "--destinations", "N", .integer(1...3),
    "give each case at least so many destinations, further ones like its first; cases that strike "
      + "both sides are left out")
  private static let gated = Parameter.flag(
    "--gated",
    "hold requests until all threads of the engine are blocked, and let them through in an order "
      + "that the seed chooses")

  private static let explores = Parameter.flag(
    "--explore", "then strike every operation of every case with every legal fault")
  private static let depth = Parameter.option(
    "--depth", "N", .integer(1...2),
    "faults at once; what the script's explore line says, else 1")
  private static let schedules = Parameter.option(
    "--schedules", "N", .integer(1...Int.max),
    "the most schedules of each depth of an exploration")
  private static let minutes = Parameter.option(
    "--minutes", "M", .integer(1...10_000),
    "no schedule of an exploration begins later than this")
  private static let unpruned = Parameter.flag(
    "--no-prune", "run every schedule, not one for each class of equal ones")
  static let command = Command(
    "fault", "Runs fault scripts against an engine and judges what it claims",
    details: "A name is a script in ./FaultScripts, else in PREFIX/share/custody/FaultScripts, "
      + "else a persona, on which the generic cases run.\n\n"
      + "A tool's exit code is all that it says: 0 claims that every regular file of the source "
      + "stands on the destination, any other code names no file. The text of --tool is split at "
      + "blanks; 'single' and \"double\" quotes keep them, a backslash outside of quotes takes the "
      + "next character as it is, and {{ and }} are braces. A command that names {dst} alone runs "
      + "once for each destination; one that names {dst2} too runs once.",
    parameters: [
      names.row, subject.row, card.row, destinations.row, gated.row, explores.row, depth.row,
      schedules.row,
      minutes.row, unpruned.row,
    ] + ToolOptions.rows + RunOptions.rows,
    examples: [
      .init("harness fault exfat", "Judges the copy engine on an exFAT destination."),
      .init(
        "harness fault exfat --case 'full-*' --mode standard",
        "Runs the cases of a full destination in one mode."),
      .init(
        "harness fault exfat --explore --jobs 2",
        "Runs the cases, then every operation of each with every legal fault."),
      .init("harness fault fat32", "Runs the generic cases on the persona fat32."),
      .init("harness fault league --tool rsync", "Judges rsync by the cases of the league."),
      .init(
        "harness fault full-disk --tool './mycopy {src} {dst}'", "Judges a tool of your own."),
      .init(
        "harness fault fat32 --shell --tool 'cd {src} && ./pack . | ./unpack {dst}'",
        "Judges a pipe."),
    ],
    exitCodes: ExitCode.rows)

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let options = try RunOptions(values)
    let name = values[subject, default: OffloadSubject.name]
    guard SubjectCatalogue.names.contains(name) else {
      let known = SubjectCatalogue.names
      let near = NearNames.of(name, among: known)
      throw UsageError(
        "harness fault: no subject is named '\(name)'",
        remedy: near.isEmpty
          ? "The subjects are \(known.joined(separator: ", "))"
          : "Did you mean \(near.joined(separator: " or "))?")
    }
    let tools = try ToolOptions(values)
    if tools.spec != nil && (values[subject] != nil || options.modes != nil) {
      throw UsageError("harness fault: a tool is no --subject and has no --mode")
    }
    let library = try Library.standard()
    let choice = CaseChoice(
      seed: options.seed, modes: tools.spec == nil ? options.modes : [.standard], subject: name,
      card: values[card], destinations: values[destinations])
    let suite = FaultSuite(values.all(names), library: library)
    var cases = try Library.cases(of: suite, choice)
    if values.has(gated) { for index in cases.indices { cases[index].isGated = true } }
    if let spec = tools.spec { cases = cases.map { $0.judging(spec) } }
    var session = RunSession(
      verb: "fault", options: options, library: library, console: console)
    session.account = tools.account
    guard values.has(explores) else { return session.run(cases).code }
    var targets = try Library.explorations(of: suite, choice)
    if let spec = tools.spec {
      for index in targets.indices {
        targets[index].cases = targets[index].cases.map { $0.judging(spec) }
      }
    }
    let exploration = RunSession.Exploration(targets: targets, choice: exploration(values))
    return session.run(cases, exploration: exploration).code
  }

  private static func exploration(_ values: Arguments) -> ExplorationChoice {
    var choice = ExplorationChoice()
    choice.depth = values[depth]
    choice.scheduleLimit = values[schedules]
    choice.seconds = values[minutes].map { Double($0) * 60 }
    choice.prunes = !values.has(unpruned)
    choice.isGated = values.has(gated)
    return choice
  }
}

/// The script library with its errors as those of the command line.
enum Library {
  static func standard() throws(UsageError) -> SuiteLibrary {
    do throws(SystemError) {
      return try SuiteLibrary.standard()
    } catch {
      throw UsageError("harness: the working folder cannot be found: \(error)")
    }
  }

  static func explorations(
    of suite: FaultSuite, _ choice: CaseChoice
  ) throws(UsageError) -> [ExplorationTarget] {
    do throws(SuiteError) {
      return try suite.explorations(choice)
    } catch {
      throw UsageError("\(error)")
    }
  }

  static func cases(of suite: some Suite, _ choice: CaseChoice) throws(UsageError) -> [PlannedCase]
  {
    do throws(SuiteError) {
      return try suite.cases(choice)
    } catch {
      guard case .library(.unknown(kind: "fault script", let name, _, let known)) = error else {
        throw UsageError("\(error)")
      }
      let near = NearNames.of(name, among: known + Persona.names)
      throw UsageError(
        "harness: no script or persona is named '\(name)'",
        remedy: near.isEmpty
          ? "See harness list scripts, and harness list personas"
          : "Did you mean \(near.joined(separator: " or "))?")
    }
  }
}
