public import HarnessKit
public import SystemIO

/// A saboteur as a subject: the harness starts itself with the hidden verb `saboteur`.
public enum SaboteurSubject {
  /// - Parameter harness: the harness binary; nil for this process's own.
  public static func make(
    _ saboteur: Saboteur, harness: BytePath? = nil
  ) throws(SubjectFailure) -> EngineSubject {
    let path: BytePath
    if let harness {
      path = harness
    } else {
      do throws(SystemError) {
        path = try FileSystem.readLink("/proc/self/exe")
      } catch {
        throw SubjectFailure("this harness does not find itself: \(error)")
      }
    }
    return EngineSubject(
      name: saboteur.name, identity: "saboteur \(saboteur.name): \(saboteur.summary)",
      program: Program(
        executable: path, prefix: [Array("saboteur".utf8), Array(saboteur.name.utf8)]))
  }
}
