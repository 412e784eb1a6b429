extension Persona {
  /// Every persona that works today, in the order of `harness list personas`.
  public static let all: [Persona] = [
    .posixStrict, .ext4, .xfs, .btrfs, .exfatLinux, .exfatFuse, .exfatMacOS, .fat32, .ntfsPOSIX,
    .ntfsWindowsNames, .smb, .nfs, .hfsplus, .apfs,
  ]

  public static var names: [String] { all.map(\.name) }

  /// The persona of a name; nil when there is none.
  public static func named(_ name: String) -> Persona? { all.first { $0.name == name } }

  /// At most three names that the writer may have meant.
  public static func near(_ name: String) -> [String] {
    NearWords.of(name, among: names)
  }

  /// The row that `facts NAME` of a script puts in place of the persona's own: a persona's name,
  /// or `fixed-disk`. nil for any other name (`real` hands over no facts at all).
  public static func facts(named name: String) -> Facts? {
    name == "fixed-disk" ? fixedDisk : named(name)?.facts
  }

  private static let fixedDisk = Facts(type: "ext4", bestLevel: "evicted")
}
