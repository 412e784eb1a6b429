import FaultFS
import FaultModel
import HarnessKit
import Oracles
import SystemIO
import Wire

/// Runs one attempt at a case on a rig: load, arm, run, snapshot, judge.
///
/// Whatever the rig or the subject's driver throws makes the attempt *broken*: it says nothing
/// about the subject.
final class CaseRunner {
  let rig: RigClient
  private let subject: any Subject
  private let cache: Cache
  /// The job's own folder on the machine's disk.
  private let work: BytePath
  private let isolation: Isolation
  private let deadlineSeconds: Double
  let stop: StopFlag

  init(
    rig: RigClient, subject: any Subject, cache: Cache, work: BytePath,
    isolation: Isolation, deadlineSeconds: Double, stop: StopFlag
  ) {
    self.isolation = isolation
    self.rig = rig
    self.subject = subject
    self.cache = cache
    self.work = work
    self.deadlineSeconds = deadlineSeconds
    self.stop = stop
  }

  /// What one job keeps from case to case.
  final class Cache {
    let trees: TreeBuilder
    /// What stands in the job's facts file.
    fileprivate var facts: [UInt8]?

    init(trees: TreeBuilder) {
      self.trees = trees
    }
  }

  /// What goes wrong below the subject.
  struct Failure: Error {
    let reason: String
    /// *Blocked* where something is missing, else *broken*.
    var verdict = Verdict.broken
  }

  /// Runs the case once.
  ///
  /// - `isFresh`: in a process of its own, even where a worker would do.
  /// - `looksOutside`: when outside tools judge the volumes too, by the verdict.
  func attempt(
    _ planned: PlannedCase, isFresh: Bool, looksOutside: (Verdict) -> Bool
  ) -> CaseAttempt {
    let start = ContinuousClock.now
    var attempt: CaseAttempt
    do throws(Failure) {
      let stage = try load(planned, isFresh: isFresh)
      if let sweep = planned.scriptCase.crashSweep {
        attempt = try self.sweep(sweep, stage, looksOutside)
      } else {
        let runs = try play(planned.scriptCase.steps, stage)
        attempt = try judge(stage, runs, looksOutside: looksOutside)
      }
      if let oracle = planned.caughtBy {
        attempt.invert(caughtBy: oracle, under: planned.scriptCase.rules)
      }
    } catch {
      attempt = CaseAttempt(verdict: error.verdict, reason: error.reason)
    }
    attempt.isInterrupted = stop.isRaised
    attempt.seconds = (ContinuousClock.now - start) / .seconds(1)
    return attempt
  }

  /// Everything that one attempt stands on.
  struct Stage {
    let planned: PlannedCase
    let isFresh: Bool
    let source: PlannedTree
    let mounted: [MountedVolume]
    let personas: [String: Persona]
    let factsFile: BytePath?
    let before: [String: TreeSnapshot]
    let scratch: BytePath

    /// Volumes with a store of their own.
    var stores: [String] {
      planned.scriptCase.preamble.volumes.filter { $0.alias == nil }.map(\.name)
    }
  }

  func load(_ planned: PlannedCase, isFresh: Bool) throws(Failure) -> Stage {
    let scriptCase = planned.scriptCase
    if let given = scriptCase.barringGiven, isolation.account == nil, Machine.isRoot {
      throw Failure(
        reason: "line \(given.line) bars by mode, and root passes: run with --as USER",
        verdict: .blocked)
    }
    let source = try system("trees") { () throws(TreeError) in
      try cache.trees.trees(for: scriptCase)["src"] ?? PlannedTree()
    }
    let mounted = try system("rig") { () throws(RigError) in
      try rig.load(planned.script, caseIndex: 0, gated: planned.isGated)
    }
    var personas: [String: Persona] = [:]
    var rows: [VolumeFacts.Row] = []
    for spec in scriptCase.preamble.volumes {
      guard let volume = mounted.first(where: { $0.name == spec.name }) else {
        throw Failure(reason: "the rig did not mount '\(spec.name)'")
      }
      let own = scriptCase.preamble.volumes.first { $0.name == spec.alias?.volume } ?? spec
      guard let persona = Persona.named(own.persona) else {
        throw Failure(reason: "no persona is named '\(own.persona)'")
      }
      let row = VolumeFacts.Row(spec: own, persona: persona, mountPoint: volume.mountPoint)
      rows.append(row)
      personas[spec.name] = VolumeFacts.effectivePersona(row)
    }
    let factsFile = try system("facts file") { () throws(SystemError) in
      try writeFacts(VolumeFacts.json(rows))
    }
    let scratch = work.appending("scratch")
    try system("scratch folder") { () throws(SystemError) in try ScratchFolder.renew(scratch) }
    let stores = scriptCase.preamble.volumes.filter { $0.alias == nil }.map(\.name)
    return Stage(
      planned: planned, isFresh: isFresh, source: source, mounted: mounted, personas: personas,
      factsFile: factsFile, before: try snapshots(stores, .volatile), scratch: scratch)
  }

  private func writeFacts(_ json: JSON?) throws(SystemError) -> BytePath? {
    guard let json else { return nil }
    let path = work.appending("facts.json")
    let text = json.encoded(pretty: true)
    if cache.facts == text { return path }
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], mode: 0o644)
    try file.writeAll(text)
    try file.close()
    cache.facts = text
    return path
  }

  // MARK: Running

  /// - `armed`: rules that are in force already.
  func play(
    _ steps: [CaseStep], _ stage: Stage, armed: Set<Int> = []
  ) throws(Failure) -> [RunRecord] {
    var runs: [RunRecord] = []
    var isTouched = false
    var armed = armed
    for step in steps {
      if stop.isRaised { throw Failure(reason: "interrupted") }
      switch step {
      case .arm(let rules):
        try system("arm") { () throws(RigError) in try rig.arm(ruleIDs: rules) }
        armed.formUnion(rules)
        isTouched = true
      case .given(let ordinal):
        try system("given") { () throws(RigError) in try rig.apply(givenOrdinal: ordinal) }
        isTouched = true
      case .disarm:
        try system("disarm") { () throws(RigError) in try rig.disarm() }
        armed = []
      case .run(let arguments, let atOnce, let expectations):
        var before = isTouched ? try snapshots(stage.stores, .volatile) : nil
        // The second of two at once did not find what the first one left.
        if atOnce > 1, before == nil { before = runs.last?.volatile ?? stage.before }
        runs += try run(
          stage, arguments, atOnce, expectations, before,
          limits: SubjectLimits(of: stage.planned.scriptCase, under: armed))
        isTouched = false
      }
    }
    return runs
  }

  /// One run, or several at once that share the volumes.
  private func run(
    _ stage: Stage, _ arguments: [BytePath], _ atOnce: Int, _ expectations: [Expectation],
    _ before: [String: TreeSnapshot]?, limits: SubjectLimits
  ) throws(Failure) -> [RunRecord] {
    let start = ContinuousClock.now
    let destinations = stage.mounted.filter { $0.name.hasPrefix("dst") }
    guard let source = stage.mounted.first(where: { $0.name == "src" }) else {
      throw Failure(reason: "the case has no volume 'src'")
    }
    let struckBefore = try system("status") { () throws(RigError) in try rig.status() }.acts.count
    let task = SubjectTask(
      source: source.mountPoint,
      destinations: destinations.map { (volume: $0.name, path: $0.mountPoint) },
      mode: stage.planned.mode, headroom: stage.planned.scriptCase.preamble.headroom,
      factsFile: stage.factsFile, extraArguments: arguments, scratch: stage.scratch,
      deadlineSeconds: deadlineSeconds,
      needsFreshProcess: stage.isFresh || isolation.account != nil || stage.planned.isGated
        || stage.planned.scriptCase.needsFreshProcess,
      outputLimit: limits.output, isolation: isolation)
    var started: [any SubjectRun] = []
    for _ in 0..<atOnce {
      let isFirst = started.isEmpty
      let run = try system("subject") { () throws(SubjectFailure) in
        try subject.start(task) { process throws(SubjectFailure) in
          try begin(process, isFirst: isFirst)
        }
      }
      started.append(run)
    }
    var outcomes: [SubjectOutcome] = []
    for run in started {
      defer { stop.leave(run.processID) }
      outcomes.append(try system("subject") { () throws(SubjectFailure) in try run.wait() })
    }
    let claimed = outcomes.contains { $0.report.isPresent || $0.claims != .report }
    try system("end of run") { () throws(RigError) in try rig.endRun(claimed: claimed) }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let (trees, status) = try system("status") { () throws(RigError) in
      try rig.lookAndStatus(at: stage.stores, [.volatile, .durable])
    }
    let struck =
      status.acts.dropFirst(struckBefore).contains { $0.kind.endsSubject } || limits.mayKill
    let volatile = trees[.volatile] ?? [:]
    let durable = trees[.durable] ?? [:]
    return outcomes.map { outcome in
      RunRecord(
        expectations: expectations, ending: outcome.ending.attributed(toRig: struck),
        report: outcome.report, seconds: seconds, destinations: destinations.map(\.name),
        volatile: volatile, durable: durable, leaks: outcome.leaks, log: outcome.log,
        before: before, outputWasCut: limits.output != nil, written: status.written,
        claims: outcome.claims)
    }
  }

  private func begin(_ process: Int32, isFirst: Bool) throws(SubjectFailure) {
    do {
      try stop.enter(process)
      if isFirst { try rig.beginRun(processID: process) }
    } catch {
      throw SubjectFailure("\(error)")
    }
  }

  func snapshots(
    _ volumes: [String], _ layer: Layer
  ) throws(Failure) -> [String: TreeSnapshot] {
    try system("snapshot") { () throws(RigError) in
      try rig.look(at: volumes, [layer])[layer] ?? [:]
    }
  }

  // MARK: Judging

  /// Judges runs by every oracle.
  ///
  /// - `excusing`: a rule that need not have struck yet.
  func judge(
    _ stage: Stage, _ runs: [RunRecord], excusing: Int? = nil, looksOutside: (Verdict) -> Bool
  ) throws(Failure) -> CaseAttempt {
    let status = try system("status") { () throws(RigError) in try rig.status() }
    if let trouble = status.troubles.first { throw Failure(reason: "rig: \(trouble)") }
    let litter = try system("scratch folder") { () throws(SystemError) in
      try ScratchFolder.contents(stage.scratch)
    }
    // What a tool keeps in its home is its own affair.
    .filter { stage.planned.tool == nil || !$0.hasPrefix("home/") }
    let exposed = status.exposed.sorted { $0.key < $1.key }.flatMap { volume, names in
      names.map { "\(volume): \($0.escaped)" }
    }
    var fired = status.fired
    if let excusing, fired[excusing] ?? 0 == 0 { fired[excusing] = 1 }
    let artefacts = CaseArtefacts(
      scriptCase: stage.planned.scriptCase, mode: stage.planned.mode,
      plannedSource: stage.source, before: stage.before, runs: runs, fired: fired,
      acts: status.acts,
      surroundings: Surroundings(parentChanges: exposed, scratchLitter: litter),
      personas: stage.personas)
    let judgement = Judge.judgement(artefacts)
    var attempt = CaseAttempt(
      verdict: judgement.verdict,
      reason: judgement.findings.first.map { "\($0.oracle): \($0.summary)" } ?? "",
      findings: judgement.findings, notes: judgement.notes, fired: status.fired,
      log: runs.enumerated().map {
        "== run \($0.offset + 1): \($0.element.ending)\n\($0.element.log)"
      }
      .joined(separator: "\n"),
      before: stage.before)
    attempt.endings = runs.map(\.ending.text)
    if let last = runs.last {
      for volume in stage.stores {
        attempt.after += [
          (volume, last.volatile[volume]), ("\(volume) durable", last.durable[volume]),
        ]
        .compactMap { row in row.1.map { (title: row.0, tree: $0) } }
      }
    }
    if attempt.verdict != .pass {
      let records = try system("trace") { () throws(RigError) in try rig.trace() }
      attempt.trace = records.flatMap(\.line)
    }
    if looksOutside(attempt.verdict), let last = runs.last,
      let odd = try outsideDisagreement(stage, last)
    {
      attempt.verdict = .broken
      attempt.reason = "outside tools disagree with the rig: \(odd)"
    }
    return attempt
  }

  /// What outside tools see otherwise than the rig, on any volume and layer; nil when they agree
  /// or are not installed.
  private func outsideDisagreement(_ stage: Stage, _ last: RunRecord) throws(Failure) -> String? {
    guard let judge = OutsideJudge(scratch: work) else { return nil }
    let place = work.appending("view")
    try system("view") { () throws(SystemError) in try FileSystem.makeDirectories(place) }
    for volume in stage.stores {
      for (layer, tree) in [(Layer.volatile, last.volatile), (.durable, last.durable)] {
        guard let snapshot = tree[volume] else { continue }
        try system("view") { () throws(RigError) in try rig.view(volume, layer, at: place) }
        let odd = Result { () throws(SystemError) in
          try judge.disagreement(at: place, with: snapshot)
        }
        try system("view") { () throws(RigError) in try rig.unview(at: place) }
        if let odd = try system("outside tools", { () throws(SystemError) in try odd.get() }) {
          return "\(volume), \(layer.rawValue) layer: \(odd)"
        }
      }
    }
    return nil
  }

  func system<Value, Problem: Error>(
    _ what: String, _ body: () throws(Problem) -> Value
  ) throws(Failure) -> Value {
    do throws(Problem) {
      return try body()
    } catch {
      if let failure = error as? SubjectFailure, failure.isBlocked {
        throw Failure(reason: failure.description, verdict: .blocked)
      }
      throw Failure(reason: "\(what): \(error)")
    }
  }
}

extension RunRecord.Ending {
  /// As a report lists it.
  var text: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .signalled(let signal, let byRig): "signal \(signal)\(byRig ? " by a rule" : "")"
    case .deadline: "deadline"
    }
  }

  /// The same ending, with the rig as the one who asked for it.
  func attributed(toRig struck: Bool) -> RunRecord.Ending {
    if case .signalled(let signal, _) = self { return .signalled(signal, byRig: struck) }
    return self
  }
}

extension TraceRecord {
  /// The record as a line of `trace.jsonl`.
  var line: [UInt8] {
    let json: JSON = [
      "n": JSON(ordinal), "volume": .text(volume), "request": .text(text),
      "thread": JSON(thread), "result": .text(result), "rules": .array(rules.map { JSON($0) }),
    ]
    return json.line
  }
}

extension RigAct.Kind {
  /// Ends the subject's process.
  var endsSubject: Bool {
    switch self {
    case .killed, .terminated, .crashed: true
    default: false
    }
  }
}
