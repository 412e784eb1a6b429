import SystemIO

/// The tails of a rule as they were read.
private struct Tails {
  var errno: (value: Errno, word: Lexer.Word)?
  var isForced = false
  var kind: FailureKind?
  var bytes: Lexer.Word?
  var `as`: Lexer.Word?
  var to: Misdirection?
  var milliseconds: UInt64?
  var keep: CrashSubset?
  var restoresTimes = false
  var range: (isHole: Bool, range: ByteRange)?
}

/// A rule before it is given its number.
struct ParsedRule {
  let effect: Effect
  let clauses: Clauses
}

extension StatementReader {
  /// Takes a whole rule; its first word says which effect.
  mutating func rule(_ effect: EffectWord) throws(ScriptError) -> ParsedRule {
    let first = try next([])
    let head = try head(effect, first)
    var tails = Tails()
    var clauses = Clauses()
    var places: [String: Lexer.Word] = [:]
    while let word = peek {
      places[word.text] = places[word.text] ?? word
      if let tail = Tail(rawValue: word.text), effect.tails.contains(tail) {
        _ = try next([])
        try self.tail(tail, word, of: head, into: &tails)
      } else if let clause = ClauseWord(rawValue: word.text) {
        _ = try next([])
        try self.clause(clause, word, into: &clauses)
      } else {
        throw wrongTail(word, effect)
      }
    }
    try checkClauses(clauses, of: head, places)
    if case .only = tails.keep, clauses.atEveryOperation, let word = places["keep"] {
      throw lexer.error(word, "changes have numbers at one moment only")
    }
    return ParsedRule(effect: try whole(head, tails, first), clauses: clauses)
  }

  private func wrongTail(_ word: Lexer.Word, _ effect: EffectWord) -> ScriptError {
    let clauses = ClauseWord.allCases.map(\.rawValue)
    let tails = effect.tails.map(\.rawValue)
    let isKnown = Tail(rawValue: word.text) != nil || ClauseWord(rawValue: word.text) != nil
    let message =
      isKnown ? "'\(word.text)' has no meaning for '\(effect.rawValue)'" : "unknown word in a rule"
    return lexer.error(
      word, message, expected: ["one of: " + (tails + clauses).joined(separator: " ")],
      near: isKnown ? [] : NearWords.of(word.text, among: tails + clauses))
  }

  private mutating func tail(
    _ tail: Tail, _ word: Lexer.Word, of head: EffectHead, into tails: inout Tails
  ) throws(ScriptError) {
    switch tail {
    case .with: try once(tails.errno == nil, word); tails.errno = try errno()
    case .forced: try once(!tails.isForced, word); tails.isForced = true
    case .performed, .forgetting, .losing:
      try once(tails.kind == nil, word)
      tails.kind = try kind(tail, word, of: head)
    case .bytes: try once(tails.bytes == nil, word); tails.bytes = try next(["a size or a word"])
    case .as: try once(tails.as == nil, word); tails.as = try next(["a word"])
    case .to:
      try once(tails.to == nil, word)
      tails.to = isAtTarget() ? .target(try target().target) : .offset(try size())
    case .for: try once(tails.milliseconds == nil, word); tails.milliseconds = try duration()
    case .keep:
      try once(tails.keep == nil, word)
      switch try choice("crash state", of: ["subsets", "all", "none", "only"]) {
      case "subsets": tails.keep = .subsets
      case "all": tails.keep = .all
      case "none": tails.keep = CrashSubset.none
      default: tails.keep = .only(try numbers())
      }
    case .restoreTimes: try once(!tails.restoresTimes, word); tails.restoresTimes = true
    case .hole, .data:
      try once(tails.range == nil, word)
      tails.range = (tail == .hole, try range())
    }
  }

  /// Numbers of unsynced changes, such as `1,4`.
  private mutating func numbers() throws(ScriptError) -> [Int] {
    let expected = ["numbers of changes such as 1 or 1,4"]
    let word = try next(expected)
    var numbers: Set<Int> = []
    for part in word.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = Literals.number(part), (1...10_000).contains(number) else {
        throw lexer.error(word, "not a list of numbers", expected: expected)
      }
      numbers.insert(Int(number))
    }
    return numbers.sorted()
  }

  private mutating func errno() throws(ScriptError) -> (value: Errno, word: Lexer.Word) {
    let word = try next(["an error's name such as EIO or ENOSPC"])
    let name = word.text == "EOPNOTSUPP" ? "ENOTSUP" : word.text
    guard let errno = Errno(name: name) else {
      throw lexer.error(
        word, "unknown error name", expected: ["an error's name such as EIO or ENOSPC"],
        near: NearWords.of(word.text, among: Operation.knownErrnoNames))
    }
    return (errno, word)
  }

  private mutating func kind(
    _ tail: Tail, _ word: Lexer.Word, of head: EffectHead
  ) throws(ScriptError) -> FailureKind {
    let operations = head.operations
    switch tail {
    case .performed:
      if let wrong = operations.first(where: { !$0.changesSomething }) {
        throw lexer.error(word, "'\(wrong.rawValue)' changes nothing that could be performed")
      }
      return .performed
    case .forgetting:
      guard operations.allSatisfy({ $0 == .fsync || $0 == .fsyncdir }) else {
        throw lexer.error(word, "only fsync and fsyncdir can forget")
      }
      return .forgetting
    default:
      guard operations == [.close] else { throw lexer.error(word, "only close can lose a tail") }
      try expect("last")
      return .losing(lastBytes: try size())
    }
  }

  /// The effect, once everything that belongs to it is known.
  private func whole(
    _ head: EffectHead, _ tails: Tails, _ first: Lexer.Word
  ) throws(ScriptError) -> Effect {
    switch head {
    case .fail(let operations, let target):
      let errno = try legalErrno(tails, operations)
      return .fail(
        Set(operations), target.target, errno, forced: tails.isForced, tails.kind ?? .plain)
    case .short(let operation, let target):
      return .short(operation, target.target, byteCount: try optionalSize(tails.bytes))
    case .torn(let target):
      return .tornWrite(target.target, byteCount: try optionalSize(tails.bytes))
    case .corrupt(let transfer, let target):
      return .corrupt(transfer, target.target, try corruption(tails.as))
    case .drop(let operations, let target): return .drop(Set(operations), target.target)
    case .lose(let operations, let target): return .lose(Set(operations), target.target)
    case .misdirect(let target):
      guard let place = tails.to else { throw missing(["to OFFSET", "to TARGET"]) }
      return .misdirectWrite(target.target, place)
    case .stale(let operation, let target):
      return .stale(operation, target.target, milliseconds: tails.milliseconds)
    case .delay(let operations, let target):
      return .delay(Set(operations), target.target, milliseconds: try needed(tails.milliseconds))
    case .hang(let operations, let target):
      return .hang(Set(operations), target.target, milliseconds: try needed(tails.milliseconds))
    case .swap(let target): return .swapInode(target.target, bytes: try swapBytes(tails.bytes))
    case .insert(let volume):
      let other = try tails.as.map { word throws(ScriptError) in
        try name(word.bytes, of: word, "volume")
      }
      return .insert(volume: volume, other: other)
    case .crash(let volumes): return .crash(volumes: volumes, tails.keep ?? .none)
    case .change(let target, let change):
      return .change(target.target, change, restoreTimes: tails.restoresTimes)
    case .lseek(let target):
      guard let range = tails.range else {
        throw missing(["hole OFFSET+COUNT", "data OFFSET+COUNT"])
      }
      return .report(.lseek(target.target, hole: range.isHole, range.range))
    case .stop: return .stopSubject(milliseconds: try needed(tails.milliseconds))
    case .whole(let effect): return effect
    }
  }

  private func missing(_ expected: [String]) -> ScriptError {
    lexer.endError(after: words[words.count - 1], expected: expected)
  }

  private func needed(_ milliseconds: UInt64?) throws(ScriptError) -> UInt64 {
    guard let milliseconds else { throw missing(["for DURATION"]) }
    return milliseconds
  }

  private func legalErrno(_ tails: Tails, _ operations: [Operation]) throws(ScriptError) -> Errno {
    guard let (errno, word) = tails.errno else { throw missing(["with ERRNO"]) }
    if tails.isForced { return errno }
    if let wrong = operations.first(where: { !$0.legalErrnos.contains(errno) }) {
      throw lexer.error(
        word, "'\(wrong.rawValue)' cannot answer \(word.text); say 'forced' if it shall",
        expected: [wrong.legalErrnos.compactMap(\.name).joined(separator: " ")])
    }
    return errno
  }

  private func optionalSize(_ word: Lexer.Word?) throws(ScriptError) -> UInt64? {
    guard let word else { return nil }
    return try size(word.bytes, of: word)
  }

  private func corruption(_ word: Lexer.Word?) throws(ScriptError) -> Corruption {
    guard let word else { return .flip }
    guard let corruption = Corruption(rawValue: word.text) else {
      throw unknown(word, "corruption", ["zeros", "junk", "flip", "swapped"])
    }
    return corruption
  }

  private func swapBytes(_ word: Lexer.Word?) throws(ScriptError) -> SwapBytes {
    guard let word else { return .different }
    guard let bytes = SwapBytes(rawValue: word.text) else {
      throw unknown(word, "kind of bytes", ["same", "different"])
    }
    return bytes
  }
}
