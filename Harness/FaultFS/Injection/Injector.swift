import FaultModel
import SystemIO

/// The volumes of a case with its rules, counters, phases and trace.
final class Injector: RigStore {
  private let builder: TreeBuilder
  unowned let host: any RigHost
  private let digests = DigestCache()
  /// Every volume that there ever was, by name: numbers of nodes go on from case to case.
  private var known: [String: FaultyVolume] = [:]
  private var order: [FaultyVolume] = []
  private var trees: [String: PlannedTree] = [:]
  private var scriptCase: ScriptCase?
  private(set) var sources = SourceIndex(PlannedTree())
  private(set) var compiler = RuleCompiler(
    sources: SourceIndex(PlannedTree()), seed: 0, names: [:], firstDestination: nil)
  private(set) var rules: [ArmedRule] = []
  /// Rules that wait for a point, a share of bytes, or for both.
  private(set) var waiting: [ArmedRule] = []
  private(set) var acts: [RigAct] = []
  var ring = TraceRing()
  /// Set while a case is recorded.
  private(set) var recorder: OperationRecorder?
  private var lastRecorder: OperationRecorder?
  var countsAcrossVolumes = false
  /// What a crash may leave of the run, while a rule or a command wants to know.
  var recording: CrashRecording?
  /// The rule that asked for the recording.
  var recordingRule: ArmedRule?
  /// A run is on.
  private(set) var isRunning = false
  /// The run that is ending has left its report.
  private(set) var isClaimed = false
  private var room = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)

  init(host: any RigHost, cards: CardLibrary) {
    self.host = host
    builder = TreeBuilder(cards: cards)
  }

  deinit { room.deallocate() }

  var volumes: [any RigVolume] { order }

  func volume(_ name: String) -> FaultyVolume? { order.first { $0.name == name } }

  // MARK: Cases

  func load(_ scriptCase: ScriptCase) throws(RigError) {
    order = []
    rules = []
    waiting = []
    acts = []
    ring.reset()
    lastRecorder = recorder
    recorder = nil
    recording = nil
    recordingRule = nil
    isRunning = false
    self.scriptCase = scriptCase
    do throws(TreeError) {
      trees = try builder.trees(for: scriptCase)
    } catch {
      throw RigError(error.description)
    }
    sources = SourceIndex(trees[RuleCompiler.sourceName] ?? PlannedTree())
    for spec in scriptCase.preamble.volumes where spec.alias == nil {
      order.append(try fill(spec))
    }
    compiler = RuleCompiler(
      sources: sources, seed: scriptCase.preamble.seed,
      names: Dictionary(
        order.map { ($0.name, $0.store.names) }, uniquingKeysWith: { first, _ in first }),
      firstDestination: order.first { !$0.isSource }?.name)
    rules = scriptCase.rules.map(compiler.compile)
    for volume in order {
      volume.rules = rules.filter { !$0.isAct && $0.volume == volume.name }
      if volume.rules.contains(where: \.isStale) { volume.past = PastStates() }
    }
  }

  private func fill(_ spec: VolumeSpec) throws(RigError) -> FaultyVolume {
    guard let persona = Persona.named(spec.persona) else {
      throw RigError("volume \(spec.name): there is no persona '\(spec.persona)'")
    }
    let volume = try volume(for: spec, persona)
    volume.resetTracks()
    volume.cache = spec.cache
    volume.store.readsDurable = spec.cache == .lying
    do throws(SystemError) {
      try volume.store.load(trees[spec.name] ?? PlannedTree())
    } catch {
      throw RigError("volume \(spec.name): \(error)")
    }
    for (index, file) in sources.files.enumerated() {
      volume.finalNames[volume.store.names.key(ofPath: file.path)] = index
    }
    return volume
  }

  /// The volume of this name, with its numbers where they stopped; another store is another
  /// volume.
  private func volume(
    for spec: VolumeSpec, _ persona: Persona
  ) throws(RigError) -> FaultyVolume {
    let key = spec.store == .memory ? spec.name : spec.name + " backed"
    if let held = known[key] {
      (held.store as? MemoryVolume)?.become(
        persona, capacity: spec.capacity, barriers: spec.barriers)
      return held
    }
    var backing: BackingFolder?
    if spec.store == .backed {
      do throws(SystemError) {
        backing = try BackingFolder(host.backingFolder(of: spec.name))
      } catch {
        throw RigError("volume \(spec.name): \(error)")
      }
    }
    let store = MemoryVolume(
      persona: persona, capacity: spec.capacity, barriers: spec.barriers, digests: digests,
      numbering: UInt64(known.count), backing: backing,
      ownsBacking: host.ownsBackingFolders)
    let volume = FaultyVolume(name: spec.name, store: store, injector: self)
    known[key] = volume
    return volume
  }

  // MARK: Rules

  func arm(_ ruleIDs: Set<Int>) throws(RigError) {
    if let unknown = ruleIDs.first(where: { id in !rules.contains { $0.id == id } }) {
      throw RigError("the case has no rule \(unknown)")
    }
    let fresh = rules.filter { ruleIDs.contains($0.id) && !$0.isArmed }
    for rule in fresh { rule.isArmed = true }
    refresh()
    for rule in fresh { try recordFor(rule) }
    for rule in fresh where rule.isAct && rule.timing == nil && rule.progress == nil {
      if rule.isSweep { continue }
      if rule.volume != nil || isRunning { act(rule) }
    }
  }

  func disarm() {
    for rule in rules { rule.isArmed = false }
    for volume in order {
      volume.store.isFull = false
      volume.store.isReadOnly = false
      volume.owedErrors = [:]
    }
    refresh()
  }

  private func refresh() {
    waiting = rules.filter { $0.isArmed && ($0.timing != nil || ($0.isAct && $0.progress != nil)) }
    for volume in order {
      volume.armedBits = volume.rules.reduce(into: []) { bits, rule in
        if rule.isArmed { bits.formUnion(rule.bits) }
      }
    }
  }

  /// What `nth` and `every` are counted for.
  func counted(_ address: Address) -> UInt64 { countsAcrossVolumes ? 0 : address.counted }

  /// A rule's effect took hold.
  func struck(_ strike: FaultyVolume.Strike) { strike.rule.tookHold(strike.key) }

  var fired: [Int: Int] { Dictionary(uniqueKeysWithValues: rules.map { ($0.id, $0.fired) }) }

  var trace: [TraceRecord] { ring.records }

  var hasTaughtKernel: Bool {
    rules.contains { rule in
      switch rule.rule.effect {
      // It takes ENOSYS for an answer about the whole mount.
      case .fail(_, _, .notImplemented, _, _): rule.fired > 0
      // An inode that was of another kind is bad for as long as the kernel knows it.
      case .report(.stat(_, field: "type", _)): rule.fired > 0
      default: false
      }
    }
  }

  // MARK: Recording

  /// Writes down every request from now on. `isAgain`: the case that was recorded right before is
  /// recorded again, and its targets are known.
  func observe(isAgain: Bool) {
    recorder = OperationRecorder(after: isAgain ? lastRecorder : nil, compiler: compiler)
    for volume in order where volume.past == nil { volume.past = PastStates() }
  }

  var operations: [RecordedOperation] { recorder?.operations ?? [] }

  // MARK: Runs

  func apply(givenOrdinal: Int) throws(RigError) {
    guard let scriptCase, scriptCase.givens.indices.contains(givenOrdinal) else {
      throw RigError("the case has no given \(givenOrdinal)")
    }
    let given = scriptCase.givens[givenOrdinal]
    do throws(TreeError) {
      try builder.apply(given, to: &trees, in: scriptCase.preamble)
    } catch {
      throw RigError(error.description)
    }
    guard let volume = volume(given.volume),
      let entry = trees[given.volume]?.entries[given.path]
    else { throw RigError("there is no volume '\(given.volume)'") }
    do throws(Errno) {
      try volume.store.act(.plant(entry), at: given.path)
    } catch {
      throw RigError("\(given.volume): \(given.path): \(error)")
    }
    volume.nameStamp += 1
  }

  func beginRun() {
    isRunning = true
    for volume in order { volume.beginRun() }
    for rule in rules where rule.isArmed && rule.isAct && rule.volume == nil {
      if rule.timing == nil, rule.progress == nil { act(rule) }
    }
  }

  func endRun(claimed: Bool) {
    self.isClaimed = claimed
    for rule in waiting { passDone(rule) }
    recording?.end(claimed: claimed)
    isRunning = false
    isClaimed = false
  }

  private func passDone(_ rule: ArmedRule) {
    switch rule.timing {
    case .after(let watch) where watch.phase == .done:
      watch.wasPassed()
      if rule.isAct { act(rule) }
    case .before(let watch) where watch.phase == .done: watch.wasPassed()
    case .between(let first, let second):
      if second.phase == .done, first.isReached, rule.isAct { act(rule) }
      if first.phase == .done { first.wasPassed() }
    default: break
    }
  }

  // MARK: What volumes ask for

  func record(_ kind: RigAct.Kind, _ volume: String, _ path: BytePath) {
    acts.append(RigAct(kind: kind, volume: volume, path: path))
  }

  /// Room for spoilt bytes; valid until the next call.
  func buffer(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
    if room.count < byteCount {
      room.deallocate()
      room = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    }
    return UnsafeMutableRawBufferPointer(rebasing: room[..<byteCount])
  }

  // MARK: Acts

  /// Strikes what is no request. Counts only what is in force then.
  func act(_ rule: ArmedRule) {
    guard rule.hasStrikesLeft(0), rule.picks(0), carryOut(rule) else { return }
    rule.tookHold(0)
    recorder?.note(rule.id)
  }

  private func carryOut(_ rule: ArmedRule) -> Bool {
    switch rule.rule.effect {
    case .full(let name): return change(name) { $0.store.isFull = true }
    case .readOnly(let name): return change(name) { $0.store.isReadOnly = true }
    case .clock(let name, let milliseconds):
      return change(name) { $0.store.moveClock(milliseconds: milliseconds) }
    case .eject(let name):
      return change(name) { volume in
        volume.goOut()
        record(.ejected, name, "")
        host.eject(volume: name)
      }
    case .insert(let name, let other):
      return change(name) { _ in
        record(.inserted, name, "")
        host.insert(volume: name, other: other)
      }
    case .remount(let name):
      return change(name) { volume in
        volume.goOut()
        record(.remounted, name, "")
        host.remount(volume: name)
      }
    case .crash(let names, let keep): return crash(names, keep)
    case .swapInode(let target, let bytes): return swap(target, bytes)
    case .change(let target, let change, let restoreTimes):
      return self.change(target, change, restoreTimes)
    case .killSubject, .terminateSubject, .stopSubject, .limitSubject:
      return isRunning && strikeSubject(rule.rule.effect)
    default: return false
    }
  }

  private func change(_ name: String, _ body: (FaultyVolume) -> Void) -> Bool {
    guard let volume = volume(name) else { return false }
    body(volume)
    return true
  }

  private func strikeSubject(_ effect: Effect) -> Bool {
    switch effect {
    case .killSubject:
      record(.killed, "", "")
      host.killSubject()
    case .terminateSubject:
      record(.terminated, "", "")
      host.terminateSubject()
    case .stopSubject(let milliseconds):
      record(.stopped, "", "")
      host.stopSubject(milliseconds: milliseconds)
    case .limitSubject(let limit, let value): return host.limitSubject(limit, value)
    default: return false
    }
    return true
  }

  /// Where a target's file has its name: the final one if it has several.
  private func place(_ target: Target) -> (volume: FaultyVolume, path: BytePath)? {
    guard let volume = volume(target.volume) else { return nil }
    let matcher = compiler.matcher(target)
    if case .path(let path) = target.subject { return (volume, path) }
    if matcher.path != nil, case .glob(let path) = target.subject {
      return (volume, BytePath(path))
    }
    guard let node = volume.find(matcher) else { return nil }
    let track = volume.located(node)
    let final = zip(track.paths, track.keys).first { volume.finalNames[$0.1] != nil }?.0
    return (final ?? track.paths.first).map { (volume, $0) }
  }

  private func swap(_ target: Target, _ bytes: SwapBytes) -> Bool {
    guard let (volume, path) = place(target), (try? volume.store.act(.swap(bytes), at: path)) != nil
    else { return false }
    volume.nameStamp += 1
    record(.swapped, volume.name, path)
    noticeChange(volume, path)
    return true
  }

  private func change(_ target: Target, _ change: Change, _ restoreTimes: Bool) -> Bool {
    guard let (volume, path) = place(target),
      (try? volume.store.act(.change(change, restoreTimes: restoreTimes), at: path)) != nil
    else { return false }
    volume.nameStamp += 1
    record(.changed, volume.name, path)
    noticeChange(volume, path)
    return true
  }

  /// What a subject copies from now on is what stands there now.
  private func noticeChange(_ volume: FaultyVolume, _ path: BytePath) {
    guard volume.isSource, let file = sources.index(of: path),
      let node = volume.store.node(at: path)
    else { return }
    let planned = sources.files[file].content
    let size = volume.store.attributes(of: node)?.byteCount ?? 0
    var offset: UInt64 = 0
    let step = 1 << 20
    while offset < size {
      let now = volume.store.bytes(of: node, at: offset, count: step)
      if now.isEmpty { break }
      if now != planned.bytes(at: offset, count: now.count) {
        sources.differs(file, at: offset, now)
      }
      offset += UInt64(now.count)
    }
  }
}
