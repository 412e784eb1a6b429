import SystemIO

extension Persona {
  /// `" * : < > ? \ |` and the control characters below a blank.
  static let forbiddenOnFAT = Set("\"*:<>?\\|".utf8).union(1...0x1f)
  /// 1980-01-01 and the last second of 2107: the range of a FAT date.
  static let earliestOnFAT: Int64 = 315_532_800
  static let latestOnFAT: Int64 = 4_354_819_199
  /// The same to exfat-fuse, which takes 2100 for a leap year.
  static let latestOnFUSE = latestOnFAT + 86_400

  /// The exfat driver of the Linux kernel (fs/exfat).
  static let exfatLinux = Persona(
    name: "exfat-linux",
    summary: "the kernel's exFAT: no links, 10 ms times, case-blind names, inode numbers of a day",
    names: NameRules(
      forbidden: forbiddenOnFAT, forbiddenError: .invalid, limit: .utf16Units(255),
      notUTF8Error: .invalid, trailing: .dotsStripped, findsForbidden: true,
      isCaseSensitive: false),
    times: TimeRules(
      modificationGrain: 10_000_000, accessGrain: 2_000_000_000, earliest: earliestOnFAT,
      latest: latestOnFAT, changeTime: .memoryOnly, accessMoves: .byReadsAndListings),
    inodes: .perEviction, linkError: .notPermitted, symlinkError: .notPermitted,
    nodeError: .notPermitted, xattrError: .notSupported, fallocateError: .notSupported,
    exchangeError: .invalid, modes: .onlyPermissionsIgnored, owners: .refused, isSparse: false,
    barriers: .fat,
    facts: Facts(type: "exfat", bestLevel: "evicted"))

  /// exfat-fuse 1.3, measured on a loop image.
  static let exfatFuse = Persona(
    name: "exfat-fuse",
    summary: "exFAT by FUSE: no links, 1 s times, ctime follows mtime, no proof of the medium",
    names: NameRules(
      forbidden: forbiddenOnFAT, forbiddenError: .noSuchFile, limit: .utf16Units(255),
      notUTF8Error: .illegalSequence, isCaseSensitive: false),
    times: TimeRules(
      modificationGrain: 1_000_000_000, accessGrain: 1_000_000_000,
      accessGrainOnMedium: 2_000_000_000, earliest: earliestOnFAT, latest: latestOnFUSE,
      clampsOnRemount: true, wrapsLateYears: true, changeTime: .followsModification,
      dropsSingleTimes: true, accessMoves: .byReads, renamesMoveFolders: false),
    inodes: .perEviction, linkError: .notPermitted, symlinkError: .notImplemented,
    nodeError: .inputOutput, xattrError: .notSupported, fallocateError: .notSupported,
    noReplaceError: .invalid, exchangeError: .invalid, modes: .onlyPermissionsIgnored,
    owners: .refused,
    shownMode: 0o777, folderLinks: .always(1), listsInodes: false, isSparse: false,
    writesWhole: true, openRemoval: .renamed(prefix: ".fuse_hidden"), spelling: .ownNumber,
    barriers: .fat, facts: Facts(type: "fuseblk", bestLevel: "cached"), isMeasured: true)

  /// The vfat driver of the Linux kernel on FAT32 (fs/fat); its local times are taken as UTC.
  static let fat32 = Persona(
    name: "fat32",
    summary: "FAT32 by vfat: files under 4 GiB, 2 s times, access days, dots and blanks stripped",
    names: NameRules(
      forbidden: forbiddenOnFAT, forbiddenError: .invalid, limit: .utf16Units(255),
      notUTF8Error: .invalid, trailing: .dotsAndSpacesStripped, findsForbidden: true,
      isCaseSensitive: false),
    times: TimeRules(
      modificationGrain: 2_000_000_000, accessGrain: 86_400_000_000_000, earliest: earliestOnFAT,
      latest: latestOnFAT, changeTime: .followsModification,
      accessMoves: .byReadsAndListings),
    inodes: .perEviction, linkError: .notPermitted, symlinkError: .notPermitted,
    nodeError: .notPermitted, xattrError: .notSupported, modes: .onlyPermissionsIgnored,
    owners: .refused,
    isSparse: false, largestFile: 4_294_967_295, barriers: .fat,
    facts: Facts(type: "vfat", bestLevel: "evicted"))
}
