import HarnessKit
import Synchronization
import SystemIO

/// A run of a tool: its command lines one after the other, under one shell that tells how each
/// ended.
final class ToolRun: SubjectRun {
  /// One command line and the destinations that it fills.
  struct Command {
    let words: [[UInt8]]
    let volumes: [String]
  }

  let processID: Int32
  private let state: Mutex<State>
  private let commands: [Command]
  private let promisesMedium: Bool

  private struct State: ~Copyable {
    var process: SubjectProcess
    let deadline: Duration
  }

  init(
    _ commands: [Command], promisesMedium: Bool, _ task: SubjectTask,
    ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) {
    self.commands = commands
    self.promisesMedium = promisesMedium
    let account = task.isolation.account
    let prefix = account.map { [$0.changer.bytes] + $0.prefix } ?? []
    let process: SubjectProcess
    do throws(SystemError) {
      process = try SubjectProcess(
        Program(executable: "/bin/sh", prefix: []), [],
        place: try ProcessPlace(tool: task.scratch, isOpen: account != nil),
        entry: .script(Self.script(commands.map { prefix + $0.words })),
        outputLimit: task.outputLimit, isEnclosed: task.isolation.isEnclosed)
    } catch {
      throw SubjectFailure("the tool cannot be started: \(error)")
    }
    processID = process.processID
    // Dropping the process, when `ready` throws, kills and reaps it.
    try ready(processID)
    do throws(SystemError) {
      try process.send([UInt8(ascii: "\n")])
    } catch {
      throw SubjectFailure("the tool ended before it began: \(error)")
    }
    let time = Duration.seconds(task.deadlineSeconds) * commands.count
    state = Mutex(State(process: process, deadline: SystemClock().monotonic() + time))
  }

  /// Waits for the line that lets it go, runs the commands, and writes to descriptor 3 how each
  /// ended. It outlives a signal to its group that the tool takes for itself. As the first process of
  /// a namespace it also tells whether anybody is left a second after the last command; each sleep
  /// reaps who has ended.
  static func script(_ commands: [[[UInt8]]]) -> [UInt8] {
    var script = "read -r go <&3 || exit 125\ntrap 'ended=1' TERM INT\nworst=0 ended=\n".utf8Bytes
    for (index, words) in commands.enumerated() {
      for word in words { script += quoted(word) + [UInt8(ascii: " ")] }
      script +=
        """
        3>&- </dev/null
        code=$?
        echo "\(index) $code" >&3
        if [ $worst = 0 ]; then worst=$code; fi
        if [ -n "$ended" ]; then exit $worst; fi

        """.utf8Bytes
    }
    return script
      + """
      tries=0
      while [ $$ = 1 ] && kill -0 -1 2>/dev/null; do
        tries=$((tries + 1))
        if [ $tries = 20 ]; then echo left >&3; break; fi
        sleep 0.05
      done
      exit $worst

      """.utf8Bytes
  }

  /// A word that a shell takes as it is.
  private static func quoted(_ word: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "'")
    return [quote] + word.flatMap { $0 == quote ? #"'\''"#.utf8Bytes : [$0] } + [quote]
  }

  func wait() throws(SubjectFailure) -> SubjectOutcome {
    let end = try state.withLock { (state) throws(SubjectFailure) in
      do throws(SystemError) {
        return try Self.finish(&state)
      } catch {
        throw SubjectFailure("the tool cannot be followed: \(error)")
      }
    }
    if let code = end.codes.values.first(where: { $0 == 126 || $0 == 127 }) {
      throw SubjectFailure(missing: "the command cannot be run (exit \(code)): \(end.log)")
    }
    let claimed = end.codes.filter { $0.value == 0 && commands.indices.contains($0.key) }.keys
      .sorted().flatMap { commands[$0].volumes }
    return SubjectOutcome(
      ending: end.ending, report: SubjectReport(), leaks: end.leaks, log: end.log,
      claims: .exitCode(claimed: claimed, onMedium: promisesMedium))
  }

  private struct End {
    let ending: RunRecord.Ending
    /// Exit codes of the commands that ended.
    let codes: [Int: Int32]
    let leaks: [String]
    let log: String
  }

  /// Lines of standard output that are kept.
  private static let lineLimit = 200

  private static func finish(_ state: inout State) throws(SystemError) -> End {
    var lines: [String] = []
    let stop = try state.process.pump(until: state.deadline) { line in
      if case .whole(let bytes) = line, lines.count < lineLimit {
        lines.append(String(decoding: bytes, as: UTF8.self))
      }
      return false
    }
    var leaks: [String] = []
    if stop == .ended && state.process.hasSurvivors {
      leaks.append("a child process that outlives it")
    }
    // Its group may hold more than itself, ended or not.
    try state.process.kill()
    guard let status = try state.process.reap() else {
      throw SystemError(
        call: "wait4", errno: .timedOut,
        detail: "process \(state.process.processID) was killed and does not go")
    }
    var codes: [Int: Int32] = [:]
    for line in String(decoding: try state.process.answers(), as: UTF8.self).split(separator: "\n")
    {
      let words = line.split(separator: " ")
      if words.count == 2, let index = Int(words[0]), let code = Int32(words[1]) {
        codes[index] = code
      } else if line == "left", leaks.isEmpty {
        leaks.append("a child process that outlives it")
      }
    }
    let log = ([state.process.log] + lines).filter { !$0.isEmpty }.joined(separator: "\n")
    return End(
      ending: stop == .deadline ? .deadline : RunRecord.Ending(status), codes: codes,
      leaks: leaks, log: log)
  }
}

extension String {
  var utf8Bytes: [UInt8] { Array(utf8) }
}
