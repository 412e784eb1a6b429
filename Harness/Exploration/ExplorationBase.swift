public import FaultModel
import SystemIO

/// A case that is explored: its script alone, in one mode, with what was recorded of it.
public struct ExplorationBase: Sendable {
  /// The script's name.
  public var script: String
  /// The case's title.
  public var title: String
  public var line: Int
  public var mode: Mode
  /// A script of its own with the one case.
  public var text: String
  public var scriptCase: ScriptCase
  public var operations: [RecordedOperation]
  /// Words that make the subject go one step after the other; nil where it has none.
  public var sequentialArguments: String?
  /// The subject's name in the catalogue.
  public var subject: String

  public init(
    script: String, title: String, line: Int, mode: Mode, text: String, scriptCase: ScriptCase,
    operations: [RecordedOperation], sequentialArguments: String?, subject: String
  ) {
    self.script = script
    self.title = title
    self.line = line
    self.mode = mode
    self.text = text
    self.scriptCase = scriptCase
    self.operations = operations
    self.sequentialArguments = sequentialArguments
    self.subject = subject
  }
}

extension ExplorationBase {
  /// What of the case decides whether faults can be seen.
  var traits: CaseTraits {
    var arguments: [String] = []
    var runs = 0
    var outcome: String?
    for statement in scriptCase.statements {
      switch statement {
      case .run(let words):
        runs += 1
        arguments += words.map(\.escaped)
      case .runTwoAtOnce: runs += 2
      case .expect(.verified): outcome = "verified"
      case .expect(.copied): outcome = "copied"
      case .expect(.warns), .given, .disarm, .rule: break
      case .expect: outcome = nil
      }
    }
    return CaseTraits(
      isUnchecked: mode == .quick,
      readsSourceOnce: mode == .quick || arguments.contains("--single-source-read"),
      cleanOutcome: runs <= 1 && scriptCase.rules.isEmpty ? outcome : nil)
  }

  /// What exploration has to know beyond one operation.
  func recording(_ operations: [RecordedOperation]) -> RecordingIndex {
    var files: [String: BytePath] = [:]
    for given in scriptCase.givens.prefix(scriptCase.givensBeforeFirstRun)
    where given.volume != "src" && given.bytes != nil && files[given.volume] == nil {
      files[given.volume] = given.path
    }
    return RecordingIndex(operations, givens: files)
  }

  /// The reason why the case itself is undetectable; its schedules are then too.
  var undetectableReason: String? {
    for statement in scriptCase.statements {
      if case .expect(.undetectable(let reason)) = statement { return reason }
    }
    return nil
  }

  /// Where a volume stands in the case, with what it is.
  func role(of volume: String) -> String {
    guard let spec = scriptCase.preamble.volumes.first(where: { $0.name == volume }) else {
      return volume
    }
    let destinations = scriptCase.preamble.destinations.map(\.name)
    let place = volume == "src" ? "src" : volume == destinations.first ? "first" : "other"
    return "\(place) \(spec.persona) \(spec.cache.rawValue) \(spec.store.rawValue)"
  }

  /// The class of an operation behind these rules.
  func place(
    of operation: RecordedOperation, _ recording: RecordingIndex, _ context: [String]
  ) -> EquivalenceClass {
    EquivalenceClass(
      operation, mode: mode, volume: role(of: operation.target.volume), context: context,
      isLast: recording.isLast(operation))
  }

  /// What the rules strike that had struck when an operation came.
  func targets(of operation: RecordedOperation) -> [Target] {
    operation.struck.flatMap { id in
      scriptCase.rules.first { $0.id == id }?.effect.targets ?? []
    }
  }

  /// Bytes that the case moves: the fewer, the sooner a schedule of it is over.
  public var movedByteCount: Int {
    operations.reduce(0) { sum, operation in
      operation.range == nil ? sum : sum + (operation.answered ?? 0)
    }
  }

  /// The rules that had struck when an operation came, as written.
  func context(of operation: RecordedOperation) -> [String] {
    operation.struck.compactMap { id in scriptCase.rules.first { $0.id == id }?.text }
  }

  var schedule: ScheduleScript {
    ScheduleScript(text, title: title, arguments: sequentialArguments)
  }
}
