import HarnessKit
import Reporting
import Subjects
import Suites
import SystemIO

extension RunSession {
  /// Why nothing was shrunk, with the exit code.
  struct NoScript: Error {
    let text: String
    let code: Int32
  }

  /// Shrinks the case of a replay file; the work is told in a run's folder of its own.
  func shrink(
    _ replay: Replay, _ replayed: ReplayedCase
  ) -> Result<ShrinkRun.Outcome, NoScript> {
    do {
      let here = try FileSystem.currentDirectory()
      try Machine.check(jobs: 1, folder: here)
      if let tool = replay.tool {
        _ = try ToolSubject(tool)
      } else {
        _ = try SubjectCatalogue.make(replay.subject, custody: options.custody)
      }
      let directory = try Run.Directory.create(
        verb: verb, stamp: Stamp.fileName, chosen: options.report)
      let settings = try settings(
        [replayed.planned], AllowedCases(), replay.deadlineSeconds)
      let runner = SuiteRunner(
        settings: settings, directory: directory,
        events: EventStream([try EventLog(in: directory)]), stop: StopFlag())
      let outcome = try ShrinkRun(runner: runner, replay: replay, replayed: replayed).run()
      return outcome.mapError { NoScript(text: $0.description, code: ExitCode.blocked) }
    } catch let error as Machine.Missing {
      return .failure(NoScript(text: "blocked: \(error)", code: ExitCode.blocked))
    } catch let error as SubjectFailure where error.isBlocked {
      return .failure(NoScript(text: "blocked: \(error)", code: ExitCode.blocked))
    } catch let error as RunError {
      return .failure(NoScript(text: "\(error)", code: ExitCode.usage))
    } catch {
      return .failure(NoScript(text: "broken: \(error)", code: ExitCode.broken))
    }
  }
}
