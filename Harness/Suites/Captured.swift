import SystemIO

/// Runs an outside tool to its end and takes what it wrote.
enum Captured {
  /// What a tool came to.
  struct Result {
    let status: ExitStatus?
    let output: [UInt8]
    let errors: [UInt8]
  }

  /// The most bytes that are taken of either stream.
  static let outputLimit = 64 << 20

  /// Runs a tool with a deadline; one that is still alive then is killed, and `status` is nil.
  ///
  /// Its output goes through files in `folder`, so that no pipe can block it.
  static func run(
    _ executable: BytePath, _ arguments: [[UInt8]], in directory: BytePath? = nil,
    folder: BytePath, timeout: Duration = .seconds(60)
  ) throws(SystemError) -> Result {
    let output = folder.appending("tool.out")
    let errors = folder.appending("tool.err")
    let status = try spawn(executable, arguments, directory, output, errors, timeout)
    return Result(
      status: status, output: try FileSystem.contents(of: output, limit: outputLimit),
      errors: try FileSystem.contents(of: errors, limit: outputLimit))
  }

  private static func spawn(
    _ executable: BytePath, _ arguments: [[UInt8]], _ directory: BytePath?, _ output: BytePath,
    _ errors: BytePath, _ timeout: Duration
  ) throws(SystemError) -> ExitStatus? {
    let standardOutput = try FileDescriptor.open(
      output, .writeOnly, options: [.create, .truncate])
    let standardError = try FileDescriptor.open(errors, .writeOnly, options: [.create, .truncate])
    var command = ChildProcess.Command(executable, arguments)
    command.workingDirectory = directory
    command.newProcessGroup = true
    var child = try ChildProcess.spawn(
      command, descriptors: [(standardOutput.rawValue, 1), (standardError.rawValue, 2)])
    if let status = try child.wait(timeout: timeout) { return status }
    try child.kill(.kill)
    _ = try child.wait(timeout: .seconds(2))
    return nil
  }

  /// The path of a tool: the first of `PATH`'s folders that has it; nil when none does.
  static func tool(_ name: String) -> BytePath? {
    let path = Environment.value("PATH")?.bytes ?? Array("/usr/bin:/bin".utf8)
    for folder in path.split(separator: UInt8(ascii: ":")) {
      guard let folder = BytePath(Array(folder)), folder.isAbsolute else { continue }
      let candidate = folder.appending(BytePath(name))
      guard let found = try? FileSystem.metadata(candidate, followingLinks: true) else { continue }
      if found.kind == .regular && found.mode & 0o111 != 0 { return candidate }
    }
    return nil
  }
}
