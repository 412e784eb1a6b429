import BuildIdentity
public import HarnessKit
public import SystemIO

/// The shipped copy engine: the `custody` binary beside the running harness, or another that the
/// caller names; never one from PATH.
public enum OffloadSubject {
  /// As `--subject` takes it.
  public static let name = "offload"

  /// Makes the subject and checks that the binary comes from the harness's own build.
  ///
  /// - Parameter custody: nil for the binary beside this one.
  /// - Throws: when there is no such binary, or it is of another build.
  public static func make(custody: BytePath? = nil) throws(SubjectFailure) -> EngineSubject {
    let path: BytePath
    if let custody { path = custody } else { path = try besideHarness() }
    let version = try version(of: path)
    guard version.contains(BuildIdentity.current) else {
      throw SubjectFailure(
        "\(path.escaped) is of another build than this harness (\(BuildIdentity.current)); it "
          + "says: \(version.isEmpty ? "nothing" : version)")
    }
    return EngineSubject(
      name: name, identity: "\(path.escaped), \(version)",
      program: Program(executable: path, prefix: []))
  }

  private static func besideHarness() throws(SubjectFailure) -> BytePath {
    do throws(SystemError) {
      let own = try FileSystem.readLink("/proc/self/exe")
      return (own.parent ?? "").appending("custody")
    } catch {
      throw SubjectFailure("this harness does not find its own folder: \(error)")
    }
  }

  /// What `--version` prints, on one line.
  private static func version(of path: BytePath) throws(SubjectFailure) -> String {
    do throws(SystemError) {
      var process = try SubjectProcess(
        Program(executable: path, prefix: []), [Array("--version".utf8)], place: .nowhere,
        entry: .standardInput)
      process.closeInput()
      var words: [String] = []
      let deadline = SystemClock().monotonic() + .seconds(20)
      let stop = try process.pump(until: deadline) { line in
        if case .whole(let bytes) = line { words.append(String(decoding: bytes, as: UTF8.self)) }
        return false
      }
      if stop == .deadline { try process.kill() }
      _ = try process.reap()
      return words.joined(separator: ", ")
    } catch {
      throw SubjectFailure("custody cannot be asked for its version: \(error)")
    }
  }
}
