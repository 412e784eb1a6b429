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
  /// The same where nothing else waits: the clock is looked at in between.
  private static let burst = 8
  /// The longest time between two looks at the clock.
  private static let longestWait = Duration.milliseconds(250)

  private var sessions: [FuseSession] = []
  private var watches: [Watch] = []
  private var held: [HeldRequest] = []
  private var timers: [(at: ContinuousClock.Instant, body: () -> Void)] = []
  private var acts: [() -> Void] = []
  /// Answers that leave when every act is done.
  private var answers: [() -> Void] = []
  private var isActing = false
  /// Set in gate mode, for as long as a run is on.
  private var gate: RequestGate?
  private var isStopped = false
  private let events: EventSet
  /// More than 1 while an act of a rule, or a command, waits for the kernel.
  private var depth = 0
  /// Called at least every 250 ms; feeds the watchdog.
  var heartbeat: (() -> Void)?
  private var lastBeat = ContinuousClock.now

  private final class Watch {
    let descriptor: CInt
    let kind: Kind
    let body: () -> Void

    init(descriptor: CInt, kind: Kind, body: @escaping () -> Void) {
      self.descriptor = descriptor
      self.kind = kind
      self.body = body
    }

    enum Kind {
      /// Commands, which wait while an act of a rule is being carried out.
      case control
      /// Everything else.
      case event
    }
  }

  init() throws(SystemError) {
    events = try EventSet()
  }

  func add(_ session: FuseSession) throws(SystemError) {
    try events.add(session.descriptor)
    sessions.append(session)
  }

  /// Forgets a session and answers what is held for it.
  func remove(_ session: FuseSession) {
    answerHeld(of: session, with: .inputOutput)
    guard let index = sessions.firstIndex(where: { $0 === session }) else { return }
    sessions.remove(at: index)
    events.remove(session.descriptor)
  }

  /// Calls `body` whenever the descriptor is readable or hung up, but not while an act of a rule
  /// is being carried out.
  func watchControl(_ descriptor: CInt, _ body: @escaping () -> Void) throws(SystemError) {
    // While an act is being carried out, commands wait: `run` takes them up again.
    if depth <= 1 { try events.add(descriptor) }
    watches.append(Watch(descriptor: descriptor, kind: .control, body: body))
  }

  /// Calls `body` whenever the descriptor is readable or hung up, at any time.
  func watch(_ descriptor: CInt, _ body: @escaping () -> Void) throws(SystemError) {
    try events.add(descriptor)
    watches.append(Watch(descriptor: descriptor, kind: .event, body: body))
  }

  func unwatch(_ descriptor: CInt) {
    watches.removeAll { $0.descriptor == descriptor }
    events.remove(descriptor)
  }

  /// Takes no more commands.
  func dropControls() {
    for watch in watches where watch.kind == .control { events.remove(watch.descriptor) }
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
    if depth == 2 { for watch in watches where watch.kind == .control { hush(watch) } }
    let outcome = Result { () throws(SystemError) in
      while !isDone() { try serveRound() }
    }
    depth -= 1
    if depth == 1 {
      for watch in watches where watch.kind == .control { try events.add(watch.descriptor) }
    }
    try outcome.get()
  }

  private func hush(_ watch: Watch) { events.remove(watch.descriptor) }

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
    defer { thread.join() }
    try watch(pipe.reading.rawValue) { isDone = true }
    defer { unwatch(pipe.reading.rawValue) }
    try run { isDone }
  }

  // MARK: Requests

  /// Waits until a descriptor or a moment is due and serves what requests there are, up to a batch
  /// of each session; then whatever else is due.
  private func serveRound() throws(SystemError) {
    // The threads' rest is no event: look again soon.
    let isGateWaiting = gate?.isWaiting == true && depth == 1
    let count = try events.wait(
      nanoseconds: isGateWaiting ? Self.gateWait : Int64(waitMilliseconds()) * 1_000_000)
    // A body may run rounds of its own, which find something else.
    let ready = events.ready
    var others: [CInt] = []
    let limit = ready[..<count].contains { session($0) == nil } ? Self.batch : Self.burst
    // Requests come before control, so that a command finds everything that was sent before it.
    for descriptor in ready[..<count] {
      guard let session = session(descriptor) else {
        others.append(descriptor)
        continue
      }
      var served = 0
      while served < limit, session.serveNext() { served += 1 }
      if session.isOver { remove(session) }
    }
    for descriptor in others {
      // An earlier body of this round may have ended this watch.
      let watch = watches.first { $0.descriptor == descriptor }
      if let watch, depth <= 1 || watch.kind == .event { watch.body() }
    }
    // In every round: on a machine that is short of time a few rounds take as long as a sign of life
    // may be missing.
    runDue()
    if count == 0 { openGateOnce() }
  }

  /// nil for a descriptor that is no session's, or no longer one's.
  private func session(_ descriptor: CInt) -> FuseSession? {
    for session in sessions where session.descriptor == descriptor { return session }
    return nil
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

  func performActs(then answer: @escaping () -> Void) {
    answers.append(answer)
    // An act that serves requests meanwhile comes to its end first: an insertion must not find the
    // medium half ejected. It then sees to these too.
    if isActing { return }
    isActing = true
    while !acts.isEmpty { acts.removeFirst()() }
    isActing = false
    let due = answers
    answers = []
    for answer in due { answer() }
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
