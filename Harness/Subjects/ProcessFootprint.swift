import SystemIO

/// What a process holds at a moment, as the kernel tells it: never as the process does.
struct ProcessFootprint: Equatable {
  /// What each descriptor stands for, sorted; pipes and sockets keep their kernel numbers.
  var descriptors: [String]
  var threadCount: Int
  /// Process numbers of its children, sorted.
  var children: [String]
  var workingDirectory: BytePath

  /// Reads a process's folder in /proc (man 5 proc); ESRCH or ENOENT when the process is gone.
  init(_ folder: borrowing PinnedDirectory) throws(SystemError) {
    var descriptors: [String] = []
    let links = try folder.descend("fd")
    for entry in try links.list() {
      // A descriptor may be closed between the listing and this call.
      if let target = try? links.readLink(entry.name) { descriptors.append(target.escaped) }
    }
    self.descriptors = descriptors.sorted()
    let tasks = try folder.descend("task")
    let threads = try tasks.list()
    threadCount = threads.count
    var children: [String] = []
    for thread in threads {
      guard let bytes = try? Self.children(tasks, thread.name) else { continue }
      children += String(decoding: bytes, as: UTF8.self).split(separator: " ").map { String($0) }
    }
    self.children = children.sorted()
    workingDirectory = try folder.readLink("cwd")
  }

  /// The folder of a process, to be kept open for many readings.
  static func folder(of process: Int32) throws(SystemError) -> PinnedDirectory {
    try PinnedDirectory.open(BytePath("/proc/\(process)"))
  }

  /// More children than this are more than any subject has.
  private static let childrenByteLimit = 4096

  private static func children(
    _ tasks: borrowing PinnedDirectory, _ thread: BytePath
  ) throws(SystemError) -> [UInt8] {
    let file = try tasks.descend(thread).openFile("children", .readOnly)
    let buffer = AlignedBuffer(byteCount: childrenByteLimit)
    return Array(buffer.prefix(try file.readAll(into: buffer.bytes, at: 0)))
  }

  /// What is there beyond a baseline, one line each.
  func excess(over baseline: ProcessFootprint) -> [String] {
    var lines: [String] = []
    var known = baseline.descriptors
    for descriptor in descriptors {
      if let index = known.firstIndex(of: descriptor) {
        known.remove(at: index)
      } else {
        lines.append("a descriptor of \(descriptor)")
      }
    }
    if threadCount > baseline.threadCount {
      lines.append("\(threadCount - baseline.threadCount) threads more than before")
    }
    for child in children where !baseline.children.contains(child) {
      lines.append("a child process (\(child))")
    }
    if workingDirectory != baseline.workingDirectory {
      lines.append("its working folder at \(workingDirectory.escaped)")
    }
    return lines
  }
}
