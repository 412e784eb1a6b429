import CommandLineKit
import Glibc
import SystemIO
import Wire

/// `custody serve`: runs jobs one after another in one process, for programs that have many.
struct ServeCommand {
  private static let descriptor = Parameter.option(
    "--fd", "N", .integer(0...1_048_575),
    "read jobs from this descriptor and answer on it; standard input and output unless given")

  static let command = Command(
    "serve", "runs jobs that arrive as JSON lines, one after another",
    details: """
      A job is {"job":1,"arguments":["copy",...],"directory":"/where/paths/begin"}; "argumentsHex" \
      takes the place of "arguments" when they are no UTF-8. Every line of an answer carries the \
      job's number and the fields of an event of --json; the last one is \
      {"job":1,"event":"exit","exit":0,"resources":{"descriptors":9,"threads":2}}. Jobs run by \
      the same entry point as the commands. The end of the input ends the process.
      """,
    parameters: [descriptor.row],
    examples: [
      .init(
        #"echo '{"job":1,"arguments":["--version"]}' | custody serve"#,
        "One job that asks who we are.")
    ],
    exitCodes: [
      .init("0", "the input ended; each job's own code is in its answer"),
      .init("2", "a wrong command line"),
      .init("6", "the answers could not be written"),
      .init("130, 143", "interrupted"),
    ])

  private let session: Session
  private let input: CInt
  private let output: OutputStream

  init(_ values: Arguments, in session: Session) throws(UsageError) {
    guard !session.console.alwaysSendsEvents else {
      throw UsageError("custody serve: a job cannot serve")
    }
    self.session = session
    let number = values[Self.descriptor].map { CInt($0) }
    input = number ?? 0
    output = number.map { OutputStream(descriptor: $0) } ?? .standardOutput
    guard fcntl(input, F_GETFD) >= 0 else {
      throw UsageError("custody serve: descriptor \(input) is not open")
    }
  }

  /// Serves until the input ends; returns the exit code of the process.
  func run() -> Int32 {
    var lines = LineReader(FileDescriptor(unowned: input), lengthLimit: 16 << 20)
    do throws(SystemError) {
      while output.failure == nil, session.interrupts.cause == nil, let line = try lines.next() {
        answer(line)
      }
    } catch {
      session.console.complain("custody serve: \(error)")
      return ExitCode.refused
    }
    if let failure = output.failure {
      session.console.complain("custody serve: \(failure)")
      return ExitCode.outputMissing
    }
    return session.interrupts.cause?.exitCode ?? ExitCode.success
  }

  private func answer(_ line: [UInt8]) {
    var number = JSON.null
    var code = ExitCode.usage
    do throws(BadJob) {
      let job = try Job(line, in: session.directory)
      number = job.number
      let console = JobConsole(job: number, output: output)
      code = Session(
        program: session.program, directory: job.directory, console: console,
        interrupts: session.interrupts
      ).run(job.arguments)
    } catch {
      number = error.number
      JobConsole(job: number, output: output).complain("custody serve: \(error.message)")
    }
    JobConsole(job: number, output: output).send([
      "event": "exit", "exit": JSON(code), "resources": Self.resources(),
    ])
  }

  /// What the process holds between two jobs, so that a leak shows.
  private static func resources() -> JSON {
    func count(_ body: () throws(SystemError) -> Int) -> JSON {
      (try? body()).map { JSON($0) } ?? .null
    }
    return [
      "descriptors": count(Resources.openDescriptorCount), "threads": count(Resources.threadCount),
    ]
  }
}

/// A line that is no job.
private struct BadJob: Error {
  let number: JSON
  let message: String
}

/// One line of `serve`'s input.
private struct Job {
  let number: JSON
  let arguments: [[UInt8]]
  let directory: BytePath

  init(_ line: [UInt8], in serveDirectory: BytePath) throws(BadJob) {
    let value: JSON
    do throws(JSONError) {
      value = try JSON.parse(line)
    } catch {
      throw BadJob(number: .null, message: "a job is one JSON object a line; \(error)")
    }
    number = value["job"] ?? .null
    guard value.object != nil, number.int64 != nil else {
      throw BadJob(number: .null, message: "a job is an object with a number \"job\"")
    }
    let words =
      value["argumentsHex"].map { $0.array?.map(\.hexBytes) }
      ?? value["arguments"]?.array?.map(\.bytes)
    guard let words, !words.contains(nil) else {
      throw BadJob(
        number: number,
        message: "\"arguments\" is a list of strings, \"argumentsHex\" one of hexadecimal digits")
    }
    arguments = words.compactMap { $0 }
    if arguments.contains(where: { $0.contains(0) }) {
      throw BadJob(number: number, message: "an argument holds a NUL byte")
    }
    let given = value["directory"]?.bytes.flatMap { BytePath($0) }
    if value["directory"] != nil && given?.isAbsolute != true {
      throw BadJob(number: number, message: "\"directory\" is an absolute path")
    }
    directory = given ?? serveDirectory
  }
}
