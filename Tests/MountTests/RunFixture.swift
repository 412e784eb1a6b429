import Glibc
import SystemIO
import Testing
import Wire

@testable import FaultFS

/// A folder with scripts and cards of its own, and the command run from it.
final class RunFixture {
  let folder: BytePath

  static let preamble = """
    custody-fault 1
    card tiny
    volume src persona ext4 capacity 16MiB
    volume dst persona exfat-linux capacity 16MiB
    modes standard

    """

  /// - Parameter cases: lines of a script `t`, below a preamble with a tiny card.
  init(_ cases: String = "") throws {
    folder = BytePath("/tmp/custody-run-tests-\(getpid())-\(RandomID().text)")
    let scripts = folder.appending("FaultScripts")
    try FileSystem.makeDirectories(scripts)
    try write(Self.preamble + cases, "FaultScripts/t.fault")
    try FileSystem.makeDirectories(folder.appending("Fixtures"))
    let card = try FileSystem.contents(of: RigFixture.cards().appending("tiny.card"))
    try FileSystem.makeDirectories(folder.appending("Fixtures/cards"))
    try write(String(decoding: card, as: UTF8.self), "Fixtures/cards/tiny.card")
    try FileSystem.makeDirectories(folder.appending("tmp"))
  }

  deinit {
    // The folder is this test's own; links are not followed.
    Self.remove(folder)
  }

  private static func remove(_ path: BytePath) {
    guard let opened = try? PinnedDirectory.open(path) else { return }
    for entry in (try? opened.list()) ?? [] {
      if entry.kind == .directory {
        remove(path.appending(entry.name))
      } else {
        try? opened.unlink(entry.name)
      }
    }
    _ = path.withCString { rmdir($0) }
  }

  func write(_ text: String, _ name: BytePath) throws {
    let file = try FileDescriptor.open(
      folder.appending(name), .writeOnly, options: [.create, .truncate], mode: 0o644)
    try file.writeAll(Array(text.utf8))
    try file.close()
  }

  /// What a command came to.
  struct End {
    let status: SystemIO.ExitStatus?
    let output: String
  }

  func start(_ words: [String]) throws -> ChildProcess {
    let output = try FileDescriptor.open(
      folder.appending("output"), .writeOnly, options: [.create, .truncate], mode: 0o644)
    var command = ChildProcess.Command(
      try RigFixture.harness(), words.map { Array($0.utf8) })
    command.workingDirectory = folder
    command.environment =
      Environment.entries.filter { !$0.starts(with: Array("TMPDIR=".utf8)) }
      + [Array("TMPDIR=".utf8) + folder.appending("tmp").bytes]
    return try ChildProcess.spawn(
      command, descriptors: [(output.rawValue, 1), (output.rawValue, 2)])
  }

  func run(_ words: String...) throws -> End { try run(words) }

  func run(_ words: [String]) throws -> End {
    var child = try start(words)
    let status = try child.wait(timeout: .seconds(120))
    return End(status: status, output: try text("output"))
  }

  func text(_ name: BytePath) throws -> String {
    String(decoding: try FileSystem.contents(of: folder.appending(name)), as: UTF8.self)
  }

  func report(_ name: BytePath = "report") throws -> JSON {
    try JSON.parse(try FileSystem.contents(of: folder.appending(name).appending("report.json")))
  }

  func exists(_ name: BytePath) -> Bool {
    (try? FileSystem.metadataIfPresent(folder.appending(name), followingLinks: false)) != nil
  }

  /// Mounts and temporary folders of the command that are still there.
  func leftovers() throws -> [BytePath] {
    let mounts = try MountTable.current().entries.map(\.mountPoint)
      .filter { $0.bytes.starts(with: folder.bytes) }
    return mounts + (try PinnedDirectory.open(folder.appending("tmp")).list().map(\.name))
  }
}
