extension Persona {
  /// A disk file system with every feature and no surprise: what engines are written against. The
  /// test of conformance holds it to tmpfs.
  static let posixStrict = Persona(
    name: "posix-strict", summary: "every POSIX feature, nanosecond times, lasting inode numbers",
    times: TimeRules(accessMoves: .byReadsAndListings), entryRoom: .none, barriers: .strict,
    facts: Facts(type: "ext4", bestLevel: "evicted"), isMeasured: true)

  /// Linux ext4 with 4 KiB blocks and 256-byte inodes.
  static let ext4 = Persona(
    name: "ext4", summary: "Linux ext4: links, xattrs, sparse files, times from 1901 to 2446",
    times: TimeRules(
      earliest: -2_147_483_648, latest: 15_032_385_535, accessMoves: .byReadsAndListings),
    largestFile: 17_592_186_040_320, barriers: .weak,
    facts: Facts(type: "ext4", bestLevel: "evicted"), isMeasured: true)

  /// Linux XFS with times of 64 bits (bigtime).
  static let xfs = Persona(
    name: "xfs", summary: "Linux XFS: links, xattrs, sparse files, times from 1901 to 2486",
    times: TimeRules(
      earliest: -2_147_483_648, latest: 16_299_260_424, accessMoves: .byReadsAndListings),
    entryRoom: .filesAndFolders, fullFolderError: .fileExists, barriers: .weak,
    facts: Facts(type: "xfs", bestLevel: "evicted"), isMeasured: true)

  /// Linux Btrfs.
  static let btrfs = Persona(
    name: "btrfs", summary: "Linux Btrfs: links, xattrs, sparse files, folders with one link",
    times: TimeRules(accessMoves: .byReadsAndListings), folderLinks: .always(1),
    entryRoom: .none, copiesOnWrite: true, barriers: .weak,
    facts: Facts(type: "btrfs", bestLevel: "evicted"), isMeasured: true)
}
