import Bench
import CommandLineKit
import Glibc
import SystemIO

/// `harness bench`: our engines and their peers side by side.
enum BenchVerb {
  private static let name = Parameter.positional(
    "NAME", .oneOf(Bench.names), required: false,
    "only this comparison: \(Bench.names.joined(separator: ", "))")
  private static let folder = Parameter.option(
    "--folder", "DIR", .path, "work here, on the file system to measure; the working folder else")
  private static let rounds = Parameter.option(
    "--rounds", "N", .number, "how often each pair is measured, 3 unless said")
  private static let schedules = Parameter.option(
    "--schedules", "N", .number,
    "schedules of worker in each round, 3000 unless said, and of soak, 100000 unless said")
  private static let jobs = Parameter.option(
    "--jobs", "N", .number, "rigs at once of worker and soak, 2 unless said")
  private static let custody = Parameter.option(
    "--custody", "PATH", .path, "measure this custody instead of the one beside harness")
  private static let json = Parameter.flag("--json", "one JSON object instead of lines")

  static let command = Command(
    "bench", "Measures our engines and their peers in pairs, as ratios of time",
    details: "The machine must be idle. Copying makes 2 GiB and 20,000 small files several times, "
      + "and takes minutes.",
    parameters: [name.row, folder.row, rounds.row, schedules.row, jobs.row, custody.row, json.row],
    exitCodes: [
      .init("0", "measured"), .init("2", "the command line cannot be used"),
      .init("4", "a measurement failed"),
    ])

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let rounds = values[rounds, default: 3]
    guard (1...100).contains(rounds) else {
      throw UsageError("harness bench: --rounds: \(rounds) is not between 1 and 100")
    }
    let settings: Bench.Settings
    do throws(SystemError) {
      let beside = try FileSystem.readLink("/proc/self/exe").parent ?? ""
      settings = Bench.Settings(
        custody: values[custody] ?? beside.appending("custody"),
        folder: try FileSystem.absolute(values[folder] ?? "."), rounds: Int(rounds),
        dropsAllCaches: geteuid() == 0,
        scheduleCount: Int(values[schedules, default: values[name] == "soak" ? 100_000 : 3000]),
        jobs: Int(values[jobs, default: 2]))
    } catch {
      throw UsageError("harness bench: \(error)")
    }
    do throws(BenchError) {
      let hasJSON = values.has(json)
      let result = try Bench.run(values[name], settings) { line in
        if hasJSON { console.complain(line) } else { console.show(line + "\n") }
      }
      if hasJSON { console.send(result) }
      return ExitCode.pass
    } catch {
      console.complain("harness bench: \(error)")
      return ExitCode.broken
    }
  }
}
