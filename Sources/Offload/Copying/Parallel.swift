import SystemIO

/// Runs `body` on `count` threads at once and waits for all of them.
///
/// - Throws: when not even one thread can be started; with fewer than asked for it goes on.
func inParallel(_ count: Int, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
  var threads: [Thread] = []
  for index in 0..<count {
    do throws(SystemError) {
      threads.append(try Thread(name: "offload-\(index)", body))
    } catch {
      if threads.isEmpty { throw error }
      break
    }
  }
  for thread in threads { thread.join() }
}
