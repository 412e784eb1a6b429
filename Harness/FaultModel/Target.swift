public import SystemIO

/// What a rule strikes: a file, a temporary name or a marker on one volume.
public struct Target: Hashable, Sendable {
  /// The volume's name in the script: `src`, `dst`, `dst2`, ...
  public let volume: String
  public let subject: Subject

  /// How the file is named.
  public enum Subject: Hashable, Sendable {
    /// A path below the volume's root, written quoted: no character of it is special.
    case path(BytePath)
    /// A pattern below the volume's root, written bare: `*` within a name, `**` across names, `?`.
    case glob(String)
    /// `~PATH`: the inode that receives the content of this source file, under whatever name.
    case content(ContentName)
    /// `<tmp#N>`: the N-th temporary name of the subject on the volume, from 1.
    case temporary(Int)
    /// `<marker#N>`: the N-th status marker on the volume, from 1.
    case marker(Int)
  }

  /// How `~` names a source file: literally or by a pattern.
  public enum ContentName: Hashable, Sendable {
    case path(BytePath)
    case glob(String)
  }

  public init(volume: String, subject: Subject) {
    self.volume = volume
    self.subject = subject
  }
}
