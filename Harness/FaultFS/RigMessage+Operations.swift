import FaultModel
import SystemIO
import Wire

/// How a recorded operation looks on the control channel: a list in a fixed order.
extension RecordedOperation {
  var json: JSON {
    [
      "volume": .text(target.volume), "target": target.subject.json,
      "op": .text(operation.rawValue), "nth": JSON(nth), "pointNth": JSON(pointNth),
      "reader": .bool(byReader), "shadowed": .bool(isShadowed), "thread": JSON(thread),
      "kind": .text(kind.rawValue), "entry": .text(orNull: entry?.rawValue),
      "phases": .array(phases.map { JSON.text($0) }),
      "range": range.map { [JSON($0.offset), JSON($0.count)] } ?? .null,
      "bytes": JSON(byteCount), "answered": answered.map { JSON($0) } ?? .null,
      "errno": errno.map { JSON($0.rawValue) } ?? .null, "traits": JSON(traits.rawValue),
      "listed": .array(listed.map(RigMessage.json)), "pass": JSON(pass),
      "struck": .array(struck.map { JSON($0) }),
    ]
  }

  init(_ json: JSON) throws(RigError) {
    let volume = try RigMessage.text(json["volume"], "an operation's volume")
    guard let operation = json["op"]?.text.flatMap(FaultModel.Operation.init),
      let kind = json["kind"]?.text.flatMap(Kind.init),
      let traits = json["traits"]?.int.flatMap(UInt8.init(exactly:)),
      let byteCount = json["bytes"]?.uint64
    else { throw RigError("a recorded operation is damaged") }
    var listed: [BytePath] = []
    for name in try RigMessage.list(json["listed"], "listed names") {
      listed.append(try RigMessage.path(name))
    }
    let range = json["range"]?.array.flatMap { pair -> ByteRange? in
      guard pair.count == 2, let offset = pair[0].uint64, let count = pair[1].uint64 else {
        return nil
      }
      return ByteRange(offset: offset, count: count)
    }
    self.init(
      operation: operation,
      target: Target(volume: volume, subject: try Target.Subject(json["target"])),
      nth: try RigMessage.number(json["nth"], "a count"),
      pointNth: try RigMessage.number(json["pointNth"], "a count"),
      byReader: json["reader"]?.bool ?? false, isShadowed: json["shadowed"]?.bool ?? false,
      thread: try RigMessage.number(json["thread"], "a thread"), kind: kind,
      entry: json["entry"]?.text.flatMap(TreeEntry.Kind.init),
      phases: try RigMessage.list(json["phases"], "phases").compactMap(\.text), range: range,
      byteCount: byteCount, answered: json["answered"]?.int,
      errno: json["errno"]?.int.flatMap(CInt.init(exactly:)).map(Errno.init(rawValue:)),
      traits: Traits(rawValue: traits), listed: listed,
      pass: try RigMessage.number(json["pass"], "a pass"),
      struck: try RigMessage.list(json["struck"], "rules").compactMap(\.int))
  }
}

extension Target.Subject {
  fileprivate var json: JSON {
    switch self {
    case .path(let path): [.text("path"), RigMessage.json(path)]
    case .glob(let pattern): [.text("glob"), .text(pattern)]
    case .content(.path(let path)): [.text("content"), RigMessage.json(path)]
    case .content(.glob(let pattern)): [.text("contents"), .text(pattern)]
    case .temporary(let number): [.text("temporary"), JSON(number)]
    case .marker(let number): [.text("marker"), JSON(number)]
    }
  }

  fileprivate init(_ json: JSON?) throws(RigError) {
    guard let json, let form = json[0]?.text else { throw RigError("a target is damaged") }
    switch form {
    case "path": self = .path(try RigMessage.path(json[1]))
    case "content": self = .content(.path(try RigMessage.path(json[1])))
    case "glob": self = .glob(try RigMessage.text(json[1], "a pattern"))
    case "contents": self = .content(.glob(try RigMessage.text(json[1], "a pattern")))
    case "temporary": self = .temporary(try RigMessage.number(json[1], "a number"))
    case "marker": self = .marker(try RigMessage.number(json[1], "a number"))
    default: throw RigError("a target is damaged")
    }
  }
}
