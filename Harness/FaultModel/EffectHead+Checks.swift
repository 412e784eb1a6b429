extension EffectHead {
  /// The operations that the effect strikes; none for effects on a volume or the subject.
  var operations: [Operation] {
    switch self {
    case .fail(let operations, _), .drop(let operations, _), .lose(let operations, _),
      .delay(let operations, _), .hang(let operations, _):
      operations
    case .short(let operation, _): Operation(rawValue: operation.rawValue).map { [$0] } ?? []
    case .corrupt(let transfer, _): [transfer == .read ? .read : .write]
    case .torn, .misdirect: [.write]
    case .stale(let operation, _): [operation]
    case .lseek: [.lseek]
    case .swap, .insert, .crash, .change, .stop, .whole: []
    }
  }

  /// The subject's output is cut by the runner, from the start of a run.
  var isOutputLimit: Bool {
    if case .whole(.limitSubject(.stdout, _)) = self { true } else { false }
  }

  /// True for effects that can strike a single entry of a listing.
  var strikesEntries: Bool {
    switch self {
    case .whole(.hide), .whole(.duplicate), .whole(.report(.readdir)): true
    case .fail(let operations, _): operations == [.readdir]
    default: false
    }
  }

  var isCrash: Bool { if case .crash = self { true } else { false } }

  /// True for effects on directory listings.
  var isOnListing: Bool {
    switch self {
    case .whole(.hide), .whole(.duplicate), .whole(.report(.readdir)): true
    default: operations.contains(.readdir)
    }
  }
}

extension StatementReader {
  /// Refuses clauses that could never hold for the effect: such a rule would never fire.
  func checkClauses(
    _ clauses: Clauses, of head: EffectHead, _ places: [String: Lexer.Word]
  ) throws(ScriptError) {
    let operations = head.operations
    let hasOffsets = !operations.isEmpty && operations.allSatisfy(\.hasOffset)
    let canBeCounted = !operations.isEmpty || head.isOnListing || head.isReport
    let uncountable = "this effect strikes no operation that could be counted"
    let refusals: [(isWrong: Bool, word: ClauseWord, message: String)] = [
      (clauses.atEveryOperation && !head.isCrash, .at, "'at every op' belongs to crash"),
      (
        clauses.renameSide != nil && !operations.contains(.rename), .as,
        "'as old' and 'as new' belong to rename"
      ),
      (
        clauses.entry != nil && !head.strikesEntries, .entry,
        "'entry' belongs to hide, duplicate, report readdir and fail readdir"
      ),
      (
        clauses.pass != nil && !head.isOnListing
          && (operations.isEmpty || !operations.allSatisfy { $0 == .read || $0 == .readdir }),
        .pass, "'pass' belongs to reads and listings"
      ),
      (
        clauses.of != nil && clauses.percent == nil && clauses.afterBytes == nil, .of,
        "'of' belongs to 'at N%' and 'after SIZE'"
      ),
      (clauses.from != nil && !hasOffsets, .from, "'from' needs operations with a byte offset"),
      (clauses.range != nil && !hasOffsets, .range, "'range' needs operations with a byte offset"),
      (
        clauses.afterEviction && operations != [.read], .after, "'after eviction' belongs to reads"
      ),
      (
        clauses.nth != nil && clauses.every != nil, .every,
        "'nth' and 'every' contradict each other"
      ),
      (
        clauses.between != nil && clauses.timing != nil, .between,
        "'between' stands without 'before' and 'after'"
      ),
      (clauses.nth != nil && !canBeCounted, .nth, uncountable),
      (clauses.every != nil && !canBeCounted, .every, uncountable),
      (clauses.by != nil && !canBeCounted, .by, uncountable),
      (
        clauses.by != nil && !operations.isEmpty && !operations.contains(where: \.hasHandle), .by,
        "'by' needs operations on an open file"
      ),
    ]
    let when: [(isSaid: Bool, word: ClauseWord)] = [
      (clauses.timing != nil || clauses.afterBytes != nil, .after), (clauses.percent != nil, .at),
      (clauses.between != nil, .between), (clauses.chance != nil, .chance),
    ]
    if head.isOutputLimit, let said = when.first(where: \.isSaid) {
      throw lexer.error(
        places[said.word.rawValue] ?? places["before"] ?? words[0],
        "output is limited from the start of a run on")
    }
    if let refusal = refusals.first(where: \.isWrong) {
      throw lexer.error(places[refusal.word.rawValue] ?? words[0], refusal.message)
    }
  }
}

extension EffectHead {
  var isReport: Bool {
    if case .whole(.report) = self { return true }
    if case .lseek = self { return true }
    return false
  }
}
