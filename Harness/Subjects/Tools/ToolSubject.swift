public import HarnessKit
import SystemIO

/// A command line as a subject.
///
/// Its exit code is all that it says: 0 claims every regular file of the source on the
/// destination, any other code names nothing. A template that names `{dst}` alone is run once for
/// each destination, one after the other; one that names `{dst2}` too is run once, for cases with
/// as many destinations as it names.
public final class ToolSubject: Subject {
  public let name: String
  public let identity: String
  /// The tool with its version.
  public let spec: ToolSpec
  private let program: BytePath?

  /// Finds the tool's programs and asks for their versions.
  ///
  /// - Throws: the name of what is missing.
  public init(_ spec: ToolSpec) throws(SubjectFailure) {
    var found: [BytePath] = []
    for name in spec.programs {
      guard let path = ToolProgram.find(name) else {
        throw SubjectFailure(
          missing: "\(name) is not installed, or not on PATH (\(spec.name) needs it)")
      }
      found.append(path)
    }
    program = found.first
    // The shell is no part of the tool.
    let own = found.dropFirst(spec.template.isShell ? 1 : 0)
    var named = spec
    named.version = own.map { "\($0.escaped): \(ToolProgram.version(of: $0))" }
      .joined(separator: "; ")
    self.spec = named
    name = spec.name
    identity = [
      "`\(spec.template.text)`", named.version, spec.promisesMedium ? Self.onMedium : Self.seen,
    ].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private static let onMedium = "judged on the medium"
  private static let seen = "judged as everybody sees it"

  public func start(
    _ task: SubjectTask, ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) -> any SubjectRun {
    if let words = task.extraArguments.first {
      throw SubjectFailure(missing: "the case gives arguments to custody: \(words.escaped)")
    }
    return try ToolRun(
      try commands(for: task), promisesMedium: spec.promisesMedium, task, ready: ready)
  }

  public func finish() {}

  /// The command lines of a task, each with the destinations that it fills.
  func commands(for task: SubjectTask) throws(SubjectFailure) -> [ToolRun.Command] {
    let template = spec.template
    let all = task.destinations
    if template.destinationCount > 1 && template.destinationCount != all.count {
      throw SubjectFailure(
        missing: "the command names \(template.destinationCount) destinations, the case has "
          + "\(all.count)")
    }
    let paths = [task.source] + all.map(\.path)
    if template.isShell, let path = paths.first(where: { !Self.isPlain($0) }) {
      throw SubjectFailure(
        missing: "a TMPDIR whose name a shell takes as it is: '\(path.escaped)' is none")
    }
    let groups = template.destinationCount > 1 ? [all] : all.map { [$0] }
    return groups.map { group in
      var words = template.filled(source: task.source, destinations: group.map(\.path))
      if template.isShell {
        words = [program?.bytes ?? [], Array("-c".utf8)] + words
      } else if let program {
        words[0] = program.bytes
      }
      return ToolRun.Command(words: words, volumes: group.map(\.volume))
    }
  }

  /// True for a path that means the same in a shell's text.
  private static func isPlain(_ path: BytePath) -> Bool {
    path.bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: Array("/._-+@%,:".utf8).contains(byte)
      }
    }
  }
}
