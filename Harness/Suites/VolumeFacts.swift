import FaultModel
import SystemIO
import Wire

/// The facts file that tells a subject which volumes it sees (`--volume-facts`; its form is in
/// docs/offload.md).
struct VolumeFacts {
  /// One volume as the subject sees it.
  struct Row {
    let spec: VolumeSpec
    let persona: Persona
    let mountPoint: BytePath
  }

  /// The file's JSON; nil when every volume is shown as it is (`facts real`).
  static func json(_ rows: [Row]) -> JSON? {
    let shown = rows.filter { $0.spec.facts != "real" }
    if shown.isEmpty { return nil }
    return ["volumes": .array(shown.map(volume))]
  }

  private static func volume(_ row: Row) -> JSON {
    let facts = facts(of: row)
    return [
      "root": .string(row.mountPoint.bytes),
      "type": .text(facts.type),
      "level": .text(facts.bestLevel),
      "inodesLast": .bool(row.persona.inodes == .stable),
      "changeTimeIsReal": .bool(row.persona.times.changeTime == .real),
      "modificationGrainNanoseconds": JSON(row.persona.times.modificationGrain),
      "removable": .bool(row.spec.inside == nil),
    ]
  }

  /// What `facts NAME` names, a fixed disk's row for volumes in one mount, else the persona's row.
  static func facts(of row: Row) -> Persona.Facts {
    if row.spec.inside != nil && row.spec.facts == nil {
      return Persona.facts(named: "fixed-disk") ?? row.persona.facts
    }
    return row.spec.facts.flatMap { Persona.facts(named: $0) } ?? row.persona.facts
  }

  /// The persona as the case has it, for oracles: what the subject was told, and what the script's
  /// `barriers` word says.
  static func effectivePersona(_ row: Row) -> Persona {
    var persona = row.persona
    persona.facts =
      row.spec.facts == "real"
      ? Persona.Facts(type: "fuse", bestLevel: "cached") : facts(of: row)
    if let barriers = row.spec.barriers { persona.barriers = barriers }
    return persona
  }
}
