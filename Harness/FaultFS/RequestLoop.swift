import CFuseShims
import Glibc
import SystemIO

/// The one loop of a rig: it serves the requests of all mounts, the control channels and the
/// answers that are due later, and never sleeps while one of them waits.
///
/// Used by one thread.
final class RequestLoop: RequestKeeper {
  /// So many requests of one session before all are polled.
  private static let batch = 32
  /// The longest time between two looks at the clock.
  private static let longestWait = Duration.milliseconds(250)

  private var sessions: [FuseSession] = [] { didSet { isPollSetStale = true } }
  private var watches: [Watch] = [] { didSet { isPollSetStale = true } }
  private var held: [HeldRequest] = []
  private var timers: [(at: ContinuousClock.Instant, body: () -> Void)] = []
  private var acts: [() -> Void] = []
  /// Set in gate mode, for as long as a run is on.
  private var gate: RequestGate?
  private var isStopped = false
  /// One entry for each session and then for each watch.
  private var pollSet: [pollfd] = []
  private var isPollSetStale = true
  /// More than 1 while an act of a rule, or a command, waits for the kernel.
  private var depth = 0
  /// Called at least every 250 ms; feeds the watchdog.
  var heartbeat: (() -> Void)?
  private var lastBeat = ContinuousClock.now

  private struct Watch {
    let descriptor: CInt
    let kind: Kind
    let body: () -> Void

    enum Kind {
      /// Commands, which wait while an act of a rule is being carried out.
      case control
      /// Everything else.
      case event
    }
  }

  func add(_ session: FuseSession) {
    sessions.append(session)
  }

  /// Forgets a session and answers what is held for it.
  func remove(_ session: FuseSession) {
    answerHeld(of: session, with: .inputOutput)
    sessions.removeAll { $0 === session }
  }

  /// Calls `body` whenever the descriptor is readable or hung up, but not while an act of a rule
  /// is being carried out.
  func watchControl(_ descriptor: CInt, _ body: @escaping () -> Void) {
    watches.append(Watch(descriptor: descriptor, kind: .control, body: body))
  }

  /// Calls `body` whenever the descriptor is readable or hung up, at any time.
  func watch(_ descriptor: CInt, _ body: @escaping () -> Void) {
    watches.append(Watch(descriptor: descriptor, kind: .event, body: body))
  }

  func unwatch(_ descriptor: CInt) {
    watches.removeAll { $0.descriptor == descriptor }
  }

  /// Takes no more commands.
  func dropControls() {
    watches.removeAll { $0.kind == .control }
  }

  func at(_ time: ContinuousClock.Instant, _ body: @escaping () -> Void) {
    timers.append((time, body))
  }

  /// Something that must be done before the next answer leaves.
  func beforeAnswer(_ act: @escaping () -> Void) {
    acts.append(act)
  }

  /// Serves until `stop`.
  func run() throws(SystemError) {
    isStopped = false
    try run { self.isStopped }
  }

  func stop() {
    isStopped = true
  }

  /// Serves until the condition holds; it is looked at after each round.
  func run(until isDone: () -> Bool) throws(SystemError) {
    depth += 1
    defer {
      depth -= 1
      isPollSetStale = true
    }
    isPollSetStale = true
    while !isDone() { try serveRound() }
  }

  /// Serves requests while `body` runs on a thread of its own, and until it has ended: for calls
  /// that the kernel may answer only after we have served it (an unmount that writes back).
  func serveWhile(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let pipe = try FileDescriptor.pipe()
    let number = pipe.writing.rawValue
    let thread = try Thread(name: "unmount") {
      body()
      _ = Glibc.write(number, "x", 1)
    }
    var isDone = false
    watch(pipe.reading.rawValue) { isDone = true }
    defer {
      unwatch(pipe.reading.rawValue)
      thread.join()
    }
    try run { isDone }
  }

  // MARK: Requests

  /// Waits until a descriptor or a moment is due and serves one request of each session that has
  /// any; all of them, up to a batch, where a command waits behind.
  private func serveRound() throws(SystemError) {
    // Acts of a rule may change both lists while they are walked.
    let sessions = sessions
    let watches = depth > 1 ? watches.filter { $0.kind == .event } : watches
    if isPollSetStale {
      pollSet = (sessions.map(\.descriptor) + watches.map(\.descriptor)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      isPollSetStale = false
    }
    try poll()
    let events = pollSet
    // Requests come before control, so that a command finds everything that was sent before it.
    let isControlDue = events[sessions.count...].contains { $0.revents != 0 }
    for (index, session) in sessions.enumerated() where events[index].revents != 0 {
      // A caller on this core has sent nothing more before it got its answer: a second read would
      // find nothing.
      let limit = isControlDue ? Self.batch : 1
      var count = 0
      while count < limit, session.serveNext() { count += 1 }
      if session.isOver { remove(session) }
    }
    for (index, watch) in watches.enumerated() {
      let isDue = events[sessions.count + index].revents != 0
      // An earlier body of this round may have ended this watch.
      if isDue && self.watches.contains(where: { $0.descriptor == watch.descriptor }) {
        watch.body()
      }
    }
    runDue()
    if !events.contains(where: { $0.revents != 0 }) { openGateOnce() }
  }

  private func poll() throws(SystemError) {
    // The threads' rest is no event: look again soon.
    let wait =
      gate?.isWaiting == true && depth == 1
      ? Self.gateWait : Int64(waitMilliseconds()) * 1_000_000
    let result = ff_poll(&pollSet, UInt32(pollSet.count), wait)
    if result < 0, result != -EINTR {
      throw SystemError(call: "poll", errno: Errno(rawValue: -result))
    }
  }

  // MARK: Gate mode

  /// Between two looks at a subject's threads, in nanoseconds.
  private static let gateWait: Int64 = 50_000

  /// From now on requests of the gate's subject wait for their turn; nil lets all through.
  func put(_ gate: RequestGate?) {
    let rest = self.gate?.giveUp(of: nil) ?? []
    self.gate = gate
    for request in rest { request.session.settle(request.request, token: request.token) }
  }

  private func openGateOnce() {
    guard depth == 1, let gate,
      let request = gate.next(isIdle: { [unowned self] in !hasRequests() })
    else { return }
    request.session.settle(request.request, token: request.token)
  }

  private func hasRequests() -> Bool {
    var set = sessions.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    return Glibc.poll(&set, nfds_t(set.count), 0) > 0
  }

  func gates(_ request: Request, token: UnsafeMutableRawPointer, of session: FuseSession) -> Bool {
    guard let gate, !request.call.isOnlyNews, gate.concerns(request) else { return false }
    gate.take(HeldRequest(request, token: token, session: session, until: ContinuousClock.now))
    return true
  }

  private func waitMilliseconds() -> CInt {
    var wait = Self.longestWait
    if !held.isEmpty || !timers.isEmpty {
      let now = ContinuousClock.now
      for request in held { wait = min(wait, now.duration(to: request.until)) }
      for timer in timers { wait = min(wait, now.duration(to: timer.at)) }
    }
    // Rounded up, so that nothing is looked at before it is due.
    return CInt(max(0, (wait / .milliseconds(1)).rounded(.up)))
  }

  private func runDue() {
    let now = ContinuousClock.now
    if now - lastBeat >= Self.longestWait {
      lastBeat = now
      heartbeat?()
    }
    let due = held.filter { $0.until <= now }
    if !due.isEmpty {
      held.removeAll { $0.until <= now }
      for request in due { request.session.settle(request.request, token: request.token) }
    }
    let ripe = timers.filter { $0.at <= now }
    if !ripe.isEmpty {
      timers.removeAll { $0.at <= now }
      for timer in ripe { timer.body() }
    }
  }

  // MARK: RequestKeeper

  var hasPendingActs: Bool { !acts.isEmpty }

  func performActs() {
    while !acts.isEmpty { acts.removeFirst()() }
  }

  func hold(_ request: HeldRequest) {
    held.append(request)
  }

  func interrupt(_ unique: UInt64, of session: FuseSession) {
    guard
      let index = held.firstIndex(where: {
        $0.session === session && $0.request.unique == unique
      })
    else { return }
    let request = held.remove(at: index)
    session.answer(request.token, request.request, .error(.interrupted))
  }

  /// Answers everything that is held, of one session or of all.
  func answerHeld(of session: FuseSession? = nil, with errno: Errno) {
    let concerned = held.filter { session == nil || $0.session === session }
    held.removeAll { session == nil || $0.session === session }
    for request in concerned + (gate?.giveUp(of: session) ?? []) {
      request.session.answer(request.token, request.request, .error(errno))
    }
  }
}
