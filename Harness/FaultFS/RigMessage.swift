import FaultModel
import SystemIO
import Wire

/// How the rig's answers look on the control channel. Paths and names are hexadecimal digits of
/// their bytes, since they need be no text.
enum RigMessage {
  static func json(_ path: BytePath) -> JSON { .hex(path.bytes) }

  static func path(_ json: JSON?) throws(RigError) -> BytePath {
    guard let bytes = json?.hexBytes, let path = BytePath(bytes) else {
      throw RigError("a path is missing or no hexadecimal text")
    }
    return path
  }

  static func text(_ json: JSON?, _ what: String) throws(RigError) -> String {
    guard let text = json?.text else { throw RigError("\(what) is missing") }
    return text
  }

  static func number(_ json: JSON?, _ what: String) throws(RigError) -> Int {
    guard let number = json?.int else { throw RigError("\(what) is missing or no number") }
    return number
  }

  static func list(_ json: JSON?, _ what: String) throws(RigError) -> [JSON] {
    guard let list = json?.array else { throw RigError("\(what) is missing or no list") }
    return list
  }
}

extension MountedVolume {
  var json: JSON {
    ["name": .text(name), "path": RigMessage.json(mountPoint)]
  }

  init(_ json: JSON) throws(RigError) {
    self.init(
      name: try RigMessage.text(json["name"], "a volume's name"),
      mountPoint: try RigMessage.path(json["path"]))
  }
}

extension TreeSnapshot {
  /// Entries as short lists in the order of their paths.
  var json: JSON {
    .array(
      paths.compactMap { path in
        guard let entry = entries[path] else { return nil }
        var list: [JSON] = [
          RigMessage.json(path), .text(entry.kind.rawValue), JSON(entry.byteCount),
          .text(entry.digest), JSON(entry.mode), JSON(entry.modification), JSON(entry.inode),
        ]
        if entry.linkText != nil || !entry.inlineBytes.isEmpty {
          list.append(entry.linkText.map(RigMessage.json) ?? .null)
          list.append(.hex(entry.inlineBytes))
        }
        return .array(list)
      })
  }

  init(_ json: JSON?) throws(RigError) {
    self.init()
    for item in try RigMessage.list(json, "a snapshot") {
      guard let kind = item[1]?.text.flatMap(TreeEntry.Kind.init), let count = item[2]?.uint64,
        let digest = item[3]?.text, let mode = item[4]?.int.flatMap(UInt16.init(exactly:)),
        let modification = item[5]?.int64, let inode = item[6]?.uint64
      else { throw RigError("an entry of a snapshot is damaged") }
      let hasLink = item[7].map { !$0.isNull } ?? false
      let link = hasLink ? try RigMessage.path(item[7]) : nil
      entries[try RigMessage.path(item[0])] = TreeEntry(
        kind: kind, byteCount: count, digest: digest, mode: mode, modification: modification,
        inode: inode, linkText: link, inlineBytes: item[8]?.hexBytes ?? [])
    }
  }
}

extension RigStatus {
  var json: JSON {
    let counts = fired.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
      JSON.array([JSON($0.key), JSON($0.value)])
    }
    let done = acts.map { act in
      JSON.array([.text(act.kind.rawValue), .text(act.volume), .hex(act.path)])
    }
    let bare = exposed.sorted { $0.key < $1.key }.map { volume, names in
      JSON.array([.text(volume)] + names.map(RigMessage.json))
    }
    let copied = written.sorted { $0.key < $1.key }.map { volume, names in
      JSON.array([.text(volume)] + names.sorted().map(RigMessage.json))
    }
    return [
      "fired": .array(counts), "acts": .array(done), "exposed": .array(bare),
      "troubles": .array(troubles.map { JSON.text($0) }), "written": .array(copied),
    ]
  }

  init(_ json: JSON) throws(RigError) {
    var fired: [Int: Int] = [:]
    for item in try RigMessage.list(json["fired"], "the fired counts") {
      fired[try RigMessage.number(item[0], "a rule's id")] =
        try RigMessage.number(item[1], "a rule's count")
    }
    var acts: [RigAct] = []
    for item in try RigMessage.list(json["acts"], "the acts") {
      guard let kind = item[0]?.text.flatMap(RigAct.Kind.init) else {
        throw RigError("an act is damaged")
      }
      acts.append(
        RigAct(
          kind: kind, volume: try RigMessage.text(item[1], "an act's volume"),
          path: try RigMessage.path(item[2])))
    }
    let troubles = try RigMessage.list(json["troubles"], "the troubles").compactMap(\.text)
    self.init(
      fired: fired, acts: acts, exposed: try Self.names(json["exposed"]), troubles: troubles,
      written: try Self.names(json["written"]).mapValues { Set($0) })
  }

  private static func names(_ json: JSON?) throws(RigError) -> [String: [BytePath]] {
    var result: [String: [BytePath]] = [:]
    for item in try RigMessage.list(json, "the names") {
      let volume = try RigMessage.text(item[0], "a volume of the names")
      for name in item.array?.dropFirst() ?? [] {
        result[volume, default: []].append(try RigMessage.path(name))
      }
    }
    return result
  }
}

extension CrashStateList {
  /// Moments come once for all states of a point.
  var json: JSON {
    var moments: [JSON] = []
    var last: Int?
    let rows = states.map { state in
      if state.point != last {
        moments.append(.text(state.moment))
        last = state.point
      }
      return JSON.array([
        JSON(state.point), JSON(moments.count - 1), .bool(state.isClaimed),
        .array(state.kept.map { JSON($0) }), JSON(state.pending), JSON(state.operationCount),
        JSON(Int(state.time / .nanoseconds(1))),
      ])
    }
    return [
      "points": JSON(points), "generated": JSON(generated), "moments": .array(moments),
      "states": .array(rows),
    ]
  }

  init(_ json: JSON) throws(RigError) {
    self.init(
      points: try RigMessage.number(json["points"], "the number of crash points"),
      generated: try RigMessage.number(json["generated"], "the number of sets"), states: [])
    let moments = try RigMessage.list(json["moments"], "the moments").compactMap(\.text)
    for item in try RigMessage.list(json["states"], "the states") {
      let moment = try RigMessage.number(item[1], "a state's moment")
      guard let isClaimed = item[2]?.bool, moments.indices.contains(moment) else {
        throw RigError("a state is damaged")
      }
      states.append(
        CrashState(
          point: try RigMessage.number(item[0], "a state's crash point"), moment: moments[moment],
          isClaimed: isClaimed,
          kept: try RigMessage.list(item[3], "what a state keeps").compactMap(\.int),
          pending: try RigMessage.number(item[4], "what a state could keep"),
          operationCount: try RigMessage.number(item[5], "a state's requests"),
          time: .nanoseconds(try RigMessage.number(item[6], "a state's time"))))
    }
  }
}

extension TraceRecord {
  var json: JSON {
    [
      "ordinal": JSON(ordinal), "volume": .text(volume), "text": .text(text),
      "thread": JSON(thread), "result": .text(result), "rules": .array(rules.map { JSON($0) }),
    ]
  }

  init(_ json: JSON) throws(RigError) {
    self.init(
      ordinal: try RigMessage.number(json["ordinal"], "a record's number"),
      volume: try RigMessage.text(json["volume"], "a record's volume"),
      text: try RigMessage.text(json["text"], "a record's text"),
      thread: try RigMessage.number(json["thread"], "a record's thread"),
      result: try RigMessage.text(json["result"], "a record's result"),
      rules: try RigMessage.list(json["rules"], "a record's rules").compactMap(\.int))
  }
}
