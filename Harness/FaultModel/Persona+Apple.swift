import SystemIO

extension Persona {
  /// exFAT on macOS: no driver runs here, so that its rows are taken from documents.
  static let exfatMacOS = Persona(
    name: "exfat-macos",
    summary: "exFAT on a Mac: ._ files beside all others, all empty files share an inode number",
    names: NameRules(
      forbidden: forbiddenOnFAT, forbiddenError: .invalid, limit: .utf16Units(255),
      notUTF8Error: .illegalSequence, isCaseSensitive: false),
    times: TimeRules(
      modificationGrain: 10_000_000, accessGrain: 2_000_000_000, earliest: earliestOnFAT,
      latest: latestOnFAT, changeTime: .followsModification),
    inodes: .firstCluster, linkError: .notSupported, symlinkError: .notSupported,
    nodeError: .notSupported, noReplaceError: .notSupported, exchangeError: .notSupported,
    modes: .ignored, owners: .ignored, shownMode: 0o777, folderLinks: .always(1), isSparse: false,
    spelling: .ownInode, barriers: .fat, makesSidecars: true,
    facts: Facts(type: "exfat", bestLevel: "cached"))

  /// APFS as macOS formats it.
  static let apfs = Persona(
    name: "apfs",
    summary: "APFS: blind to case and composition, ns times, fsync that stops short of the medium",
    names: NameRules(
      limit: .utf16Units(255), notUTF8Error: .illegalSequence, isCaseSensitive: false,
      normalisation: .insensitive),
    folderLinks: .entries, copiesOnWrite: true, spelling: .ownInode, barriers: .apfs,
    facts: Facts(type: "apfs", bestLevel: "cached"))

  /// HFS+ with a journal, as old macOS formats it.
  static let hfsplus = Persona(
    name: "hfsplus",
    summary: "HFS+: names come back decomposed, 1 s times from 1904 to 2040, no sparse files",
    names: NameRules(
      limit: .utf16Units(255), notUTF8Error: .illegalSequence, isCaseSensitive: false,
      normalisation: .storesDecomposed),
    times: TimeRules(
      modificationGrain: 1_000_000_000, accessGrain: 1_000_000_000, earliest: -2_082_844_800,
      latest: 2_212_122_495),
    fallocateError: .notSupported, noReplaceError: .notSupported, exchangeError: .notSupported,
    folderLinks: .entries, isSparse: false, spelling: .ownInode, barriers: .apfs,
    facts: Facts(type: "hfs", bestLevel: "cached"))
}
