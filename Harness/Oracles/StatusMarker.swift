import FaultModel
import SystemIO
import Wire

/// A status marker as it stands on a volume: it says of a file beside it "not finished".
///
/// The format is that of docs/offload.md; this reader shares no code with the engine.
struct StatusMarker: Equatable {
  /// The covered file's name, in the marker's own folder.
  let name: BytePath
  /// The bytes that the file is to have.
  let byteCount: UInt64

  static let namePrefix = Array(".custody-status-".utf8)

  /// True for `.custody-status-` and 32 hexadecimal digits.
  static func isMarker(name: BytePath) -> Bool {
    guard name.bytes.starts(with: namePrefix) else { return false }
    let id = name.bytes.dropFirst(namePrefix.count)
    return id.count == 32
      && id.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }

  /// Reads a marker; nil when its name, its bytes or one of its fields is not valid, since an
  /// invalid marker covers nothing.
  init?(name: BytePath, entry: TreeEntry) {
    guard Self.isMarker(name: name), entry.kind == .file,
      UInt64(entry.inlineBytes.count) == entry.byteCount,
      let value = try? JSON.parse(entry.inlineBytes),
      value["custodyStatus"]?.int == 1, value["state"]?.text == "writing",
      let byteCount = value["bytes"]?.uint64,
      value["run"]?.text?.isEmpty == false, value["created"]?.text?.isEmpty == false,
      let hex = value["nameHex"]?.hexBytes, let covered = BytePath(hex),
      !covered.bytes.isEmpty, !covered.bytes.contains(UInt8(ascii: "/"))
    else { return nil }
    // The readable name may be absent for a name that is not UTF-8; where it stands it must agree.
    if let text = value["name"]?.bytes, covered.utf8 != nil, text != covered.bytes { return nil }
    self.name = covered
    self.byteCount = byteCount
  }

  /// The paths of one layer that valid markers cover, with the marker's path.
  static func covered(in tree: TreeSnapshot) -> [BytePath: BytePath] {
    var result: [BytePath: BytePath] = [:]
    for (path, entry) in tree.entries {
      guard let marker = StatusMarker(name: path.lastComponent, entry: entry) else { continue }
      result[(path.parent ?? "").appending(marker.name)] = path
    }
    return result
  }
}
