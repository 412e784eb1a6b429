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
    func refuse(_ isWrong: Bool, _ word: String, _ message: String) throws(ScriptError) {
      if isWrong { throw lexer.error(places[word] ?? words[0], message) }
    }
    let operations = head.operations
    try refuse(
      clauses.atEveryOperation && !head.isCrash, "at", "'at every op' belongs to crash")
    try refuse(
      clauses.renameSide != nil && !operations.contains(.rename), "as",
      "'as old' and 'as new' belong to rename")
    try refuse(
      clauses.entry != nil && !head.isOnListing, "entry", "'entry' belongs to listings")
    try refuse(
      (clauses.from != nil) && !operations.allSatisfy(\.hasOffset)
        || clauses.from != nil
          && operations.isEmpty,
      "from", "'from' needs operations with a byte offset")
    try refuse(
      (clauses.range != nil) && (!operations.allSatisfy(\.hasOffset) || operations.isEmpty),
      "range",
      "'range' needs operations with a byte offset")
    try refuse(
      clauses.afterEviction && operations != [.read], "after", "'after eviction' belongs to reads")
    try refuse(
      clauses.nth != nil && clauses.every != nil, "every", "'nth' and 'every' contradict each other"
    )
    try refuse(
      clauses.between != nil && clauses.timing != nil, "between",
      "'between' stands without 'before' and 'after'")
    try refuse(
      (clauses.nth != nil || clauses.every != nil || clauses.by != nil) && operations.isEmpty
        && !head.isOnListing && !head.isReport,
      clauses.nth != nil
        ? "nth"
        : clauses.every != nil
          ? "every" : "by", "this effect strikes no operation that could be counted")
  }
}

extension EffectHead {
  var isReport: Bool {
    if case .whole(.report) = self { return true }
    if case .lseek = self { return true }
    return false
  }
}
