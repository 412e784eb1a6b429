import Glibc
import Testing

@testable import SystemIO

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
  static func shell(_ script: String) -> ChildProcess.Command {
    ChildProcess.Command("/bin/sh", [Array("-c".utf8), Array(script.utf8)])
  }

  /// Runs a command to its end and returns what it wrote to its output.
  static func output(
    of command: ChildProcess.Command, more: [(ours: CInt, theirs: CInt)] = []
  ) throws -> (text: String, status: ChildProcess.ExitStatus?) {
    try FileDescriptor.pipe().split { reading, writing in
      var child = try ChildProcess.spawn(command, descriptors: [(writing.rawValue, 1)] + more)
      try writing.close()
      let buffer = AlignedBuffer(byteCount: 64 * 1024)
      var bytes: [UInt8] = []
      while true {
        let count = try reading.read(into: buffer.bytes)
        if count == 0 { break }
        bytes += buffer.prefix(count)
      }
      return (String(decoding: bytes, as: UTF8.self), try child.wait())
    }
  }

  @Test("The exit code comes back, and comes again on a second wait")
  func exitCode() throws {
    var child = try ChildProcess.spawn(Self.shell("exit 7"))
    let first = try child.wait()
    let second = try child.wait()
    #expect(first == .exited(7))
    #expect(second == .exited(7))
    let usage = child.usage
    let peak = try #require(usage?.peakResidentBytes)
    #expect(peak > 100_000)
  }

  @Test(
    "Namespaces: it is process 1, sees its own /proc, and takes with it who is left",
    .enabled(if: getuid() == 0, "needs root for namespaces"))
  func namespaces() throws {
    var command = Self.shell("echo $$; ls -d /proc/[0-9]* | wc -l; sleep 1000 & exit 3")
    command.newNamespaces = true
    command.workingDirectory = "/"
    let (text, status) = try Self.output(of: command)
    #expect(status == .exited(3), "the sleeper held the pipe, and is gone too")
    let lines = text.split(separator: "\n")
    #expect(lines.first == "1")
    #expect(lines.last.flatMap { Int($0) }.map { $0 < 5 } == true, "\(text)")
    var missing = ChildProcess.Command("/no/such/program")
    missing.newNamespaces = true
    let error = try systemError { _ = try ChildProcess.spawn(missing) }
    #expect(error.errno == .noSuchFile)
  }

  @Test(
    "Namespaces: a signal's death is told as it is, and no other descriptor is handed on",
    .enabled(if: getuid() == 0, "needs root for namespaces"))
  func namespaceEnd() throws {
    // Not closed on exec, so that only the spawn can keep it out.
    let stray = dup(2)
    defer { close(stray) }
    var command = Self.shell("ls -l /proc/self/fd | grep -c -- '->'; exec sleep 1000")
    command.newNamespaces = true
    try FileDescriptor.pipe().split { reading, writing in
      var child = try ChildProcess.spawn(command, descriptors: [(writing.rawValue, 1)])
      try writing.close()
      var reader = LineReader(reading)
      // 0, 1, 2 and the folder that ls reads.
      #expect(
        try reader.next(timeout: .seconds(20)).map { String(decoding: $0, as: UTF8.self) } == "4")
      try child.kill(.kill)
      #expect(try child.wait(timeout: .seconds(20)) == .signalled(.kill))
    }
  }

  @Test("A signal's death is told from an exit, and reaches the whole group")
  func signals() throws {
    var command = Self.shell("sleep 1000 & echo $!; wait")
    command.newProcessGroup = true
    try FileDescriptor.pipe().split { reading, writing in
      var child = try ChildProcess.spawn(command, descriptors: [(writing.rawValue, 1)])
      try writing.close()
      var reader = LineReader(reading)
      let line = try reader.next(timeout: .seconds(20))
      #expect(line != nil)
      let running = try child.wait(timeout: .milliseconds(20))
      #expect(running == nil)
      try child.kill(.kill)
      let status = try child.wait(timeout: .seconds(20))
      #expect(status == .signalled(.kill))
      // The sleeper held the pipe open: its end shows that it is gone too.
      let end = try reader.next(timeout: .seconds(20))
      #expect(end == nil)
      try child.kill(.kill)
    }
  }

  @Test("A child that nobody waited for dies with its value")
  func dropped() throws {
    try FileDescriptor.pipe().split { reading, writing in
      do {
        _ = try ChildProcess.spawn(
          ChildProcess.Command("/bin/sleep", [Array("1000".utf8)]),
          descriptors: [(writing.rawValue, 1)])
      }
      try writing.close()
      var reader = LineReader(reading)
      let end = try reader.next(timeout: .seconds(20))
      #expect(end == nil)
    }
  }

  @Test("Arguments, environment and directory are raw bytes and exactly those given")
  func given() throws {
    var command = Self.shell(#"printf '%s|%s|%s|' "$1" "$FOO" "$HOME"; pwd"#)
    command.arguments += [Array("sh".utf8), [0xff, 0x0a, 0x20]]
    command.environment = [Array("FOO=bar baz".utf8)]
    command.workingDirectory = "/proc"
    let (text, status) = try Self.output(of: command)
    #expect(status == .exited(0))
    #expect(
      text == String(decoding: [0xff, 0x0a, 0x20] as [UInt8], as: UTF8.self) + "|bar baz||/proc\n")
  }

  @Test("Only the descriptors given arrive, at their numbers, even crosswise")
  func descriptors() throws {
    let scratch = try Scratch()
    try scratch.file("a", Array("A".utf8))
    try scratch.file("b", Array("B".utf8))
    let first = try FileDescriptor.open(scratch.path.appending("a"), .readOnly)
    let second = try FileDescriptor.open(scratch.path.appending("b"), .readOnly)
    // Not closed on exec, so that only the list can keep it out.
    let stray = dup(first.rawValue)
    defer { close(stray) }
    let pairs = [(first.rawValue, second.rawValue), (second.rawValue, first.rawValue)]
    // The shell takes one digit in `<&`, so the numbers go through /proc.
    let script = """
      cat /proc/self/fd/\(second.rawValue) /proc/self/fd/\(first.rawValue); echo; ls /proc/$$/fd
      """
    let (text, status) = try Self.output(of: Self.shell(script), more: pairs)
    #expect(status == .exited(0))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first == "AB")
    let numbers = Set(lines.dropFirst().compactMap { CInt($0) }).subtracting([10, 255])
    #expect(numbers == [0, 1, 2, first.rawValue, second.rawValue])
  }

  @Test("Without an input the child's is empty")
  func emptyInput() throws {
    let (text, status) = try Self.output(of: Self.shell("cat; echo end"))
    #expect(text == "end\n")
    #expect(status?.isSuccess == true)
  }

  @Test("Signals that we block or ignore are at their defaults in a child")
  func signalState() throws {
    Signal.ignore(.pipe)
    let text = Monitor("")
    let thread = try Thread(name: "blocked") {
      guard let queue = try? SignalQueue([.interrupt, .terminate]) else { return }
      // No shell: it blocks signals for a moment of its own.
      let grep = ChildProcess.Command(
        "/bin/grep", ["-E", "SigBlk|SigIgn", "/proc/self/status"].map { Array($0.utf8) })
      let output = try? Self.output(of: grep)
      text.update { $0 = output?.text ?? "" }
      _ = queue.descriptor.rawValue
    }
    thread.join()
    let masks = text.read { $0 }.split(separator: "\n").compactMap {
      $0.split(separator: "\t").last
    }
    // Signals 32 and 33 are the C library's own, and inherited from whoever started the tests.
    let own: UInt64 = 3 << 31
    #expect(masks.compactMap { UInt64($0, radix: 16) }.map { $0 & ~own } == [0, 0])
  }

  @Test("A missing executable and a missing directory are errors of the start")
  func missing() throws {
    for command in [
      ChildProcess.Command("/none/such"),
      ChildProcess.Command("/bin/true", workingDirectory: "/none"),
    ] {
      let error = try systemError { _ = try ChildProcess.spawn(command) }
      #expect(error.call == "posix_spawn")
      #expect(error.errno == .noSuchFile)
      #expect(error.path == command.executable)
    }
  }

  @Test("A child's handle is closed with its value")
  func handleCloses() throws {
    let links = (0..<40).compactMap { _ -> BytePath? in
      guard var child = try? ChildProcess.spawn(ChildProcess.Command("/bin/true")),
        (try? child.wait()) == .exited(0)
      else { return nil }
      return BytePath("/proc/self/fd/\(child.endDescriptor)")
    }
    #expect(links.count == 40)
    // Closed numbers are used again; forty leaked ones would all be different.
    #expect(Set(links).count < 40)
  }
}
