import FaultModel
import SystemIO
import Testing

/// A row of the table of file systems (docs/fault-model.md), read from the persona's data.
struct PersonaRow: CustomTestStringConvertible, Sendable {
  let persona: String
  let behaviour: String
  let value: @Sendable (Persona) -> String
  let wanted: String
  var testDescription: String { "\(persona): \(behaviour)" }

  init(
    _ persona: String, _ behaviour: String, _ wanted: String,
    _ value: @escaping @Sendable (Persona) -> String
  ) {
    self.persona = persona
    self.behaviour = behaviour
    self.wanted = wanted
    self.value = value
  }

  private static func rows(
    _ behaviour: String, _ wanted: [String: String],
    _ value: @escaping @Sendable (Persona) -> String
  ) -> [PersonaRow] {
    wanted.sorted { $0.key < $1.key }.map { PersonaRow($0.key, behaviour, $0.value, value) }
  }

  private static func answer(_ errno: Errno?) -> String { errno?.name ?? "works" }

  static let all: [PersonaRow] =
    rows(
      "link",
      [
        "posix-strict": "works", "ext4": "works", "exfat-linux": "EPERM", "exfat-fuse": "EPERM",
        "fat32": "EPERM",
      ]
    ) { answer($0.linkError) }
    + rows(
      "symlink",
      ["ext4": "works", "exfat-linux": "EPERM", "exfat-fuse": "ENOSYS", "fat32": "EPERM"]
    ) { answer($0.symlinkError) }
    + rows(
      "mkfifo", ["ext4": "works", "exfat-linux": "EPERM", "exfat-fuse": "EIO", "fat32": "EPERM"]
    ) { answer($0.nodeError) }
    + rows(
      "xattr",
      ["ext4": "works", "exfat-linux": "ENOTSUP", "exfat-fuse": "ENOTSUP", "fat32": "ENOTSUP"]
    ) { answer($0.xattrError) }
    + rows(
      "fallocate",
      ["ext4": "works", "exfat-linux": "ENOTSUP", "exfat-fuse": "ENOTSUP", "fat32": "works"]
    ) { answer($0.fallocateError) }
    + rows(
      "RENAME_NOREPLACE to a free name",
      ["ext4": "works", "exfat-linux": "works", "exfat-fuse": "EINVAL", "fat32": "works"]
    ) { answer($0.noReplaceError) }
    + rows(
      "chmod",
      ["ext4": "kept", "exfat-linux": "ignored", "exfat-fuse": "ignored", "fat32": "ignored"]
    ) { if case .kept = $0.modes { "kept" } else { "ignored" } }
    + rows(
      "inode numbers",
      [
        "posix-strict": "stable", "ext4": "stable", "exfat-linux": "perEviction",
        "exfat-fuse": "perEviction", "fat32": "perEviction",
      ]
    ) { "\($0.inodes)" }
    + rows(
      "ctime",
      [
        "ext4": "real", "exfat-linux": "memoryOnly", "exfat-fuse": "followsModification",
        "fat32": "followsModification",
      ]
    ) { "\($0.times.changeTime)" }
    + rows(
      "sparse", ["ext4": "true", "exfat-linux": "false", "exfat-fuse": "false", "fat32": "false"]
    ) { "\($0.isSparse)" }
    + rows(
      "largest file", ["exfat-linux": "none", "exfat-fuse": "none", "fat32": "4294967295"]
    ) { $0.largestFile.map { String($0) } ?? "none" }
    + rows(
      "facts",
      [
        "posix-strict": "ext4 evicted", "ext4": "ext4 evicted", "exfat-linux": "exfat evicted",
        "exfat-fuse": "fuseblk cached", "fat32": "vfat evicted",
      ]
    ) { "\($0.facts.type) \($0.facts.bestLevel)" }
    + rows(
      "confirmed by a driver here",
      ["exfat-linux": "false", "exfat-fuse": "true", "apfs": "false", "ntfs-posix": "true"]
    ) { "\($0.isMeasured)" }
}

/// A name and what a persona makes of it.
struct NameRow: CustomTestStringConvertible, Sendable {
  let persona: String
  let name: [UInt8]
  let answer: String
  var testDescription: String { "\(persona): \(BytePath(name)?.escaped ?? "")" }

  init(_ persona: String, _ name: String, _ answer: String) {
    self.init(persona, Array(name.utf8), answer)
  }

  init(_ persona: String, _ name: [UInt8], _ answer: String) {
    self.persona = persona
    self.name = name
    self.answer = answer
  }

  static let all: [NameRow] =
    "\"*:<>?\\|".flatMap {
      [
        NameRow("exfat-linux", "a\($0)", "EINVAL"), NameRow("exfat-fuse", "a\($0)", "ENOENT"),
        NameRow("fat32", "a\($0)", "EINVAL"), NameRow("ext4", "a\($0)", "kept"),
      ]
    } + [
      NameRow("exfat-linux", [1], "EINVAL"), NameRow("exfat-fuse", [0x1f], "ENOENT"),
      NameRow("exfat-fuse", [0x7f], "kept"), NameRow("exfat-linux", "a\nb", "EINVAL"),
      NameRow("ext4", "a\nb", "kept"),
      NameRow("exfat-linux", "take.", "take"), NameRow("exfat-linux", "take. ", "kept"),
      NameRow("exfat-linux", "...", "ENOENT"), NameRow("exfat-fuse", "take.", "kept"),
      NameRow("fat32", "take. . ", "take"), NameRow("fat32", " a", "kept"),
      NameRow("ext4", "take.", "kept"), NameRow("exfat-fuse", "CON", "kept"),
      NameRow("exfat-linux", "a;b+c,d[1]=", "kept"),
      NameRow("exfat-linux", [0x61, 0xff], "EINVAL"),
      NameRow("exfat-fuse", [0x61, 0xff], "EILSEQ"), NameRow("ext4", [0x61, 0xff], "kept"),
      NameRow("fat32", [0xed, 0xa0, 0x80], "EINVAL"),
      NameRow("exfat-linux", String(repeating: "漢", count: 255), "kept"),
      NameRow("exfat-linux", String(repeating: "漢", count: 256), "ENAMETOOLONG"),
      NameRow("exfat-fuse", String(repeating: "😀", count: 127) + "a", "kept"),
      NameRow("exfat-fuse", String(repeating: "😀", count: 128), "ENAMETOOLONG"),
      NameRow("fat32", String(repeating: "a", count: 256), "ENAMETOOLONG"),
      NameRow("ext4", String(repeating: "a", count: 255), "kept"),
      NameRow("ext4", String(repeating: "é", count: 128), "ENAMETOOLONG"),
      NameRow("posix-strict", String(repeating: "a", count: 256), "ENAMETOOLONG"),
      NameRow("ntfs-posix", "a:b?*\\|\u{1}", "kept"), NameRow("ntfs-posix", "CON", "kept"),
      NameRow("ntfs-posix", "take. ", "kept"), NameRow("ntfs-posix", [0x61, 0xff], "EILSEQ"),
      NameRow("ntfs-windows-names", "a:b", "EINVAL"),
      NameRow("ntfs-windows-names", "a\u{1f}", "EINVAL"),
      NameRow("ntfs-windows-names", "take.", "EINVAL"),
      NameRow("ntfs-windows-names", "take ", "EINVAL"),
      NameRow("ntfs-windows-names", " take", "kept"),
      NameRow("ntfs-windows-names", "con", "EINVAL"),
      NameRow("ntfs-windows-names", "nul.txt", "EINVAL"),
      NameRow("ntfs-windows-names", "COM9", "EINVAL"),
      NameRow("ntfs-windows-names", "COM0", "kept"),
      NameRow("ntfs-windows-names", "CONSOLE", "kept"),
      NameRow("smb", "a:b", "kept"), NameRow("smb", "a\\b", "EINVAL"),
      NameRow("nfs", [0xff, 0x0a], "kept"), NameRow("exfat-macos", "a|", "EINVAL"),
      NameRow("apfs", "\u{e9}", "kept"), NameRow("apfs", [0xff], "EILSEQ"),
      NameRow("hfsplus", "\u{e9}", "e\u{301}"), NameRow("hfsplus", "e\u{301}", "kept"),
      NameRow("hfsplus", "\u{ac00}", "\u{1100}\u{1161}"),
      NameRow("hfsplus", "\u{2260}", "kept"), NameRow("hfsplus", "\u{f900}", "kept"),
      NameRow("hfsplus", "\u{212b}\u{e9}", "\u{212b}e\u{301}"),
      NameRow(
        "hfsplus", String(repeating: "\u{e9}", count: 127) + "a",
        String(repeating: "e\u{301}", count: 127) + "a"),
      NameRow("hfsplus", String(repeating: "\u{e9}", count: 128), "ENAMETOOLONG"),
      NameRow("apfs", String(repeating: "\u{e9}", count: 255), "kept"),
    ]
}

@Suite("Personas") struct PersonaTests {
  @Test("a persona answers as its file system does", arguments: PersonaRow.all)
  func rows(row: PersonaRow) throws {
    #expect(row.value(try #require(Persona.named(row.persona))) == row.wanted)
  }

  @Test("a persona's rows are those of the references", arguments: PersonaTable.rows)
  func table(row: PersonaTable.Row) throws {
    let persona = try #require(Persona.named(row.persona))
    let value = try #require(DocumentTests.rows.first { $0.0 == row.behaviour }).1
    #expect(value(persona) == row.wanted)
  }

  @Test("what is not UTF-8 has no other composition; each composition finds the other")
  func composition() throws {
    for (name, isOne) in [
      ("apfs", true), ("hfsplus", true), ("exfat-macos", false), ("nfs", false), ("smb", false),
    ] {
      let rules = try #require(Persona.named(name)).names
      #expect((rules.key("\u{e9}") == rules.key("e\u{301}")) == isOne, "\(name)")
      #expect((rules.key("\u{e9}") == rules.key("E\u{301}")) == isOne, "\(name)")
    }
  }

  @Test("a bad name is looked for, or refused like its making")
  func looking() throws {
    for (name, errno) in [
      ("exfat-linux", .noSuchFile), ("fat32", .noSuchFile), ("ntfs-windows-names", .noSuchFile),
      ("exfat-macos", .invalid), ("smb", nil), ("ext4", nil),
    ] as [(String, Errno?)] {
      #expect(try #require(Persona.named(name)).names.lookupError("a:b") == errno, "\(name)")
    }
  }

  @Test("a name is kept, stripped or refused", arguments: NameRow.all)
  func names(row: NameRow) throws {
    let rules = try #require(Persona.named(row.persona)).names
    let name = try #require(BytePath(row.name))
    let answer =
      switch rules.stored(name) {
      case .kept(let stored): stored == name ? "kept" : stored.escaped
      case .refused(let errno): errno.name ?? "?"
      }
    #expect(answer == row.answer)
  }

  @Test(
    "names that are one to a case-blind volume",
    arguments: [
      ("C0001.MP4", "c0001.mp4", true), ("ä", "Ä", true), ("straße", "STRASSE", false),
      ("ı", "I", false), ("ı", "i", false), ("\u{e9}", "e\u{301}", false), ("a", "b", false),
      ("Ω", "ω", true), ("𐐀", "𐐨", false),
    ])
  func folding(left: String, right: String, isOne: Bool) throws {
    for name in ["exfat-linux", "exfat-fuse", "fat32"] {
      let rules = try #require(Persona.named(name)).names
      #expect((rules.key(BytePath(left)) == rules.key(BytePath(right))) == isOne)
    }
    let ext4 = try #require(Persona.named("ext4")).names
    #expect(ext4.key(BytePath(left)) != ext4.key(BytePath(right)))
  }

  @Test(
    "times take the volume's steps and range, at once and after a remount",
    arguments: [
      (
        "posix-strict", 1_783_771_201_987_654_321, 1_783_771_201_987_654_321,
        1_783_771_201_987_654_321
      ),
      (
        "exfat-linux", 1_783_771_201_987_654_321, 1_783_771_201_980_000_000,
        1_783_771_201_980_000_000
      ),
      (
        "exfat-fuse", 1_783_771_201_987_654_321, 1_783_771_201_000_000_000,
        1_783_771_201_000_000_000
      ),
      ("fat32", 1_783_771_201_987_654_321, 1_783_771_200_000_000_000, 1_783_771_200_000_000_000),
      ("exfat-linux", 300_542_401_500_000_000, 315_532_800_000_000_000, 315_532_800_000_000_000),
      ("exfat-fuse", 300_542_401_500_000_000, 300_542_401_000_000_000, 315_532_800_000_000_000),
      ("fat32", -1, 315_532_800_000_000_000, 315_532_800_000_000_000),
      (
        "exfat-linux", 4_360_010_400_000_000_000, 4_354_819_199_000_000_000,
        4_354_819_199_000_000_000
      ),
      ("exfat-fuse", 4_360_010_400_000_000_000, 4_360_010_400_000_000_000, 320_637_600_000_000_000),
      ("ext4", -2_208_988_800_000_000_000, -2_147_483_648_000_000_000, -2_147_483_648_000_000_000),
      ("hfsplus", 1_783_771_201_987_654_321, 1_783_771_201_000_000_000, 1_783_771_201_000_000_000),
      ("hfsplus", 2_300_000_000_000_000_000, 2_212_122_495_000_000_000, 2_212_122_495_000_000_000),
      ("smb", 1_783_771_201_987_654_321, 1_783_771_201_987_654_300, 1_783_771_201_987_654_300),
      (
        "ntfs-posix", 1_783_771_201_987_654_321, 1_783_771_201_987_654_300,
        1_783_771_201_987_654_300
      ),
      ("apfs", 1_783_771_201_987_654_321, 1_783_771_201_987_654_321, 1_783_771_201_987_654_321),
      ("xfs", -2_208_988_800_000_000_000, -2_147_483_648_000_000_000, -2_147_483_648_000_000_000),
      ("posix-strict", -1, -1, -1), ("exfat-fuse", -1, -1_000_000_000, 315_532_800_000_000_000),
    ] as [(String, Int64, Int64, Int64)])
  func times(name: String, set: Int64, shown: Int64, onMedium: Int64) throws {
    let rules = try #require(Persona.named(name)).times
    #expect(rules.modification(set) == shown)
    #expect(rules.modificationOnMedium(set) == onMedium)
  }

  @Test(
    "access times are coarser",
    arguments: [
      ("exfat-linux", 1_783_771_200_000_000_000, 1_783_771_200_000_000_000),
      ("exfat-fuse", 1_783_771_201_000_000_000, 1_783_771_200_000_000_000),
      ("fat32", 1_783_728_000_000_000_000, 1_783_728_000_000_000_000),
    ] as [(String, Int64, Int64)])
  func accessTimes(name: String, shown: Int64, onMedium: Int64) throws {
    let rules = try #require(Persona.named(name)).times
    #expect(rules.access(1_783_771_201_987_654_321) == shown)
    #expect(rules.accessOnMedium(1_783_771_201_987_654_321) == onMedium)
  }

  @Test("a name that would be stripped is found under what is left of it")
  func stripped() throws {
    #expect(try #require(Persona.named("exfat-linux")).names.key("x.") == "X")
    #expect(try #require(Persona.named("fat32")).names.key("x. ") == "X")
    #expect(try #require(Persona.named("exfat-fuse")).names.key("x.") == "X.")
  }

  @Test("what comes after the range in time wraps only where the driver wraps")
  func wrap() throws {
    // 2108-02-29 becomes 1980-02-28 on exfat-fuse: seven bits hold the year, and 2100 has a day
    // too many.
    let rules = try #require(Persona.named("exfat-fuse")).times
    #expect(rules.modificationOnMedium(4_359_916_800_000_000_000) == 320_544_000_000_000_000)
  }

  @Test("mistyped names have near ones; no name stands twice")
  func near() {
    #expect(Persona.near("exfat-linx") == ["exfat-linux"])
    #expect(Persona.near("apsf") == ["apfs"])
    #expect(Persona.named("hpfs") == nil && Set(Persona.names).count == Persona.all.count)
    #expect(Persona.facts(named: "fixed-disk")?.bestLevel == "evicted")
    #expect(Persona.facts(named: "fat32")?.type == "vfat" && Persona.facts(named: "real") == nil)
  }
}
