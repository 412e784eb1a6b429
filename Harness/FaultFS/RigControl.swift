import FaultModel
import SystemIO
import Wire

/// The commands of a control channel, one JSON object a line: `{"id":1,"verb":"arm","rules":[0]}`.
/// Each is answered when it is in force, by `{"id":1,...}` or `{"id":1,"error":"..."}`.
final class RigControl {
  private let rig: Rig
  private let scripts: ScriptLoader
  /// The script of the last load: its cases come one after another.
  private var last: (text: String, script: Script)?

  /// The trees that the client was told last, which it holds too.
  private var told = ToldTrees()

  init(_ rig: Rig, trees: TreeBuilder) {
    self.rig = rig
    scripts = ScriptLoader(trees)
  }

  /// Serves commands from a channel until it hangs up, then calls `end`.
  func attach(
    _ channel: ControlChannel, end: @escaping () -> Void
  ) throws(SystemError) {
    try rig.loop.watchControl(channel.number) { [unowned self] in
      let (lines, isOver) = channel.receive()
      var isBroken = isOver
      for line in lines {
        do throws(SystemError) { try channel.send(answer(to: line)) } catch { isBroken = true }
      }
      guard isBroken else { return }
      rig.loop.unwatch(channel.number)
      end()
    }
  }

  private func answer(to line: [UInt8]) -> [UInt8] {
    guard let message = try? JSON.parse(line), let verb = message["verb"]?.text else {
      return JSON.object([.init("error", "not a command: a JSON object with a verb")]).line
    }
    let id = message["id"] ?? .null
    do throws(RigError) {
      let result = try perform(verb, message)
      return JSON.object([.init("id", id)] + (result.object ?? [])).line
    } catch {
      return JSON.object([.init("id", id), .init("error", .text(error.description))]).line
    }
  }

  private func perform(_ verb: String, _ message: JSON) throws(RigError) -> JSON {
    switch verb {
    case "load": return try load(message)
    case "reset":
      try rig.reset()
      return try steer("arm", message)
    case "arm", "disarm", "given", "begin", "end": return try steer(verb, message)
    case "observe": rig.store?.observe(isAgain: message["again"]?.bool ?? false)
    case "operations":
      return ["operations": .array((rig.store?.operations ?? []).map(\.json))]
    case "status": return rig.status.json
    case "snapshot":
      let volume = try RigMessage.text(message["volume"], "the volume")
      return ["entries": try snapshot(volume, try layer(message)).json]
    case "look": return try look(message)
    case "trace": return ["records": .array((rig.store?.trace ?? []).map(\.json))]
    case "view":
      let volume = try RigMessage.text(message["volume"], "the volume")
      try rig.view(volume, try layer(message), at: try RigMessage.path(message["at"]))
    case "unview": try rig.unview(try RigMessage.path(message["at"]))
    case "eject", "insert", "remount": try moveMedium(verb, message)
    case "record", "states", "install": return try crash(verb, message)
    case "shutdown": rig.loop.stop()
    default:
      throw RigError(
        "unknown verb \(verb); known are load, reset, arm, disarm, given, begin, end, observe, "
          + "operations, status, look, snapshot, trace, view, unview, eject, insert, remount, record, "
          + "states, install, shutdown")
    }
    return [:]
  }

  private func load(_ message: JSON) throws(RigError) -> JSON {
    let text = try RigMessage.text(message["script"], "the script's text")
    let name = try RigMessage.text(message["name"], "the script's name")
    let index = try RigMessage.number(message["case"], "the case's number")
    let script = try script(text, name)
    guard script.cases.indices.contains(index) else {
      throw RigError("\(name) has no case \(index)")
    }
    let isGated = message["gated"]?.bool ?? false
    return ["volumes": .array(try rig.load(script.cases[index], gated: isGated).map(\.json))]
  }

  private func script(_ text: String, _ name: String) throws(RigError) -> Script {
    if let last, last.text == text { return last.script }
    do throws(ScriptError) {
      let script = try scripts.load(Array(text.utf8), name: name)
      last = (text, script)
      return script
    } catch {
      throw RigError("\(error)")
    }
  }

  /// What moves a case along.
  private func steer(_ verb: String, _ message: JSON) throws(RigError) -> JSON {
    guard let store = rig.store else { throw RigError("the rig has no store") }
    switch verb {
    case "arm":
      let ids = try RigMessage.list(message["rules"], "the rules' ids").compactMap(\.int)
      try store.arm(Set(ids))
      rig.loop.performActs()
    case "disarm": store.disarm()
    case "given":
      let ordinal = try RigMessage.number(message["ordinal"], "the given's number")
      try rig.long { () throws(RigError) in try store.apply(givenOrdinal: ordinal) }
    case "begin":
      let pid = try RigMessage.number(message["pid"], "the process id")
      guard let pid = Int32(exactly: pid) else { throw RigError("\(pid) is no process id") }
      try rig.beginRun(pid: pid)
    default: rig.endRun(claimed: message["claimed"]?.bool ?? false)
    }
    return [:]
  }

  /// States after a crash: recorded, listed, installed.
  private func crash(_ verb: String, _ message: JSON) throws(RigError) -> JSON {
    guard let store = rig.store else { throw RigError("the rig has no store") }
    switch verb {
    case "record":
      let names = try RigMessage.list(message["volumes"], "the volumes").compactMap(\.text)
      try store.record(Set(names), keep: .subsets)
      return [:]
    case "states":
      let tears = message["tear"]?.bool ?? false
      return try rig.long { () throws(RigError) in
        try store.crashStates(tearsLastWrite: tears)
      }.json
    default:
      let index = try RigMessage.number(message["state"], "the state's number")
      let kept = try store.install(crashState: index)
      rig.loop.performActs()
      return ["kept": .array(kept.map { JSON.text($0) })]
    }
  }

  private func moveMedium(_ verb: String, _ message: JSON) throws(RigError) {
    let volume = try RigMessage.text(message["volume"], "the volume")
    _ = try rig.volume(volume)
    let known = rig.troubles.count
    switch verb {
    case "eject": rig.eject(volume: volume)
    case "insert": rig.insert(volume: volume, other: message["as"]?.text)
    default: rig.remount(volume: volume)
    }
    rig.loop.performActs()
    if rig.troubles.count > known { throw RigError(rig.troubles.removeLast()) }
  }

  private func layer(_ message: JSON) throws(RigError) -> Layer {
    guard let layer = message["layer"]?.text.flatMap(Layer.init) else {
      throw RigError("the layer is missing: volatile or durable")
    }
    return layer
  }

  /// Trees of several volumes and layers, each told once, and the status with them.
  private func look(_ message: JSON) throws(RigError) -> JSON {
    var trees: [JSON] = []
    let layers = try RigMessage.list(message["layers"], "the layers")
      .compactMap { $0.text.flatMap(Layer.init) }
    let volumes = try RigMessage.list(message["volumes"], "the volumes").compactMap(\.text)
    for layer in layers {
      for volume in volumes {
        let tree = try snapshot(volume, layer)
        if let number = told.number(of: tree) {
          trees.append(["same": JSON(number)])
        } else {
          trees.append(["number": JSON(told.add(tree)), "entries": tree.json])
        }
      }
    }
    guard message["status"]?.bool == true else { return ["trees": .array(trees)] }
    return ["trees": .array(trees), "status": rig.status.json]
  }

  private func snapshot(_ volume: String, _ layer: Layer) throws(RigError) -> TreeSnapshot {
    let volume = try rig.volume(volume)
    let isHeavy = rig.store?.isHeavy ?? true
    return try rig.long(isHeavy: isHeavy) { () throws(RigError) in
      do throws(SystemError) {
        return try volume.snapshot(layer)
      } catch {
        throw RigError("\(error)")
      }
    }
  }
}

extension Rig {
  /// What was done so far in the case; troubles are told once.
  var status: RigStatus {
    defer { troubles = [] }
    var exposed: [String: [BytePath]] = [:]
    for mount in mounts {
      guard let names = try? mount.exposedNames(), !names.isEmpty else { continue }
      exposed[mount.members[0]] = names
    }
    return RigStatus(
      fired: store?.fired ?? [:], acts: store?.acts ?? [], exposed: exposed,
      troubles: troubles, written: store?.written ?? [:])
  }
}
