import Synchronization

/// A reader of the event stream: the console, a report, the file of events.
public protocol Recorder: Sendable {
  /// Called for every event in order, never by two threads at once.
  func record(_ event: Event) throws(RunError)
}

/// Where everything that happens in a run is told, in one order, from any thread.
public final class EventStream: Sendable {
  private let recorders: [any Recorder]
  private let start: ContinuousClock.Instant
  private let state: Mutex<State>

  private struct State {
    var ordinal = 0
    var summary = Run.Summary()
    var failure: RunError?
  }

  /// The first recorder should be the file of events: what it has, the others only repeat.
  public init(_ recorders: [any Recorder]) {
    self.recorders = recorders
    start = ContinuousClock.now
    state = Mutex(State())
  }

  /// Seconds since the stream began.
  public var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Hands an event to every recorder. A recorder that fails does not stop the others; the first
  /// failure is kept (`failure`).
  public func post(_ kind: Event.Kind) {
    state.withLock { state in
      switch kind {
      case .caseFinished(let result): state.summary.add(result)
      case .schedulesPassed(let count, _): state.summary.add(passes: count)
      default: break
      }
      let event = Event(ordinal: state.ordinal, seconds: seconds, kind: kind)
      state.ordinal += 1
      for recorder in recorders {
        do throws(RunError) {
          try recorder.record(event)
        } catch {
          if state.failure == nil { state.failure = error }
        }
      }
    }
  }

  /// The counts so far, with the time that has passed.
  public var summary: Run.Summary {
    var summary = state.withLock { $0.summary }
    summary.seconds = seconds
    return summary
  }

  /// The first failure of a recorder: the run's evidence is not whole, which is *broken*.
  public var failure: RunError? { state.withLock { $0.failure } }
}
