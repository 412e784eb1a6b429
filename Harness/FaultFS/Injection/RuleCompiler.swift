import FaultModel
import SystemIO

/// Turns rules into what the injector looks at for each request.
struct RuleCompiler {
  let sources: SourceIndex
  let seed: UInt64
  /// Name rules by volume.
  let names: [String: NameFolding]
  let firstDestination: String?

  static let sourceName = "src"

  func compile(_ rule: Rule) -> ArmedRule {
    let effect = rule.effect
    let target = effect.target
    let volume = target?.volume ?? effect.volume
    return ArmedRule(
      rule, bits: Self.bits(effect), volume: volume, matcher: target.map(matcher),
      timing: timing(rule, target, volume), progress: progress(rule, target, volume), seed: seed)
  }

  func matcher(_ target: Target) -> TargetMatcher {
    TargetMatcher(
      target, sources: sources,
      names: names[target.volume] ?? NameFolding(rules: Persona.NameRules()))
  }

  private static func bits(_ effect: Effect) -> OperationBits {
    switch effect {
    case .fail(let operations, _, _, _, _), .drop(let operations, _), .lose(let operations, _),
      .delay(let operations, _, _), .hang(let operations, _, _):
      OperationBits(operations)
    case .short(let operation, _, _):
      switch operation {
      case .read: OperationBits(.read)
      case .write: OperationBits(.write)
      case .copyrange: OperationBits(.copyrange)
      }
    case .tornWrite, .misdirectWrite, .corrupt(.write, _, _): OperationBits(.write)
    case .corrupt(.read, _, _): OperationBits(.read)
    // One stat(2) asks twice: the lookup goes with it.
    case .stale(.stat, _, _): OperationBits([.stat, .lookup])
    case .stale(let operation, _, _): OperationBits(operation)
    case .hide, .duplicate, .report(.readdir): OperationBits(.readdir)
    case .report(.stat): OperationBits([.stat, .lookup])
    case .report(.statfs): OperationBits(.statfs)
    case .report(.lseek): OperationBits(.lseek)
    case .swapInode, .full, .readOnly, .eject, .insert, .remount, .crash, .change, .killSubject,
      .terminateSubject, .stopSubject, .limitSubject, .clock:
      []
    }
  }

  // MARK: Timing

  private func timing(_ rule: Rule, _ target: Target?, _ volume: String?) -> ArmedRule.Timing? {
    if let between = rule.clauses.between {
      return .between(watch(between.first, target, volume), watch(between.second, target, volume))
    }
    switch rule.clauses.timing {
    case .before(let point): return .before(watch(point, target, volume))
    case .after(let point): return .after(watch(point, target, volume))
    case nil: return nil
    }
  }

  /// A phase without `of` is the first file's that reaches it: of the rule's own files where it
  /// names files of a destination, else any file, on the rule's own volume or, for rules on the
  /// source, on the first destination. An operation without target is one on the rule's own file,
  /// or anywhere on its volume.
  private func watch(_ point: Point, _ target: Target?, _ volume: String?) -> PointWatch {
    switch point {
    case .phase(let phase, let file):
      let place: String? =
        if phase == .scan { Self.sourceName } else if let file {
          file.volume
        } else if volume
          == Self.sourceName
        {
          firstDestination
        } else {
          volume
        }
      return PointWatch(
        phase: phase, operation: [], volume: place,
        matcher: (file ?? target.flatMap { phase != .scan && means(files: $0) ? $0 : nil })
          .map(matcher), nth: nil)
    case .operation(let operation, let file, let nth):
      let own = file ?? target
      return PointWatch(
        phase: nil, operation: OperationBits(operation), volume: own?.volume ?? volume,
        matcher: own.map(matcher), nth: nth)
    }
  }

  /// True for a target that is one file of the card, or several, on a destination.
  private func means(files target: Target) -> Bool {
    if target.volume == Self.sourceName { return false }
    switch target.subject {
    case .content, .temporary: return true
    case .marker, .glob("**"): return false
    case .path(let path): return sources.index(of: path) != nil
    case .glob(let pattern): return !sources.indexes(.glob(pattern)).isEmpty
    }
  }

  // MARK: Progress

  private func progress(
    _ rule: Rule, _ target: Target?, _ volume: String?
  ) -> ArmedRule.Progress? {
    guard rule.clauses.percent != nil || rule.clauses.afterBytes != nil else { return nil }
    let measure: ArmedRule.Progress.Measure
    if let file = rule.clauses.of {
      measure = .file(matcher(file))
    } else if let target, !matcher(target).isWholeVolume {
      measure = Self.bits(rule.effect).isEmpty ? .file(matcher(target)) : .requestedFile
    } else if let volume {
      measure = .volume(volume)
    } else {
      measure = .source
    }
    return ArmedRule.Progress(
      measure: measure, percent: rule.clauses.percent, byteCount: rule.clauses.afterBytes ?? 0)
  }
}

extension Effect {
  /// The file that it strikes; nil for effects on a volume or on the subject.
  var target: Target? {
    switch self {
    case .fail(_, let target, _, _, _), .short(_, let target, _), .tornWrite(let target, _),
      .corrupt(_, let target, _), .drop(_, let target), .lose(_, let target),
      .misdirectWrite(let target, _), .stale(_, let target, _), .delay(_, let target, _),
      .hang(_, let target, _), .swapInode(let target, _), .hide(let target),
      .duplicate(let target), .change(let target, _, _), .report(.stat(let target, _, _)),
      .report(.readdir(let target, _, _)), .report(.lseek(let target, _, _)):
      target
    default: nil
    }
  }

  /// The volume of an effect on a volume.
  var volume: String? {
    switch self {
    case .full(let volume), .readOnly(let volume), .eject(let volume), .insert(let volume, _),
      .remount(let volume), .clock(let volume, _), .report(.statfs(let volume, _, _)):
      volume
    case .crash(let volumes, _): volumes.first
    default: nil
    }
  }
}
