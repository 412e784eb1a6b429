import Glibc
import SystemIO
import Testing
import Wire

/// The commands as they were built beside these tests.
enum Product {
  /// A command's path.
  static func path(_ name: BytePath) throws -> BytePath {
    let tests = try FileSystem.readLink("/proc/self/exe")
    return try #require(tests.parent).appending(name)
  }

  /// Runs `custody` to its end.
  static func custody(
    _ arguments: [BytePath], input: String = "", directory: BytePath? = nil
  ) throws -> Finished {
    try Tool.run(
      path("custody"), arguments, input: input, directory: directory, timeout: .seconds(120))
  }
}

/// A command that has ended.
struct Finished {
  let status: SystemIO.ExitStatus
  let output: String
  let errors: String

  /// The lines of the output as JSON, `--json` and `serve`.
  func events() throws -> [JSON] {
    try output.split(separator: "\n").map { try JSON.parse(String($0)) }
  }

  /// The events of one kind.
  func events(_ kind: String) throws -> [JSON] {
    try events().filter { $0["event"]?.text == kind }
  }
}

/// Runs commands without a shell.
enum Tool {
  /// Runs a command to its end; fails the test when it takes longer than it may.
  static func run(
    _ executable: BytePath, _ arguments: [BytePath], input: String = "",
    directory: BytePath? = nil, timeout: Duration = .seconds(60)
  ) throws -> Finished {
    let scratch = try Scratch()
    try scratch.file("in", Array(input.utf8))
    try scratch.file("out")
    try scratch.file("err")
    let input = try FileDescriptor.open(scratch.path.appending("in"), .readOnly)
    let output = try FileDescriptor.open(scratch.path.appending("out"), .writeOnly)
    let errors = try FileDescriptor.open(scratch.path.appending("err"), .writeOnly)
    let command = ChildProcess.Command(
      executable, arguments.map(\.bytes), workingDirectory: directory)
    var child = try ChildProcess.spawn(
      command,
      descriptors: [(input.rawValue, 0), (output.rawValue, 1), (errors.rawValue, 2)])
    let status = try child.wait(timeout: timeout)
    func text(_ name: BytePath) throws -> String {
      String(decoding: try FileSystem.contents(of: scratch.path.appending(name)), as: UTF8.self)
    }
    return Finished(
      status: try #require(status, "\(executable) took longer than \(timeout)"),
      output: try text("out"), errors: try text("err"))
  }

  /// Runs a command that must succeed; its output without the last line feed.
  @discardableResult
  static func must(
    _ executable: BytePath, _ arguments: [BytePath], directory: BytePath? = nil
  ) throws -> String {
    let finished = try run(executable, arguments, directory: directory)
    try #require(finished.status.isSuccess, "\(executable) \(arguments): \(finished.errors)")
    return finished.output.split(separator: "\n").joined(separator: "\n")
  }

  /// The first of some programs that is there; nil for none.
  static func find(_ name: BytePath) -> BytePath? {
    let folders: [BytePath] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]
    return folders.map { $0.appending(name) }.first { path in
      (try? FileSystem.metadataIfPresent(path, followingLinks: true)) ?? nil != nil
    }
  }
}
