import CXXHash
import SystemIO

/// Finds the programs of a tool, and says which they are.
enum ToolProgram {
  /// Where a program is: a path as it is, a name by the caller's PATH; nil when it is not there.
  static func find(_ name: String) -> BytePath? {
    let name = BytePath(name)
    if name.bytes.contains(UInt8(ascii: "/")) {
      guard let here = try? FileSystem.currentDirectory() else { return nil }
      let path = name.isAbsolute ? name : here.appending(name)
      return isExecutable(path) ? path : nil
    }
    return searchPath.split(separator: UInt8(ascii: ":")).lazy
      .compactMap { BytePath(Array($0)) }.filter(\.isAbsolute)
      .map { $0.appending(name) }.first(where: isExecutable)
  }

  /// The PATH that tools are found by, and get.
  static var searchPath: [UInt8] {
    Environment.value("PATH")?.bytes ?? Array("/usr/local/bin:/usr/bin:/bin".utf8)
  }

  private static func isExecutable(_ path: BytePath) -> Bool {
    guard let found = try? FileSystem.metadata(path, followingLinks: true) else { return false }
    return found.kind == .regular && found.mode & 0o111 != 0
  }

  /// Programs that answer a question for their version, and how they are asked. Nobody else is: a
  /// script of the user's might take any argument for a file to copy.
  private static let questions = [
    "cp": "--version", "rsync": "--version", "tar": "--version", "rclone": "version",
  ]

  /// The first line of its version, or a digest of the file.
  static func version(of path: BytePath) -> String {
    guard let question = questions[path.lastComponent.escaped] else {
      return digest(of: path) ?? "unreadable"
    }
    return firstLine(of: path, question) ?? "version unknown"
  }

  private static func firstLine(of path: BytePath, _ question: String) -> String? {
    guard
      var process = try? SubjectProcess(
        Program(executable: path, prefix: []), [Array(question.utf8)], place: .nowhere,
        entry: .standardInput)
    else { return nil }
    process.closeInput()
    var line: String?
    let deadline = SystemClock().monotonic() + .seconds(10)
    _ = try? process.pump(until: deadline) { found in
      if line == nil, case .whole(let bytes) = found {
        line = String(decoding: bytes, as: UTF8.self)
      }
      return false
    }
    try? process.kill()
    _ = try? process.reap()
    return line
  }

  /// The largest program that is digested, in bytes.
  private static let digestLimit = 256 << 20

  private static func digest(of path: BytePath) -> String? {
    guard let bytes = try? FileSystem.contents(of: path, limit: digestLimit) else { return nil }
    let value = bytes.withUnsafeBytes { XXH3_64bits($0.baseAddress, $0.count) }
    return "\(bytes.count) bytes, xxh3 \(String(value, radix: 16))"
  }
}
