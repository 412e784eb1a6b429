public import HarnessKit
import Synchronization
import SystemIO

/// A program with the verbs `copy` and `serve` and the events of docs/offload.md: custody itself,
/// or a saboteur that plays it.
///
/// Jobs go to one worker, which is started when it is needed and replaced when it died or when the
/// scratch folder is another; kill and deadline cases get a process of their own.
public final class EngineSubject: Subject {
  public let name: String
  public let identity: String
  private let program: Program
  private let worker = Mutex<Worker?>(nil)

  init(name: String, identity: String, program: Program) {
    self.name = name
    self.identity = identity
    self.program = program
  }

  public func start(
    _ task: SubjectTask, ready: (Int32) throws(SubjectFailure) -> Void
  ) throws(SubjectFailure) -> any SubjectRun {
    if task.needsFreshProcess { return try FreshRun(program, task, ready: ready) }
    return try WorkerRun(try usableWorker(task), task, ready: ready)
  }

  private func usableWorker(_ task: SubjectTask) throws(SubjectFailure) -> Worker {
    try worker.withLock { (current) throws(SubjectFailure) in
      if let current, current.isUsable, current.scratch == task.scratch { return current }
      current?.end()
      current = nil
      let new = try Worker(program, scratch: task.scratch, isEnclosed: task.isolation.isEnclosed)
      current = new
      return new
    }
  }

  public func finish() {
    worker.withLock { current in
      current?.end()
      current = nil
    }
  }
}
