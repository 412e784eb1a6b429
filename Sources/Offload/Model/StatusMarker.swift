import Hashing
import SystemIO
import Wire

/// What a status marker says: the file of this name, in the marker's own folder, is not complete.
///
/// The format is documented in docs/offload.md, since readers outside this module need it.
struct StatusMarker: Equatable {
  static let version: Int64 = 1
  /// Larger files are no markers of ours.
  static let maximumByteCount = 4096

  let name: BytePath
  let byteCount: Int64
  let run: String
  let created: String

  var encoded: [UInt8] {
    let text = name.utf8 ?? name.escaped
    let json: JSON = [
      "custodyStatus": .integer(Self.version), "name": .text(text), "nameHex": .hex(name.bytes),
      "state": "writing", "bytes": .integer(byteCount), "run": .text(run),
      "created": .text(created),
    ]
    return json.line
  }

  init(name: BytePath, byteCount: Int64, run: String, created: String) {
    self.name = name
    self.byteCount = byteCount
    self.run = run
    self.created = created
  }

  /// Reads a marker; nil for anything that this version did not write whole.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount, let json = try? JSON.parse(bytes),
      json["custodyStatus"]?.int64 == Self.version, json["state"]?.text == "writing",
      let hex = json["nameHex"]?.text, let raw = Hex.bytes(of: hex), let name = BytePath(raw),
      name.isPlainName, let byteCount = json["bytes"]?.int64, byteCount >= 0,
      let run = json["run"]?.text, let created = json["created"]?.text
    else { return nil }
    self.init(name: name, byteCount: byteCount, run: run, created: created)
  }
}
