import BuildIdentity
import CommandLineKit
import Glibc
import SystemIO

/// The engines' command: one file a verb, one table of them here.
@main
enum Main {
  static let program = Program(
    "custody", "copies a camera card and proves that every byte arrived",
    version: "custody \(BuildIdentity.version) build \(BuildIdentity.current)",
    commands: [CopyCommand.command, ServeCommand.command])

  static func main() {
    OutputStream.holdStandardDescriptors()
    OutputStream.ignoreBrokenPipes()
    let console = TerminalConsole()
    do throws(SystemError) {
      // First of all, so that every later thread inherits the blocked signals.
      let interrupts = try Interrupts(console: console)
      let directory = try FileSystem.currentDirectory()
      let session = Session(
        program: program, directory: directory, console: console, interrupts: interrupts)
      exit(session.run(CommandLine.rawArguments))
    } catch {
      console.complain("\(error)")
      exit(ExitCode.refused)
    }
  }
}

/// What `custody` exits with; `OffloadOutcome` gives the codes of a copy itself.
enum ExitCode {
  static let success: Int32 = 0
  static let usage: Int32 = 2
  static let refused: Int32 = 3
  static let outputMissing: Int32 = 6
}
