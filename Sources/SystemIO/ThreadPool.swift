/// A fixed number of threads for calls that may block, so that they never block the cooperative
/// pool.
public final class ThreadPool: Sendable {
  /// Most jobs that `submit` queues before it blocks.
  public static let queueBound = 1024

  private let jobs = BoundedQueue<@Sendable () -> Void>(bound: queueBound)
  private let threads: [Thread]

  /// Starts the threads.
  ///
  /// - Throws: the errno of pthread_create(3); threads already started end again.
  public init(name: String, threadCount: Int) throws(SystemError) {
    precondition(threadCount > 0, "A pool has at least one thread")
    var threads: [Thread] = []
    do throws(SystemError) {
      for index in 0..<threadCount {
        threads.append(
          try Thread(name: "\(name)-\(index)") { [jobs] in
            while let job = jobs.pop() { job() }
          })
      }
    } catch {
      jobs.close()
      for thread in threads { thread.join() }
      throw error
    }
    self.threads = threads
  }

  deinit {
    jobs.close()
  }

  /// Queues a job; blocks while the queue is full, so call it from a thread of your own.
  ///
  /// - Returns: false when the pool is shut down; the job does not run then.
  @discardableResult
  public func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
    jobs.push(job)
  }

  /// Runs `body` on a thread of the pool and suspends the caller meanwhile.
  ///
  /// Such jobs do not count for the queue's bound: each has a task that waits for it. Running on
  /// a pool that is shut down is a programmer error.
  /// - Throws: what `body` throws.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      let isQueued = jobs.pushBeyondBound {
        do throws(Failure) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      precondition(isQueued, "A pool that is shut down runs nothing")
    }
    return try result.get()
  }

  /// Refuses new jobs, runs those that wait, and joins the threads; not from one of its jobs.
  public func shutdown() {
    jobs.close()
    for thread in threads { thread.join() }
  }
}
