import SystemIO

/// One command line of a contender.
struct Tool {
  let executable: BytePath
  let arguments: [[UInt8]]
  /// As people would write it.
  var text: String {
    ([executable.lastComponent.escaped] + arguments.map { String(decoding: $0, as: UTF8.self) })
      .joined(separator: " ")
  }

  init(_ executable: BytePath, _ arguments: [BytePath]) {
    self.executable = executable
    self.arguments = arguments.map(\.bytes)
  }

  /// Finds a tool by PATH.
  init(named name: String, _ arguments: [BytePath]) throws(BenchError) {
    let folders = Environment.value("PATH") ?? "/usr/bin:/bin"
    for folder in folders.bytes.split(separator: UInt8(ascii: ":")) {
      guard let folder = BytePath(Array(folder)) else { continue }
      let path = folder.appending(BytePath(name))
      let found = try system { () throws(SystemError) in
        try FileSystem.metadataIfPresent(path, followingLinks: true)
      }
      if let found, found.kind == .regular, found.mode & 0o111 != 0 {
        self.init(path, arguments)
        return
      }
    }
    throw .missingTool(name)
  }

  /// Runs it to its end, output thrown away, and adds what it took.
  func run(adding total: inout Measurement) throws(BenchError) {
    let clock = SystemClock()
    let (status, usage, wall, words) = try system { () throws(SystemError) in
      let nothing = try FileDescriptor.open("/dev/null", .writeOnly)
      let pipe = try FileDescriptor.pipe()
      return try pipe.split { (reading, writing) throws(SystemError) in
        let start = clock.monotonic()
        var child = try ChildProcess.spawn(
          ChildProcess.Command(executable, arguments),
          descriptors: [(nothing.rawValue, 1), (writing.rawValue, 2)])
        try writing.close()
        let words = try Self.lastWords(reading)
        let status = try child.wait()
        return (status, child.usage, clock.monotonic() - start, words)
      }
    }
    guard let usage, let status, status.isSuccess else {
      throw .failed(
        command: text, status: status.map { "\($0)" } ?? "nothing", lastWords: words)
    }
    total.wall += wall
    total.processor += usage.user + usage.system
    total.peakResidentBytes = max(total.peakResidentBytes, usage.peakResidentBytes)
  }

  /// The end of what it says on standard error, which is read until it ends.
  private static func lastWords(
    _ reading: borrowing FileDescriptor
  ) throws(SystemError) -> String {
    let buffer = AlignedBuffer(byteCount: 4096)
    var last: [UInt8] = []
    while true {
      let count = try reading.read(into: buffer.bytes)
      if count == 0 { return String(decoding: last.suffix(500), as: UTF8.self) }
      last = Array((last + buffer.prefix(count)).suffix(4096))
    }
  }
}
