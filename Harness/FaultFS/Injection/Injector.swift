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
  /// The trees as the case begins.
  private var firstTrees: [String: PlannedTree] = [:]
  private var scriptCase: ScriptCase?
  private var isCaseHeavy = true
  private(set) var sources = SourceIndex(PlannedTree())
  private(set) var compiler = RuleCompiler(
    sources: SourceIndex(PlannedTree()), seed: 0, names: [:], firstDestination: nil)
  private(set) var rules: [ArmedRule] = []
  private var placeOfRule: [Int: Int] = [:]
  /// The rules that were armed since the case began: no other has counted anything.
  private var touched: [ArmedRule] = []
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

  init(host: any RigHost, trees: TreeBuilder) {
    self.host = host
    builder = trees
  }

  deinit { room.deallocate() }

  var volumes: [any RigVolume] { order }

  func volume(_ name: String) -> FaultyVolume? { order.first { $0.name == name } }

  // MARK: Cases

  func load(_ scriptCase: ScriptCase) throws(RigError) {
    order = []
    rules = []
    touched = []
    self.scriptCase = nil
    clear()
    do throws(TreeError) {
      firstTrees = try builder.trees(for: scriptCase)
    } catch {
      throw RigError(error.description)
    }
    trees = firstTrees
    isCaseHeavy = Self.isHeavy(trees, scriptCase)
    let source = trees[RuleCompiler.sourceName] ?? PlannedTree()
    if sources.tree == source { sources.forget() } else { sources = SourceIndex(source) }
    for spec in scriptCase.preamble.volumes where spec.alias == nil {
      order.append(try make(spec))
    }
    compiler = RuleCompiler(
      sources: sources, seed: scriptCase.preamble.seed,
      names: Dictionary(
        order.map { ($0.name, $0.store.names) }, uniquingKeysWith: { first, _ in first }),
      firstDestination: order.first { !$0.isSource }?.name)
    rules = scriptCase.rules.map(compiler.compile)
    placeOfRule = Dictionary(
      rules.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first }
    )
    for volume in order {
      volume.isPastKept = rules.contains { $0.isStale && $0.volume == volume.name }
      if volume.isPastKept { volume.past = PastStates() }
    }
    self.scriptCase = scriptCase
  }

  /// Everything that a run leaves, but for volumes and rules.
  private func clear() {
    waiting = []
    acts = []
    ring.reset()
    lastRecorder = recorder
    recorder = nil
    recording = nil
    recordingRule = nil
    isRunning = false
  }

  func reset() throws(RigError) {
    guard scriptCase != nil else { throw RigError("no case was loaded") }
    clear()
    trees = firstTrees
    sources.forget()
    for rule in touched { rule.reset() }
    touched = []
    for volume in order { try fill(volume) }
  }

  private func make(_ spec: VolumeSpec) throws(RigError) -> FaultyVolume {
    guard let persona = Persona.named(spec.persona) else {
      throw RigError("volume \(spec.name): there is no persona '\(spec.persona)'")
    }
    let volume = try volume(for: spec, persona)
    volume.cache = spec.cache
    volume.store.readsDurable = spec.cache == .lying
    volume.isPastKept = false
    try fill(volume)
    volume.finalNames = [:]
    for (index, file) in sources.files.enumerated() {
      volume.finalNames[volume.store.names.key(ofPath: file.path)] = index
    }
    return volume
  }

  private func fill(_ volume: FaultyVolume) throws(RigError) {
    volume.resetTracks()
    do throws(SystemError) {
      try volume.store.load(trees[volume.name] ?? PlannedTree())
    } catch {
      throw RigError("volume \(volume.name): \(error)")
    }
  }

  /// The volume of this name, with its numbers where they stopped; another store is another
  /// volume.
  private func volume(
    for spec: VolumeSpec, _ persona: Persona
  ) throws(RigError) -> FaultyVolume {
    let key = spec.store == .memory ? spec.name : spec.name + " backed"
    if let held = known[key] {
      held.store.become(
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

  // MARK: Size

  /// What a machine under load still does in a small part of a second.
  private static let lightEntryCount = 2000
  private static let lightByteCount: UInt64 = 64 << 20

  var isHeavy: Bool {
    isCaseHeavy || order.contains { $0.writtenByteCount > Self.lightByteCount }
  }

  func isHeavy(_ scriptCase: ScriptCase) -> Bool {
    guard let trees = builder.known(for: scriptCase) else { return true }
    return Self.isHeavy(trees, scriptCase)
  }

  private static func isHeavy(_ trees: [String: PlannedTree], _ scriptCase: ScriptCase) -> Bool {
    scriptCase.preamble.volumes.contains { $0.store == .backed }
      || trees.values.contains { tree in
        tree.entries.count > lightEntryCount || tree.byteCount > lightByteCount
      }
  }

  // MARK: Rules

  func arm(_ ruleIDs: Set<Int>) throws(RigError) {
    var fresh: [ArmedRule] = []
    for id in ruleIDs.sorted() {
      guard let place = placeOfRule[id] else { throw RigError("the case has no rule \(id)") }
      if !rules[place].isArmed { fresh.append(rules[place]) }
    }
    for rule in fresh {
      rule.isArmed = true
      if !touched.contains(where: { $0 === rule }) { touched.append(rule) }
    }
    refresh()
    for rule in fresh { try recordFor(rule) }
    for rule in fresh where rule.isAct && rule.timing == nil && rule.progress == nil {
      if rule.isSweep { continue }
      if rule.volume != nil || isRunning { act(rule) }
    }
  }

  func disarm() {
    for rule in touched { rule.isArmed = false }
    for volume in order {
      volume.store.isFull = false
      volume.store.isReadOnly = false
      volume.owedErrors = [:]
    }
    refresh()
  }

  /// In the order of the script, as everything that asks rules in turn does.
  private func refresh() {
    touched.sort { placeOfRule[$0.id] ?? 0 < placeOfRule[$1.id] ?? 0 }
    let armed = touched.filter(\.isArmed)
    waiting = armed.filter { $0.timing != nil || ($0.isAct && $0.progress != nil) }
    for volume in order {
      volume.rules = armed.filter { !$0.isAct && $0.volume == volume.name }
      volume.armedBits = volume.rules.reduce(into: []) { $0.formUnion($1.bits) }
    }
  }

  /// What `nth` and `every` are counted for.
  func counted(_ address: Address) -> UInt64 { countsAcrossVolumes ? 0 : address.counted }

  /// A rule's effect took hold.
  func struck(_ strike: FaultyVolume.Strike) { strike.rule.tookHold(strike.key) }

  var fired: [Int: Int] { Dictionary(uniqueKeysWithValues: touched.map { ($0.id, $0.fired) }) }

  var trace: [TraceRecord] { ring.records }

  var hasTaughtKernel: Bool {
    touched.contains { rule in
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
    for rule in touched where rule.isArmed && rule.isAct && rule.volume == nil {
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
}
