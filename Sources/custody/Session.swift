import CommandLineKit
import SystemIO

/// The one entry point of all verbs: for a command line and for each job of `serve`.
struct Session: Sendable {
  let program: Program
  /// Where relative paths begin, an absolute path.
  let directory: BytePath
  let console: any Console
  let interrupts: Interrupts

  /// Runs a command line and returns what the process would exit with.
  func run(_ arguments: [[UInt8]]) -> Int32 {
    do throws(UsageError) {
      switch try program.parse(arguments, columns: console.columns) {
      case .text(let text):
        console.show(text)
        return console.finish(with: ExitCode.success)
      case .run(let command, let values):
        let code = try run(command, values)
        return console.finish(with: code)
      }
    } catch {
      console.complain("\(error)")
      return ExitCode.usage
    }
  }

  private func run(_ command: Command, _ values: Arguments) throws(UsageError) -> Int32 {
    switch command.name {
    case CopyCommand.command.name: return try CopyCommand(values, in: self).run()
    case ServeCommand.command.name: return try ServeCommand(values, in: self).run()
    default: preconditionFailure("Every verb of the table has its case here")
    }
  }

  /// The path as the session's directory sees it.
  func absolute(_ path: BytePath) -> BytePath {
    path.isAbsolute ? path : directory.appending(path)
  }
}
