import HarnessKit
import Synchronization
import SystemIO

/// A `serve` process that takes one job after the other.
final class Worker: Sendable {
  let processID: Int32
  let scratch: BytePath
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var process: SubjectProcess
    /// Its folder in /proc.
    let folder: PinnedDirectory
    /// What it holds when idle: every job must leave exactly that.
    let baseline: ProcessFootprint
    var nextJob = 1
    var isUsable = true
  }

  /// How long a worker may take to answer its first, empty job.
  private static let greetingTime = Duration.seconds(20)
  /// How long threads and descriptors of a job may take to go once it has answered.
  private static let settlingTime = Duration.milliseconds(300)

  init(_ program: Program, scratch: BytePath, isEnclosed: Bool) throws(SubjectFailure) {
    self.scratch = scratch
    do throws(SystemError) {
      var process = try SubjectProcess(
        program, [Array("serve".utf8)], place: ProcessPlace(scratch: scratch),
        entry: .standardInput,
        isEnclosed: isEnclosed)
      processID = process.processID
      try Self.greet(&process, scratch)
      let folder = try ProcessFootprint.folder(of: process.processID)
      let baseline = try ProcessFootprint(folder)
      state = Mutex(State(process: process, folder: folder, baseline: baseline))
    } catch {
      throw SubjectFailure("the worker cannot be started: \(error)")
    }
  }

  /// A job that does nothing: after its answer the worker holds what it holds when idle.
  private static func greet(
    _ process: inout SubjectProcess, _ scratch: BytePath
  ) throws(SystemError) {
    let line = CopyArguments(plain: ["--version"]).jobLine(0, directory: scratch)
    try process.send(line)
    let deadline = SystemClock().monotonic() + greetingTime
    let stop = try process.pump(until: deadline) { line in
      guard case .whole(let bytes) = line else { return false }
      return JobLine(bytes)?.isExit == true
    }
    if stop != .satisfied {
      throw SystemError(
        call: "read", errno: .timedOut, detail: "no answer to the first job: \(process.log)")
    }
  }

  /// False once it was killed or died.
  var isUsable: Bool { state.withLock { $0.isUsable } }

  /// Sends the job.
  func begin(_ task: SubjectTask) throws(SubjectFailure) -> Job {
    try state.withLock { (state) throws(SubjectFailure) in
      do throws(SystemError) {
        let number = state.nextJob
        state.nextJob += 1
        try state.process.send(CopyArguments(task).jobLine(number, directory: task.scratch))
        let deadline = SystemClock().monotonic() + .seconds(task.deadlineSeconds)
        return Job(number: number, deadline: deadline)
      } catch {
        state.isUsable = false
        throw SubjectFailure("the worker takes no job: \(error) \(state.process.log)")
      }
    }
  }

  struct Job: Sendable {
    let number: Int
    let deadline: Duration
  }

  /// Follows the job to its end.
  func finish(_ job: Job, _ task: SubjectTask) throws(SubjectFailure) -> SubjectOutcome {
    try state.withLock { (state) throws(SubjectFailure) in
      do throws(SystemError) {
        return try finish(job, task, &state)
      } catch {
        state.isUsable = false
        throw SubjectFailure("the worker cannot be followed: \(error)")
      }
    }
  }

  private func finish(
    _ job: Job, _ task: SubjectTask, _ state: inout State
  ) throws(SystemError) -> SubjectOutcome {
    var reader = EventReader(destinations: task.destinations)
    let stop = try state.process.pump(until: job.deadline) { line in
      switch line {
      case .whole(let bytes):
        // A line of another job would be a late word of the one before: it is read as it is.
        reader.take(bytes)
        return JobLine(bytes).map { $0.isExit && $0.job == job.number } ?? false
      case .overlong:
        reader.takeOverlongLine()
        return false
      }
    }
    reader.finish()
    if stop == .satisfied, let code = reader.exitCode {
      let excess = try Self.excess(&state)
      // What is left would be blamed on every job to come.
      if !excess.isEmpty { state.isUsable = false }
      let leaks = excess + Scratch.litter(task.scratch)
      return SubjectOutcome(
        ending: .exited(code), report: reader.report, leaks: leaks, log: state.process.log)
    }
    state.isUsable = false
    try state.process.kill()
    guard let status = try state.process.reap() else {
      throw SystemError(
        call: "wait4", errno: .timedOut, detail: "process \(processID) does not go")
    }
    return SubjectOutcome(
      ending: stop == .deadline ? .deadline : RunRecord.Ending(status), report: reader.report,
      leaks: Scratch.litter(task.scratch), log: state.process.log)
  }

  /// What the worker holds beyond the baseline, once it had time to let go.
  private static func excess(_ state: inout State) throws(SystemError) -> [String] {
    let clock = SystemClock()
    let end = clock.monotonic() + settlingTime
    while true {
      let lines = try ProcessFootprint(state.folder).excess(over: state.baseline)
      if lines.isEmpty || clock.monotonic() >= end { return lines }
      _ = try Poller.wait([], timeout: .milliseconds(1))
    }
  }

  /// Tells the worker to end, and kills it when it does not.
  func end() {
    state.withLock { state in
      state.isUsable = false
      state.process.closeInput()
      let deadline = SystemClock().monotonic() + .seconds(2)
      _ = try? state.process.pump(until: deadline) { _ in false }
      try? state.process.kill()
      _ = try? state.process.reap()
    }
  }
}

/// A job of a worker that is under way.
final class WorkerRun: SubjectRun {
  let processID: Int32
  private let worker: Worker
  private let job: Worker.Job
  private let task: SubjectTask

  init(
    _ worker: Worker, _ task: SubjectTask, ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) {
    processID = worker.processID
    self.worker = worker
    self.task = task
    try ready(processID)
    job = try worker.begin(task)
  }

  func wait() throws(SubjectFailure) -> SubjectOutcome {
    try worker.finish(job, task)
  }
}
