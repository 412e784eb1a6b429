import Glibc

/// A pthread mutex with condition variables, at fixed addresses.
// @unchecked: the pointers never change; pthread objects are made for use by many threads.
final class Lock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let conditions: UnsafeMutableBufferPointer<pthread_cond_t>

  init(conditions count: Int) {
    mutex.initialize(to: pthread_mutex_t())
    conditions = .allocate(capacity: count)
    conditions.initialize(repeating: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Timed waits must not stretch when somebody sets the wall clock.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    var code = pthread_mutex_init(mutex, nil)
    for index in 0..<count { code |= pthread_cond_init(address(index), &attributes) }
    pthread_condattr_destroy(&attributes)
    precondition(code == 0, "A mutex and its conditions can always be made")
  }

  deinit {
    for index in conditions.indices { pthread_cond_destroy(address(index)) }
    pthread_mutex_destroy(mutex)
    conditions.deallocate()
    mutex.deallocate()
  }

  private func address(_ index: Int) -> UnsafeMutablePointer<pthread_cond_t> {
    guard let base = conditions.baseAddress else { preconditionFailure("No such condition") }
    return base + index
  }

  func lock() { pthread_mutex_lock(mutex) }
  func unlock() { pthread_mutex_unlock(mutex) }
  func wait(_ condition: Int = 0) { pthread_cond_wait(address(condition), mutex) }
  func wakeOne(_ condition: Int = 0) { pthread_cond_signal(address(condition)) }
  func wakeAll(_ condition: Int = 0) { pthread_cond_broadcast(address(condition)) }

  /// Waits until woken or until a time of the monotonic clock; false when that has come.
  func wait(_ condition: Int = 0, until deadline: inout timespec) -> Bool {
    pthread_cond_timedwait(address(condition), mutex, &deadline) == 0
  }
}

/// State behind one mutex with one condition variable, for threads that may block.
///
/// Never wait on it from a task on the cooperative pool.
// @unchecked: `state` is touched only while `lock` is held.
public final class Monitor<State>: @unchecked Sendable {
  private let lock = Lock(conditions: 1)
  private var state: State

  public init(_ state: sending State) {
    self.state = state
  }

  /// Runs `body` alone on the state, then wakes every waiter.
  public func update<Value>(_ body: (inout State) -> sending Value) -> sending Value {
    lock.lock()
    defer {
      lock.wakeAll()
      lock.unlock()
    }
    return body(&state)
  }

  /// Runs `body` alone on the state and wakes nobody.
  public func read<Value>(_ body: (State) -> sending Value) -> sending Value {
    lock.lock()
    defer { lock.unlock() }
    return body(state)
  }

  /// Blocks until `body` returns a value; it runs alone, now and after each update.
  @discardableResult
  public func wait<Value>(_ body: (inout State) -> sending Value?) -> sending Value {
    lock.lock()
    defer { lock.unlock() }
    while true {
      if let value = body(&state) {
        lock.wakeAll()
        return value
      }
      lock.wait()
    }
  }

  /// Blocks until `body` returns a value, or gives nil after `timeout`.
  public func wait<Value>(
    timeout: Duration, _ body: (inout State) -> sending Value?
  ) -> sending Value? {
    var deadline = (SystemClock().monotonic() + timeout).timespec
    lock.lock()
    defer { lock.unlock() }
    var isTimely = true
    while true {
      if let value = body(&state) {
        lock.wakeAll()
        return value
      }
      if !isTimely { return nil }
      isTimely = lock.wait(until: &deadline)
    }
  }

  /// Blocks until the state is as wanted.
  public func waitUntil(_ isReached: (State) -> Bool) {
    wait { isReached($0) ? true : nil }
  }

  /// Blocks until the state is as wanted; false when `timeout` was over first.
  public func waitUntil(timeout: Duration, _ isReached: (State) -> Bool) -> Bool {
    wait(timeout: timeout) { isReached($0) ? true : nil } ?? false
  }
}
