import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

/// A rig with one volume `dst`, without faults unless a rule is armed, and a scratch folder.
final class TesterScratch {
  enum Store: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, backed
    var testDescription: String { rawValue }
  }

  let rig: RigFixture
  let place: BytePath
  private let folder: BytePath
  private var count = 0

  /// - Parameter rules: lines of the case, armed at once.
  init(
    _ store: Store, cache: CachePolicy = .none, persona: String = "ext4", rules: [String] = []
  ) throws {
    rig = try RigFixture()
    let text = """
      custody-fault 1
      card empty
      volume src persona ext4 capacity 16MiB
      volume dst persona \(persona) capacity 4GiB cache \(cache.rawValue) store \(store.rawValue)
      case "one"
      \(rules.map { "  " + $0 }.joined(separator: "\n"))
        expect sound
      """
    place = try #require(try rig.load(text)["dst"])
    try rig.client.arm(ruleIDs: Array(rules.indices))
    folder = BytePath("/tmp/custody-tester-\(getpid())-\(RandomID().text)")
    try FileSystem.makeDirectories(folder)
  }

  /// Ends the rig and removes both folders.
  func end() throws {
    try rig.end()
    try BackingFolder(folder).empty("")
    #expect(folder.withCString { rmdir($0) } == 0)
  }

  /// A new path for somebody's output.
  func output() -> BytePath {
    count += 1
    return folder.appending(BytePath("output-\(count)"))
  }

  struct End {
    /// nil when it was killed for taking too long.
    let status: SystemIO.ExitStatus?
    let text: String
  }

  /// Runs a program to its end with `place` of the scratch folder as working folder.
  func run(_ program: BytePath, _ words: [String], within limit: Duration) throws -> End {
    let path = output()
    let file = try FileDescriptor.open(path, .writeOnly, options: [.create], mode: 0o644)
    var command = ChildProcess.Command(program, words.map { Array($0.utf8) })
    command.workingDirectory = folder
    command.newProcessGroup = true
    var child = try ChildProcess.spawn(
      command, descriptors: [(file.rawValue, 1), (file.rawValue, 2)])
    let status = try child.wait(timeout: limit)
    if status == nil {
      Glibc.kill(-child.pid, SIGKILL)
      _ = try child.wait()
    }
    return End(
      status: status, text: String(decoding: try FileSystem.contents(of: path), as: UTF8.self))
  }

  /// How much longer than in CI a run shall be: CUSTODY_TESTER, 1 unless it is set.
  static let factor = Int(Environment.value("CUSTODY_TESTER")?.utf8 ?? "") ?? 1
}
