import FaultModel
import SystemIO

/// A volume with its faults: what the session layer serves under a mount.
///
/// A request goes through these steps: what it is about (`Address`), what it will bring about
/// (`Moment`s), acts that must come before it, the rules that strike it, the store, what was
/// learnt from the answer, acts that come after it, the trace.
final class FaultyVolume: RigVolume {
  let name: String
  let store: MemoryVolume
  unowned let injector: Injector
  /// Files here are read and never written by the subject.
  let isSource: Bool
  var cache = CachePolicy.none
  /// Rules in force on this volume's requests, in the order of the script.
  var rules: [ArmedRule] = []
  /// The operations that any armed rule strikes.
  var armedBits: OperationBits = []

  var tracks = TrackTable()
  var handles: [HandleID: HandleTrack] = [:]
  private var spellings = SpellingNodes()
  var locks = LockTable()
  /// The persona gives all spellings of a name one inode.
  private var isOneInode = true
  /// Changes whenever a name or an identity does: cached paths are then stale.
  var nameStamp: UInt64 = 0
  /// Source files by the key of their path here.
  var finalNames: [BytePath: Int] = [:]
  /// Labels of names, by folder and key; they stay when the name goes.
  var labels: [LabelKey: Track.Label] = [:]
  var temporaryCount = 0
  var markerCount = 0
  var passingCount = 0
  /// Files with their final name that no directory fsync followed, by folder.
  var unsettledNames: [NodeID: Set<NodeID>] = [:]
  var writtenByteCount: UInt64 = 0
  var readByteCount: UInt64 = 0
  private var held: [UInt64: Decision] = [:]
  /// The last whole request of each thread, if that was its last transfer.
  var lastWhole: [Int32: Transfer] = [:]
  var owedErrors: [NodeID: Owed] = [:]
  /// What `stale` answers with; nil on volumes that no such rule of the case names.
  var past: PastStates?
  /// A rule of the case answers with it.
  var isPastKept = false
  /// The medium is out: everything fails until it is back.
  private var isOut = false
  /// The power was cut: the medium is out until the next run begins.
  private(set) var isCut = false

  struct LabelKey: Hashable {
    let folder: NodeID
    let key: BytePath
  }

  /// What was decided about a request that waits.
  struct Decision {
    var moments: [Moment] = []
    var due: [PointWatch] = []
    var strikes: [Strike] = []
    /// Only so many bytes go through, since a rule strikes right behind them.
    var cut: UInt64?
  }

  /// A rule that strikes a request, and the bytes that it strikes.
  struct Strike {
    let rule: ArmedRule
    let key: UInt64
    var bytes: ByteRange?
  }

  init(name: String, store: MemoryVolume, injector: Injector) {
    self.name = name
    self.store = store
    self.injector = injector
    isSource = name == RuleCompiler.sourceName
  }

  func serve(_ request: Request) -> Settlement {
    if isOneInode { return settle(request) }
    let settlement = settle(spellings.plain(request))
    guard case .reply(let reply) = settlement else { return settlement }
    return .reply(spellings.shown(reply, to: request.call, on: store))
  }

  private func settle(_ request: Request) -> Settlement {
    if isOut {
      if case .forget = request.call { return .reply(.nothing) }
      return .reply(.error(detachedError))
    }
    if !locks.isEmpty { endLocks(with: request) }
    guard let address = Address(request.call, on: store) else {
      return .reply(leave(request.call))
    }
    var decision: Decision
    if !held.isEmpty, let waiting = held.removeValue(forKey: request.unique) {
      decision = waiting
    } else {
      notice(address, request.call)
      decision = Decision(moments: moments(address))
      switch injector.announce(address, &decision, on: self) {
      case .goOn: break
      case .subjectIsDead: return .reply(.error(.interrupted))
      case .mediumIsOut: return .reply(.error(detachedError))
      }
      if let debt = owed(address) {
        trace(request, address, .error(debt.errno), [debt.rule])
        return .reply(.error(debt.errno))
      }
      if !armedBits.isDisjoint(with: address.bits) {
        decide(address, request.call, &decision)
        if let time = wait(&decision) {
          held[request.unique] = decision
          return .hold(until: time)
        }
      }
    }
    if mustWait(request.call, decision) {
      held[request.unique] = decision
      return .hold(until: ContinuousClock.now + Self.lockWait)
    }
    let seen = injector.recorder?.begin(address, request, on: self, injector.compiler)
    let past = self.past?.before(request.call, address, on: store)
    let struck = carryOut(request, address, decision)
    if let seen {
      let hasPast = hasOlderAnswer(request.call, struck.reply)
      injector.recorder?.end(seen, struck.reply, struck.rules, hasPast: hasPast, address, on: self)
    }
    if let past { self.past?.keep(past, after: struck.reply) }
    noteTransfer(address, struck.reply, thread: request.thread)
    learn(address, request.call, struck.reply, &decision)
    if !struck.reply.isError { keepSidecars(request.call, address) }
    injector.conclude(address, decision, struck.reply, on: self)
    trace(request, address, struck.reply, struck.rules)
    return .reply(struck.reply)
  }

  func canonical(_ call: Request.Call) -> [UInt8] {
    guard let address = Address(call, on: store) else { return [] }
    return [address.name, address.newName].compactMap { $0 }
      .flatMap { name -> [UInt8] in
        if let label = label(name) { return Array(label.text.utf8) + [0] }
        let isKnown =
          isSource || finalNames[store.names.key(ofPath: path(name))] != nil
          || store.child(of: name.folder, named: name.name) != nil
        return isKnown ? name.name.bytes + [0] : [0]
      }
  }

  private func trace(_ request: Request, _ address: Address, _ reply: Reply, _ rules: [Int]) {
    let entry = TraceRing.Entry(
      volume: self, address: address, thread: request.thread, reply: reply, rules: rules)
    injector.ring.add(entry)
    injector.recording?.note(entry, operationCount: injector.recorder?.operations.count ?? 0)
  }

  /// Requests that no rule addresses.
  private func leave(_ call: Request.Call) -> Reply {
    switch call {
    case .release(_, let handle), .releasedir(_, let handle): handles[handle] = nil
    default: break
    }
    return store.perform(call)
  }

  /// Takes delays out of the decision; the time until which the request waits.
  private func wait(_ decision: inout Decision) -> ContinuousClock.Instant? {
    var longest: UInt64?
    decision.strikes.removeAll { strike in
      switch strike.rule.rule.effect {
      case .delay(_, _, let milliseconds), .hang(_, _, let milliseconds):
        injector.struck(strike)
        longest = max(longest ?? 0, milliseconds)
        return true
      default: return false
      }
    }
    return longest.map { ContinuousClock.now + .milliseconds(Int64(clamping: $0)) }
  }

  // MARK: The rig's side

  /// Linux answers so for descriptors on a block device that is gone.
  var detachedError: Errno { .noDevice }

  func wasEjected() {
    store.dropVolatile()
    forgetHandles()
  }

  func wasInserted() {
    isOut = false
    store.mountAnew()
    forgetHandles()
  }

  func wasRemounted() {
    isOut = false
    store.syncAll()
    store.dropVolatile()
    store.mountAnew()
    forgetHandles()
  }

  /// Requests that come before the rig has taken the mount away find nothing any more.
  func goOut() { isOut = true }

  /// The power is gone: nothing is answered until the next run begins, and then what was durable
  /// is there, or all that was written.
  func wasCut(keepingAll: Bool) {
    if keepingAll { store.syncAll() }
    store.dropVolatile()
    store.mountAnew()
    forgetHandles()
    isOut = true
    isCut = true
  }

  func comeBack() {
    isOut = false
    isCut = false
  }

  /// The store holds another state, with other inodes.
  func wasInstalled() {
    forgetHandles()
    tracks = TrackTable()
    unsettledNames = [:]
    comeBack()
  }

  private func forgetHandles() {
    handles = [:]
    held = [:]
    locks = LockTable()
    lastWhole = [:]
    owedErrors = [:]
    nameStamp += 1
    for (_, track) in tracks.all { track.touchedEnd = 0 }
  }

  func snapshot(_ layer: Layer) throws(SystemError) -> TreeSnapshot { try store.snapshot(layer) }

  var knownRootNames: [BytePath] { store.knownRootNames }

  func view(_ layer: Layer) -> any Served { store.view(layer) }

  /// Forgets everything of the last run.
  func resetTracks() {
    isOneInode = store.persona.spelling == .oneInode
    rules = []
    armedBits = []
    tracks = TrackTable()
    handles = [:]
    held = [:]
    locks = LockTable()
    lastWhole = [:]
    owedErrors = [:]
    nameStamp += 1
    labels = [:]
    temporaryCount = 0
    markerCount = 0
    passingCount = 0
    past = isPastKept ? PastStates() : nil
    unsettledNames = [:]
    writtenByteCount = 0
    readByteCount = 0
    comeBack()
  }
}
