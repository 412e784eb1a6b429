import SystemIO

/// The words that begin a rule.
enum EffectWord: String, CaseIterable {
  case fail, short, torn, corrupt, drop, lose, misdirect, stale, delay, hang, swap, hide
  case duplicate, full, readonly, eject, remount, insert, crash, change, report, kill, terminate
  case stop, limit, clock

  /// The tails that the effect takes; others are an error at their word.
  var tails: [Tail] {
    switch self {
    case .fail: [.with, .forced, .performed, .forgetting, .losing]
    case .short, .torn, .swap: [.bytes]
    case .corrupt, .insert: [.as]
    case .misdirect: [.to]
    case .stale, .delay, .hang, .stop: [.for]
    case .crash: [.keep]
    case .change: [.restoreTimes]
    case .report: [.hole, .data]
    case .drop, .lose, .hide, .duplicate, .full, .readonly, .eject, .remount, .kill, .terminate,
      .limit, .clock:
      []
    }
  }
}

/// What stands before tails and clauses: the effect word with its operations, target or volume.
enum EffectHead {
  case fail([Operation], PlacedTarget)
  case short(DataOperation, PlacedTarget)
  case torn(PlacedTarget)
  case corrupt(Transfer, PlacedTarget)
  case drop([Operation], PlacedTarget)
  case lose([Operation], PlacedTarget)
  case misdirect(PlacedTarget)
  case stale(Operation, PlacedTarget)
  case delay([Operation], PlacedTarget)
  case hang([Operation], PlacedTarget)
  case swap(PlacedTarget)
  case insert(String)
  case crash([String])
  case change(PlacedTarget, Change)
  case lseek(PlacedTarget)
  case stop
  /// Effects that have no tail stand whole.
  case whole(Effect)
}

extension StatementReader {
  /// Takes the rest of an effect's head; `word` is the effect word.
  mutating func head(_ effect: EffectWord, _ word: Lexer.Word) throws(ScriptError) -> EffectHead {
    switch effect {
    case .fail: return .fail(try operations().operations, try target())
    case .short:
      let kind = try choice("operation", of: ["read", "write", "copyrange"])
      return .short(DataOperation(rawValue: kind) ?? .read, try target())
    case .torn:
      try expect("write")
      return .torn(try target())
    case .corrupt:
      let kind = try choice("operation", of: ["read", "write"])
      return .corrupt(Transfer(rawValue: kind) ?? .read, try target())
    case .drop:
      return .drop(
        try operations(that: \.canBeDropped, word), try target())
    case .lose: return .lose(try operations(that: { $0.canBeLost }, word), try target())
    case .misdirect:
      try expect("write")
      return .misdirect(try target())
    case .stale:
      let (operations, place) = try operations()
      guard operations.count == 1, operations[0].canBeStale else {
        let known = Operation.allCases.filter(\.canBeStale).map(\.rawValue)
        throw lexer.error(
          place, "nothing of it can be out of date", expected: [known.joined(separator: " ")])
      }
      return .stale(operations[0], try target())
    case .delay: return .delay(try operations().operations, try target())
    case .hang: return .hang(try operations().operations, try target())
    case .swap:
      try expect("inode")
      return .swap(try target())
    case .hide: return .whole(.hide(try target().target))
    case .duplicate: return .whole(.duplicate(try target().target))
    case .full: return .whole(.full(volume: try volume()))
    case .readonly: return .whole(.readOnly(volume: try volume()))
    case .eject: return .whole(.eject(volume: try volume()))
    case .remount: return .whole(.remount(volume: try volume()))
    case .insert: return .insert(try volume())
    case .crash: return .crash(try volumeList())
    case .change: return try change()
    case .report: return try report()
    case .kill:
      try expect("subject")
      return .whole(.killSubject)
    case .terminate:
      try expect("subject")
      return .whole(.terminateSubject)
    case .stop:
      try expect("subject")
      return .stop
    case .limit:
      try expect("subject")
      let limit = try choice("limit", of: ["descriptors", "memory", "stdout"])
      return .whole(.limitSubject(Limit(rawValue: limit) ?? .descriptors, try number()))
    case .clock:
      let name = try volume()
      return .whole(.clock(volume: name, milliseconds: try signedDuration()))
    }
  }

  /// Operations of which each satisfies `isLegal`.
  private mutating func operations(
    that isLegal: (Operation) -> Bool, _ effect: Lexer.Word
  ) throws(ScriptError) -> [Operation] {
    let (operations, place) = try operations()
    if let wrong = operations.first(where: { !isLegal($0) }) {
      let known = Operation.allCases.filter(isLegal).map(\.rawValue).joined(separator: " ")
      throw lexer.error(
        place, "'\(effect.text) \(wrong.rawValue)' has no meaning", expected: [known])
    }
    return operations
  }

  private mutating func volume() throws(ScriptError) -> String {
    let (name, word) = try name("volume")
    volumes.append(PlacedName(name: name, word: word))
    return name
  }

  /// `V{,V}`.
  private mutating func volumeList() throws(ScriptError) -> [String] {
    let word = try next(["volumes: V or V,V"])
    var names: [String] = []
    for part in word.bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let name = try name(part, of: word, "volume")
      if names.contains(name) { throw lexer.error(word, "'\(name)' stands there twice") }
      names.append(name)
      volumes.append(PlacedName(name: name, word: word))
    }
    return names
  }

  private mutating func change() throws(ScriptError) -> EffectHead {
    let target = try target()
    let actions = ["write", "append", "truncate", "replace", "symlink", "remove", "add"]
    switch try choice("change", of: actions) {
    case "write": return .change(target, .write(try range()))
    case "append": return .change(target, .append(try size()))
    case "truncate": return .change(target, .truncate(try size()))
    case "replace": return .change(target, .replace)
    case "symlink":
      let word = try next(Expected.string)
      guard let text = BytePath(try string(word)), !text.bytes.isEmpty else {
        throw lexer.error(word, "a symbolic link needs a text")
      }
      return .change(target, .symlink(text))
    case "remove": return .change(target, .remove)
    default: return .change(target, .add)
    }
  }

  private mutating func report() throws(ScriptError) -> EffectHead {
    switch try choice("report", of: ["stat", "readdir", "statfs", "lseek"]) {
    case "stat":
      let target = try target().target
      let (field, value) = try fieldAndValue(ReportField.stat)
      return .whole(.report(.stat(target, field: field, value: value)))
    case "readdir":
      let target = try target().target
      let (field, value) = try fieldAndValue(ReportField.entry)
      return .whole(.report(.readdir(target, field: field, value: value)))
    case "statfs":
      let volume = try volume()
      let (field, value) = try fieldAndValue(ReportField.statfs)
      return .whole(.report(.statfs(volume: volume, field: field, value: UInt64(value) ?? 0)))
    default: return .lseek(try target())
    }
  }

  private mutating func fieldAndValue(
    _ fields: [ReportField]
  ) throws(ScriptError) -> (String, String) {
    let name = try choice("field", of: fields.map(\.name))
    let form = fields.first { $0.name == name }?.form ?? .number
    let word = try next([form.expected])
    guard let value = form.normalised(word) else {
      throw lexer.error(word, "not a value of '\(name)'", expected: [form.expected])
    }
    return (name, value)
  }
}

/// A volume's name with its place.
struct PlacedName {
  let name: String
  let word: Lexer.Word
}

/// A field of stat, statfs or a directory entry that `report` can set.
///
/// Values reach the rig in one form: decimal bytes, decimal nanoseconds since 1970, decimal
/// permission bits, or the word of a kind.
struct ReportField {
  let name: String
  let form: Form

  enum Form {
    case number, size, mode, time, kind
    /// The kind of a listed entry, which may be untold.
    case listedKind

    var expected: String {
      switch self {
      case .number: "a number"
      case .size: "a size such as 24MiB"
      case .mode: "permission bits in octal, such as 0644"
      case .time: "a time such as 2026-07-11T12:00:01.5Z"
      case .kind: "a kind: " + Self.kinds.joined(separator: " ")
      case .listedKind: "a kind: " + Self.kinds.joined(separator: " ") + " unknown"
      }
    }

    private static let kinds = ["file", "directory", "symlink", "fifo", "other"]

    func normalised(_ word: Lexer.Word) -> String? {
      switch self {
      case .number: Literals.number(word.bytes).map { String($0) }
      case .size: Literals.size(word.bytes).map { String($0) }
      case .mode: Literals.octal(word.bytes).map { String($0) }
      case .time: Literals.time(word.bytes).map { String($0) }
      case .kind: Self.kinds.contains(word.text) ? word.text : nil
      case .listedKind: (Self.kinds + ["unknown"]).contains(word.text) ? word.text : nil
      }
    }
  }

  static let stat: [ReportField] = [
    ReportField(name: "size", form: .size), ReportField(name: "blocks", form: .number),
    ReportField(name: "mode", form: .mode), ReportField(name: "type", form: .kind),
    ReportField(name: "nlink", form: .number), ReportField(name: "ino", form: .number),
    ReportField(name: "uid", form: .number), ReportField(name: "gid", form: .number),
    ReportField(name: "mtime", form: .time), ReportField(name: "atime", form: .time),
    ReportField(name: "ctime", form: .time),
  ]

  static let entry: [ReportField] = [
    ReportField(name: "type", form: .listedKind), ReportField(name: "ino", form: .number),
  ]

  static let statfs: [ReportField] = [
    ReportField(name: "free", form: .size), ReportField(name: "total", form: .size),
    ReportField(name: "files", form: .number), ReportField(name: "free-files", form: .number),
    ReportField(name: "namemax", form: .number),
  ]
}
