import SystemIO

/// What a process holds at a moment, as the kernel tells it: never as the process does.
struct ProcessFootprint: Equatable {
  /// What each descriptor stands for, sorted; pipes and sockets keep their kernel numbers.
  var descriptors: [String]
  var threadCount: Int
  /// Process numbers of its children, sorted.
  var children: [String]
  var workingDirectory: BytePath

  /// Reads /proc/PID (man 5 proc); ESRCH or ENOENT when the process is gone.
  init(of process: Int32) throws(SystemError) {
    let folder = BytePath("/proc/\(process)")
    var descriptors: [String] = []
    for entry in try Self.list(folder.appending("fd")) {
      // A descriptor may be closed between the listing and this call.
      let path = folder.appending("fd").appending(entry)
      if let target = try? FileSystem.readLink(path) { descriptors.append(target.escaped) }
    }
    self.descriptors = descriptors.sorted()
    let threads = try Self.list(folder.appending("task"))
    threadCount = threads.count
    var children: [String] = []
    for thread in threads {
      let path = folder.appending("task").appending(thread).appending("children")
      guard let bytes = try? FileSystem.contents(of: path) else { continue }
      children += String(decoding: bytes, as: UTF8.self).split(separator: " ").map { String($0) }
    }
    self.children = children.sorted()
    workingDirectory = try FileSystem.readLink(folder.appending("cwd"))
  }

  private static func list(_ folder: BytePath) throws(SystemError) -> [BytePath] {
    try PinnedDirectory.open(folder).list().map(\.name)
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
