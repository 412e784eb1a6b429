public import SystemIO

/// Something the rig did to a file by itself: no evidence against the subject.
public struct RigAct: Hashable, Sendable, Codable {
  /// What was done.
  public enum Kind: String, Sendable, Codable {
    /// A write of the subject was led into this file, or a byte of it was spoilt.
    case misdirected, corrupted
    /// This name was given another inode, or this file was changed on the source.
    case swapped, changed
    /// A sidecar of the persona.
    case sidecar
    /// The volume was ejected, remounted or crashed; the path is empty.
    case ejected, inserted, remounted, crashed
    /// The subject was killed, terminated or stopped; volume and path are empty.
    case killed, terminated, stopped
  }

  public let kind: Kind
  public let volume: String
  /// Below the volume's root, as raw bytes.
  public let path: [UInt8]

  public init(kind: Kind, volume: String, path: BytePath) {
    self.kind = kind
    self.volume = volume
    self.path = path.bytes
  }
}
