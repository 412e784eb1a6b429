import Glibc
import SystemIO

/// A subject's process with its streams, drained so that it never blocks on a full pipe.
struct SubjectProcess: ~Copyable {
  private var child: ChildProcess
  /// Its standard input, or the gate that lets it go.
  private var input: FileDescriptor?
  /// nil once nobody wants to hear more.
  private var output: FileDescriptor?
  private var outputRoom: Int?
  private let errors: FileDescriptor
  private var lines = LineSplitter(lengthLimit: EventReader.lineLimit)
  private var logTail: [UInt8] = []
  private var outputIsOpen = true
  private var errorsAreOpen = true
  private let buffer = AlignedBuffer(byteCount: 64 * 1024)

  /// F_SETPIPE_SZ, which Glibc's module does not show.
  private static let setPipeSize: CInt = 1031
  /// Bytes of standard error that are kept.
  private static let logLimit = 16 << 10
  /// How long a killed process may take to go; longer means that the rig holds one of its calls.
  private static let reapTime = Duration.seconds(10)

  enum Stop: Equatable {
    /// The reader of lines has what it wants.
    case satisfied
    /// The process has ended and everything it wrote was read.
    case ended
    case deadline
  }

  enum Entry {
    /// Its standard input is a pipe from us.
    case standardInput
    /// It waits, as a shell that becomes the program, until `letGo`.
    case gate
    /// It is a shell with this script, which reads a line from descriptor 3 before it begins, and
    /// writes there what `answers` gives.
    case script([UInt8])
  }

  /// Whom signals are for: the subject's own first process.
  var processID: Int32 { child.pid }

  /// What it wrote last on standard error.
  var log: String { String(decoding: logTail, as: UTF8.self) }

  /// Starts a program in a process group of its own. `outputLimit`: see `SubjectTask`.
  init(
    _ program: Program, _ arguments: [[UInt8]], place: ProcessPlace, entry: Entry,
    outputLimit: Int? = nil, isEnclosed: Bool = false
  ) throws(SystemError) {
    // A socket, not a pipe: writing to a process that has ended must be no signal to this one.
    let inputPipe = try Ends { (ends) throws(SystemError) in
      try UnixSocket.pair().split { ends = ($0.release(), $1.release()) }
    }
    let outputPipe = try Ends()
    let errorPipe = try Ends()
    var command = ChildProcess.Command(
      program.executable, program.prefix + arguments, environment: place.environment,
      workingDirectory: place.working, newProcessGroup: true)
    var descriptors: [(ours: CInt, theirs: CInt)] = [
      (outputPipe.writing.rawValue, 1), (errorPipe.writing.rawValue, 2),
    ]
    switch entry {
    case .standardInput: descriptors.append((inputPipe.reading.rawValue, 0))
    case .gate:
      // The number stays the same through exec, and nothing of the program runs before the line
      // comes; a closed gate ends the shell.
      let script = #"read -r go <&3 && exec "$@" 3<&-"#
      command.executable = "/bin/sh"
      command.arguments =
        [Array("-c".utf8), Array(script.utf8), Array("sh".utf8), program.executable.bytes]
        + program.prefix + arguments
      descriptors.append((inputPipe.reading.rawValue, 3))
    case .script(let script):
      command.executable = "/bin/sh"
      command.arguments = [Array("-c".utf8), script]
      descriptors.append((inputPipe.reading.rawValue, 3))
    }
    command.newNamespaces = isEnclosed
    child = try ChildProcess.spawn(command, descriptors: descriptors)
    input = .some(inputPipe.writing)
    let outputPipeNumber = outputPipe.reading.rawValue
    output = .some(outputPipe.reading)
    errors = errorPipe.reading
    outputRoom = outputLimit
    if let outputLimit {
      // What the pipe holds was never refused: as little as the kernel allows.
      _ = fcntl(outputPipeNumber, Self.setPipeSize, 4096)
      if outputLimit <= 0 { closeOutput() }
    }
  }

  private var outputNumber: CInt {
    switch output {
    case .some(let open): open.rawValue
    case .none: -1
    }
  }

  private mutating func closeOutput() {
    output = nil
    outputIsOpen = false
  }

  /// Two ends that part: ours stays, theirs closes with the end of `init`.
  private struct Ends: ~Copyable {
    let reading: FileDescriptor
    let writing: FileDescriptor

    init(
      _ make: (inout (CInt, CInt)) throws(SystemError) -> Void = { (ends) throws(SystemError) in
        try FileDescriptor.pipe().split { ends = ($0.release(), $1.release()) }
      }
    ) throws(SystemError) {
      var numbers: (CInt, CInt) = (-1, -1)
      try make(&numbers)
      reading = FileDescriptor(owning: numbers.0)
      writing = FileDescriptor(owning: numbers.1)
    }
  }

  /// Writes to its standard input. A process that has ended takes nothing, and that is no error:
  /// `pump` and `reap` tell how it ended.
  func send(_ bytes: [UInt8]) throws(SystemError) {
    do throws(SystemError) {
      try input?.sendAll(bytes)
    } catch {
      if error.errno != .brokenPipe { throw error }
    }
  }

  /// Opens the gate.
  mutating func letGo() throws(SystemError) {
    try send([UInt8(ascii: "\n")])
    closeInput()
  }

  /// What a script wrote to descriptor 3, once it has ended.
  func answers() throws(SystemError) -> [UInt8] {
    var all: [UInt8] = []
    while let count = try input?.read(into: buffer.bytes), count > 0 {
      all += buffer.prefix(count)
    }
    return all
  }

  /// Ends its standard input, which tells a worker to end.
  mutating func closeInput() { input = nil }

  /// Drains both streams and hands out lines until one satisfies, the process ends or the time is
  /// over.
  mutating func pump(
    until deadline: Duration, _ body: (LineSplitter.Line) -> Bool
  ) throws(SystemError) -> Stop {
    let clock = SystemClock()
    while true {
      let rest = deadline - clock.monotonic()
      let ready = try poll(timeout: max(.zero, rest))
      if ready.output, try drainOutput(body) { return .satisfied }
      if ready.errors { try drainErrors() }
      if !ready.output && !ready.errors {
        if ready.end {
          if let last = lines.finish(), body(last) { return .satisfied }
          return .ended
        }
        if rest <= .zero { return .deadline }
      }
    }
  }

  private func poll(
    timeout: Duration
  ) throws(SystemError) -> (output: Bool, errors: Bool, end: Bool) {
    // poll(2) passes over negative numbers.
    let events = try Poller.wait(
      [
        (outputIsOpen ? outputNumber : -1, .readable),
        (errorsAreOpen ? errors.rawValue : -1, .readable), (child.endDescriptor, .readable),
      ], timeout: timeout)
    return (!events[0].isEmpty, !events[1].isEmpty, !events[2].isEmpty)
  }

  private mutating func drainOutput(
    _ body: (LineSplitter.Line) -> Bool
  ) throws(SystemError) -> Bool {
    let room = UnsafeMutableRawBufferPointer(
      rebasing: buffer.bytes[..<min(buffer.bytes.count, outputRoom ?? .max)])
    let count = try output?.read(into: room) ?? 0
    if count == 0 { outputIsOpen = false }
    outputRoom = outputRoom.map { $0 - count }
    if outputRoom == 0 { closeOutput() }
    var isSatisfied = false
    for line in lines.add(buffer.prefix(count)) where body(line) { isSatisfied = true }
    return isSatisfied
  }

  private mutating func drainErrors() throws(SystemError) {
    let count = try errors.read(into: buffer.bytes)
    if count == 0 { errorsAreOpen = false }
    logTail.append(contentsOf: buffer.prefix(count))
    if logTail.count > Self.logLimit { logTail.removeFirst(logTail.count - Self.logLimit) }
  }

  /// True when a child of the ended process still holds one of its streams.
  var hasSurvivors: Bool { outputIsOpen || errorsAreOpen }

  /// Kills the whole process group, and with the first process of namespaces all that is in them.
  func kill() throws(SystemError) { try child.kill(.kill) }

  /// How it ended; nil when it will not go although it was killed. The first process of namespaces
  /// ends after every other one in them has.
  mutating func reap() throws(SystemError) -> ExitStatus? {
    try child.wait(timeout: Self.reapTime)
  }
}

/// What to start: an executable and the arguments that come before the verb.
struct Program: Sendable {
  let executable: BytePath
  let prefix: [[UInt8]]
}
