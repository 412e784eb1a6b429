import Glibc
import SystemIO

/// What a process holds at a moment, as /proc shows it (man 5 proc).
struct ProcessSample: Sendable {
  var descriptors: Int
  var threads: Int
  /// Anonymous memory in use (`RssAnon`): heap and stacks, not the pages of its executable.
  var anonymousBytes: Int64
  var children: [Int32]

  /// nil for a process that is gone, or goes meanwhile.
  init?(process: Int32) {
    let folder = BytePath("/proc/\(process)")
    guard let descriptors = Self.names(folder.appending("fd")),
      let threads = Self.names(folder.appending("task")),
      let status = try? FileSystem.contents(of: folder.appending("status"))
    else { return nil }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("RssAnon:") }),
      let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        .flatMap({ Int64($0) })
    else { return nil }
    self.descriptors = descriptors.count
    self.threads = threads.count
    anonymousBytes = kibibytes << 10
    children = threads.flatMap { thread -> [Int32] in
      let path = folder.appending("task").appending(thread).appending("children")
      guard let text = try? FileSystem.contents(of: path) else { return [] }
      return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
  }

  private static func names(_ folder: BytePath) -> [BytePath]? {
    try? PinnedDirectory.open(folder).list().map(\.name)
  }
}
