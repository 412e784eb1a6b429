import SystemIO

/// Two names of one source folder that some file systems take for one.
struct NameTwins: Sendable {
  let directory: Int
  let first: BytePath
  let second: BytePath
}

/// Finds names that differ in case or in Unicode spelling only (offload contract 40).
///
/// Only siblings need a look: twins further down lie below twin folders. The key is wider than any
/// file system's rule, since the destination is asked about the names themselves.
enum TwinSearch {
  /// More are not looked for: the run is refused or they are all probed.
  static let bound = 1000

  static func twins(in manifest: SourceManifest) -> [NameTwins] {
    var twins: [NameTwins] = []
    let children = manifest.childDirectories()
    for directory in manifest.directories.indices {
      var names: [BytePath] = children[directory].map { manifest.name(ofDirectory: $0) }
      manifest.forEachFile(in: directory) { names.append(manifest.name(ofFile: $0)) }
      append(names, directory, &twins)
      if twins.count >= bound { break }
    }
    return twins
  }

  private static func append(
    _ names: [BytePath], _ directory: Int, _ twins: inout [NameTwins]
  ) {
    if names.allSatisfy({ name in name.bytes.allSatisfy { $0 < 0x80 } }) {
      appendASCII(names, directory, &twins)
      return
    }
    var seen: [String: BytePath] = [:]
    for name in names {
      // Upper case first, so that one letter that becomes two meets the two. Swift compares and
      // hashes texts by canonical equivalence: NFC and NFD are one key.
      let key = String(decoding: name.bytes, as: UTF8.self).uppercased().lowercased()
      if let other = seen[key] {
        twins.append(NameTwins(directory: directory, first: other, second: name))
      } else {
        seen[key] = name
      }
    }
  }

  /// Names of ASCII alone: equal hashes of the lower-case bytes first, then the bytes.
  private static func appendASCII(
    _ names: [BytePath], _ directory: Int, _ twins: inout [NameTwins]
  ) {
    var keys = names.indices.map { (hash: hash(names[$0]), index: $0) }
    keys.sort { ($0.hash, $0.index) < ($1.hash, $1.index) }
    guard keys.count > 1 else { return }
    for place in 1..<keys.count where keys[place].hash == keys[place - 1].hash {
      let (first, second) = (names[keys[place - 1].index], names[keys[place].index])
      guard first.bytes.map(lowered) == second.bytes.map(lowered) else { continue }
      twins.append(NameTwins(directory: directory, first: first, second: second))
    }
  }

  /// FNV-1a over the lower-case bytes.
  private static func hash(_ name: BytePath) -> UInt64 {
    name.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64(lowered($1))) &* 0x100_0000_01b3 }
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
