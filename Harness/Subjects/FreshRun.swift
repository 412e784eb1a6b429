import HarnessKit
import Synchronization
import SystemIO

/// A run in a process of its own: for kills, deadlines and repeats.
final class FreshRun: SubjectRun {
  let processID: Int32
  private let state: Mutex<State>
  private let task: SubjectTask

  private struct State: ~Copyable {
    var process: SubjectProcess
    var deadline: Duration
  }

  init(
    _ program: Program, _ task: SubjectTask, ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) {
    self.task = task
    var process: SubjectProcess
    var program = program
    do throws(SystemError) {
      if let account = task.isolation.account {
        let words = account.prefix + [program.executable.bytes] + program.prefix
        program = Program(executable: account.changer, prefix: words)
        try FileDescriptor.open(task.scratch, .readOnly, options: .directory).setMode(0o1777)
      }
      process = try SubjectProcess(
        program, CopyArguments(task).list, place: ProcessPlace(scratch: task.scratch), entry: .gate,
        outputLimit: task.outputLimit, isEnclosed: task.isolation.isEnclosed)
    } catch {
      throw SubjectFailure("the subject cannot be started: \(error)")
    }
    processID = process.processID
    // Dropping the process, when `ready` throws, kills and reaps it.
    try ready(processID)
    do throws(SystemError) {
      try process.letGo()
    } catch {
      throw SubjectFailure("the subject ended before it began: \(error)")
    }
    let deadline = SystemClock().monotonic() + .seconds(task.deadlineSeconds)
    state = Mutex(State(process: process, deadline: deadline))
  }

  func wait() throws(SubjectFailure) -> SubjectOutcome {
    try state.withLock { (state) throws(SubjectFailure) in
      do throws(SystemError) {
        return try Self.finish(&state, task)
      } catch {
        throw SubjectFailure("the subject cannot be followed: \(error)")
      }
    }
  }

  private static func finish(
    _ state: inout State, _ task: SubjectTask
  ) throws(SystemError) -> SubjectOutcome {
    var reader = EventReader(destinations: task.destinations)
    let stop = try state.process.pump(until: state.deadline) { line in
      switch line {
      case .whole(let bytes): reader.take(bytes)
      case .overlong: reader.takeOverlongLine()
      }
      return false
    }
    var leaks = Scratch.litter(task.scratch)
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
    reader.finish()
    return SubjectOutcome(
      ending: stop == .deadline ? .deadline : RunRecord.Ending(status), report: reader.report,
      leaks: leaks, log: state.process.log)
  }
}

extension RunRecord.Ending {
  /// As the kernel tells it. Whether a rule sent the signal is for the runner to say, who reads
  /// the rig's acts.
  init(_ status: ExitStatus) {
    switch status {
    case .exited(let code): self = .exited(code)
    case .signalled(let signal): self = .signalled(signal.rawValue, byRig: false)
    }
  }
}

/// The folder that is HOME, TMPDIR and working folder of a subject.
enum Scratch {
  /// What stands in it, one line each; it was empty when the subject started.
  static func litter(_ folder: BytePath) -> [String] {
    guard let entries = try? PinnedDirectory.open(folder).list() else {
      return ["no scratch folder any more"]
    }
    return entries.map(\.name).sorted().map { "\($0.escaped) in its scratch folder" }
  }
}
