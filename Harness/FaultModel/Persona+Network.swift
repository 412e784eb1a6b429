import SystemIO

extension Persona {
  /// A share as Linux mounts it from a server without links: names that the server refuses are
  /// mapped (`mapposix`), but for the backslash.
  static let smb = Persona(
    name: "smb",
    summary: "SMB share: errors of writes come late, case-blind, no links, open files stay",
    names: NameRules(
      forbidden: Set("\\".utf8), forbiddenError: .invalid, limit: .utf16Units(255),
      notUTF8Error: .illegalSequence, isCaseSensitive: false),
    times: TimeRules(
      modificationGrain: 100, accessGrain: 100, earliest: -11_644_473_600,
      latest: 910_692_730_085),
    inodes: .perEviction, linkError: .notSupported, symlinkError: .notSupported,
    nodeError: .notSupported, exchangeError: .invalid, modes: .ignored, owners: .ignored,
    folderLinks: .always(2), reportsLate: true, openRemoval: .refused(.busy), barriers: .weak,
    facts: Facts(type: "cifs", bestLevel: "cached"))

  /// An NFS 4 mount, root squashed.
  static let nfs = Persona(
    name: "nfs",
    summary: "NFS mount: errors of writes come at fsync or close, .nfs names for open files",
    noReplaceError: .invalid, exchangeError: .invalid, owners: .refused, reportsLate: true,
    openRemoval: .renamed(prefix: ".nfs"), barriers: .strict,
    facts: Facts(type: "nfs4", bestLevel: "cached"))
}
