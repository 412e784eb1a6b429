import SystemIO

extension Persona {
  private static let timesOfNTFS = TimeRules(
    modificationGrain: 100, accessGrain: 100, earliest: -11_644_473_600, latest: 910_692_730_085,
    accessMoves: .byReadsAndListings)

  /// ntfs-3g 2022.10 without options, measured on a loop image: the POSIX name space.
  static let ntfsPOSIX = ntfs(
    "ntfs-posix", "NTFS by ntfs-3g: any name of 255 units, no fallocate, holes that nobody finds",
    NameRules(limit: .utf16Units(255), notUTF8Error: .illegalSequence))

  /// The same with the option `windows_names`.
  static let ntfsWindowsNames = ntfs(
    "ntfs-windows-names", "NTFS by ntfs-3g with windows_names: what Windows cannot open is refused",
    NameRules(
      forbidden: forbiddenOnFAT, forbiddenError: .invalid, limit: .utf16Units(255),
      notUTF8Error: .illegalSequence, trailing: .refused, refusesDevices: true,
      findsForbidden: true))

  private static func ntfs(_ name: String, _ summary: String, _ names: NameRules) -> Persona {
    Persona(
      name: name, summary: summary, names: names, times: timesOfNTFS,
      fallocateError: .notSupported, noReplaceError: .invalid, exchangeError: .invalid,
      modes: .ignored, owners: .ignored, shownMode: 0o777,
      folderLinks: .always(1), reportsHoles: false, entryRoom: .none,
      openRemoval: .renamed(prefix: ".fuse_hidden"), barriers: .weak,
      facts: Facts(type: "fuseblk", bestLevel: "cached"), isMeasured: true)
  }
}
