import Synchronization

/// Hands events to the caller's closure one at a time and in order, from any thread, without a lock
/// held across the call: whoever finds nobody at it delivers what has come together.
final class EventSink: Sendable {
  private struct State {
    var waiting: [OffloadEvent] = []
    var isDelivering = false
  }

  private let deliver: @Sendable (OffloadEvent) -> Void
  private let state = Mutex(State())

  init(_ deliver: @escaping @Sendable (OffloadEvent) -> Void) {
    self.deliver = deliver
  }

  func send(_ event: OffloadEvent) {
    let isMine = state.withLock { state in
      state.waiting.append(event)
      if state.isDelivering { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    while let next = take() { deliver(next) }
  }

  private func take() -> OffloadEvent? {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.isDelivering = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
