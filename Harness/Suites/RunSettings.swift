public import FaultModel
public import HarnessKit
public import SystemIO

/// What all cases of a run share.
public struct RunSettings: Sendable {
  /// The running executable, which rigs and saboteurs are started from.
  public var harness: BytePath
  public var cards: CardLibrary
  /// Makes a subject by its name in the catalogue; called once a job, and after a failure.
  public var makeSubject: @Sendable (String) throws(SubjectFailure) -> any Subject
  public var allowed: AllowedCases
  /// Seconds that one run of a subject may take.
  public var deadlineSeconds: Double
  /// Rigs at once.
  public var jobs: Int
  /// Chooses what is repeated and looked at from outside.
  public var seed: UInt64
  public var build: String
  public var kernel: String
  /// How every subject runs.
  public var isolation: Isolation

  public init(
    harness: BytePath, cards: CardLibrary,
    makeSubject: @escaping @Sendable (String) throws(SubjectFailure) -> any Subject,
    allowed: AllowedCases = AllowedCases(), deadlineSeconds: Double = 60, jobs: Int = 1,
    seed: UInt64, build: String, kernel: String, isolation: Isolation = Isolation()
  ) {
    self.isolation = isolation
    self.harness = harness
    self.cards = cards
    self.makeSubject = makeSubject
    self.allowed = allowed
    self.deadlineSeconds = deadlineSeconds
    self.jobs = jobs
    self.seed = seed
    self.build = build
    self.kernel = kernel
  }

  /// The replay file of a case.
  func replay(of planned: PlannedCase, verdict: Verdict) -> Replay {
    let preamble = planned.scriptCase.preamble
    var tables: [String: String] = [:]
    if case .named(let name) = preamble.card, let text = try? cards.text(named: name) {
      tables[name] = String(decoding: text, as: UTF8.self)
    }
    var digests: [String: String] = [:]
    for volume in preamble.volumes {
      digests[volume.persona] = Persona.named(volume.persona)?.digest
    }
    var replay = Replay(
      build: build, kernel: kernel, id: planned.identity.id, script: planned.identity.script,
      scriptText: planned.script.text, mode: planned.mode.rawValue, seed: preamble.seed,
      subject: planned.subject, deadlineSeconds: deadlineSeconds,
      generator: Content.generatorVersion, cards: tables, personas: digests, verdict: verdict,
      isGated: planned.isGated, isInverted: planned.caughtBy != nil)
    replay.tool = planned.tool
    replay.account = isolation.account?.name
    return replay
  }
}
