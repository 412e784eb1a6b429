extension Persona {
  /// A disk file system with every feature and no surprise: what engines are written against.
  static let posixStrict = Persona(
    name: "posix-strict", summary: "every POSIX feature, nanosecond times, lasting inode numbers",
    barriers: .strict, facts: Facts(type: "ext4", bestLevel: "evicted"))

  /// Linux ext4 with 4 KiB blocks and 256-byte inodes (Documentation/filesystems/ext4).
  static let ext4 = Persona(
    name: "ext4", summary: "Linux ext4: links, xattrs, sparse files, times from 1901 to 2446",
    times: TimeRules(earliest: -2_147_483_648, latest: 15_032_385_535),
    largestFile: 17_592_186_040_320, barriers: .weak,
    facts: Facts(type: "ext4", bestLevel: "evicted"))
}
