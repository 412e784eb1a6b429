import FaultModel
import Glibc
import SystemIO
import Testing

/// Tables of docs/fault-model.md that are made from data. `HARNESS_RECORD=1` writes them anew.
@Suite("Tables of docs/fault-model.md") struct DocumentTests {
  static let path = RepositoryPaths.root.appending("docs/fault-model.md")

  private static func table(_ header: [String], _ rows: [[String]]) -> String {
    func line(_ cells: [String]) -> String {
      "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
    }
    return line(header) + line(header.map { _ in "---" }) + rows.map(line).joined()
  }

  static let faults = table(
    ["fault", "plane", "form", "what happens"],
    FaultCatalogue.all.map {
      [$0.name, $0.plane, $0.form, $0.summary]
    })

  static let personas = table(
    ["behaviour"] + Persona.names,
    rows.map { row in [row.0] + Persona.all.map(row.1) })

  static let rows: [(String, @Sendable (Persona) -> String)] = [
    ("link", { answer($0.linkError) }), ("symlink", { answer($0.symlinkError) }),
    ("mkfifo", { answer($0.nodeError) }), ("xattr", { answer($0.xattrError) }),
    ("fallocate", { answer($0.fallocateError) }),
    ("RENAME_NOREPLACE, free name", { answer($0.noReplaceError) }),
    ("RENAME_EXCHANGE", { answer($0.exchangeError) }),
    ("rename over a full folder", { answer($0.fullFolderError) }),
    ("chmod", { mode($0) }), ("chown", { "\($0.owners)" }), ("bad characters", { bad($0.names) }),
    ("looking for a bad name", { lookup($0.names) }),
    ("not UTF-8", { answer($0.names.notUTF8Error) }), ("end of a name", { "\($0.names.trailing)" }),
    ("longest name", { limit($0.names.limit) }),
    ("case", { $0.names.isCaseSensitive ? "distinct" : "kept, blind" }),
    ("composition", { "\($0.names.normalisation)" }), ("other spelling", { spelling($0.spelling) }),
    ("mtime grain", { seconds($0.times.modificationGrain) }),
    (
      "atime grain, on the medium",
      { "\(seconds($0.times.accessGrain)), \(seconds($0.times.accessGrainOnMedium))" }
    ),
    ("one of the two times set", { $0.times.dropsSingleTimes ? "dropped" : "works" }),
    ("atime moved", { moves($0.times.accessMoves) }),
    ("mtime of folders moved by rename", { $0.times.renamesMoveFolders ? "yes" : "no" }),
    ("range", { range($0.times) }), ("ctime", { "\($0.times.changeTime)" }),
    ("inode numbers", { "\($0.inodes)" }),
    ("inode numbers in listings", { $0.listsInodes ? "yes" : "unknown" }),
    ("links of a folder", { links($0.folderLinks) }),
    ("open file removed", { removal($0.openRemoval) }),
    ("sparse files", { $0.isSparse ? $0.reportsHoles ? "yes" : "yes, not reported" : "no" }),
    ("largest file", { $0.largestFile.map { String($0) } ?? "-" }),
    ("a write that fits in part", { $0.writesWhole ? "ENOSPC" : "short" }),
    ("no room", { $0.reportsLate ? "told late" : "told at once" }),
    ("full volume", { room($0.entryRoom) }),
    ("overwriting on a full volume", { $0.copiesOnWrite ? "ENOSPC" : "works" }),
    ("sidecars", { $0.makesSidecars ? "yes" : "no" }),
    ("barriers", { $0.barriers.rawValue }),
    ("facts", { "\($0.facts.type), \($0.facts.bestLevel)" }),
    ("rows", { $0.isMeasured ? "measured" : "documented" }),
  ]

  private static func answer(_ errno: Errno?) -> String { errno?.name ?? "works" }

  private static func mode(_ persona: Persona) -> String {
    let shown = "ignored, 0\(String(persona.shownMode, radix: 8))"
    switch persona.modes {
    case .ignored: return shown
    case .onlyPermissionsIgnored: return shown + "; EPERM for more"
    default: return "\(persona.modes)"
    }
  }

  private static func bad(_ names: Persona.NameRules) -> String {
    if names.forbidden.isEmpty { return "none" }
    return answer(names.forbiddenError) + (names.refusesDevices ? ", devices too" : "")
  }

  private static func lookup(_ names: Persona.NameRules) -> String {
    if names.forbidden.isEmpty { return "-" }
    return names.findsForbidden ? "ENOENT" : answer(names.forbiddenError)
  }

  private static func spelling(_ spelling: Persona.Spelling) -> String {
    switch spelling {
    case .oneInode: "the same inode"
    case .ownInode: "another inode, same number"
    case .ownNumber: "another inode and number"
    }
  }

  private static func moves(_ moves: Persona.TimeRules.AccessMoves) -> String {
    switch moves {
    case .never: "never"
    case .byReads: "by reads"
    case .byReadsAndListings: "by reads and listings"
    }
  }

  private static func links(_ links: Persona.FolderLinks) -> String {
    switch links {
    case .always(let count): "\(count)"
    case .folders: "folders"
    case .entries: "entries"
    }
  }

  private static func removal(_ removal: Persona.OpenRemoval) -> String {
    switch removal {
    case .removed: "gone"
    case .renamed(let prefix): prefix
    case .refused(let errno): answer(errno)
    }
  }

  private static func room(_ room: Persona.EntryRoom) -> String {
    switch room {
    case .none: "files and folders"
    case .folders: "files"
    case .filesAndFolders: "nothing more"
    }
  }

  private static func limit(_ limit: Persona.NameRules.Limit) -> String {
    switch limit {
    case .bytes(let count): "\(count) bytes"
    case .utf16Units(let count): "\(count) UTF-16 units"
    }
  }

  private static func seconds(_ nanoseconds: Int64) -> String {
    switch nanoseconds {
    case ..<1_000_000: "\(nanoseconds) ns"
    case ..<1_000_000_000: "\(nanoseconds / 1_000_000) ms"
    case ..<86_400_000_000_000: "\(nanoseconds / 1_000_000_000) s"
    default: "\(nanoseconds / 86_400_000_000_000) d"
    }
  }

  /// What lies beyond the nanoseconds of 64 bits, 1677 to 2262, cannot be asked here.
  private static func range(_ rules: Persona.TimeRules) -> String {
    if rules.earliest < -9_223_372_036 { return "any" }
    let late = rules.wrapsLateYears ? " (wraps)" : ""
    return "\(year(rules.earliest)) to \(year(rules.latest))\(late)"
      + (rules.clampsOnRemount ? ", by a remount" : "")
  }

  private static func year(_ seconds: Int64) -> Int {
    var time = tm()
    var value = time_t(seconds)
    gmtime_r(&value, &time)
    return Int(time.tm_year) + 1900
  }

  @Test("the tables are those that the data makes")
  func tables() throws {
    let text = String(decoding: try FileSystem.contents(of: Self.path), as: UTF8.self)
    var wanted = text
    for (mark, table) in [("faults", Self.faults), ("personas", Self.personas)] {
      let start = "<!-- \(mark) -->\n"
      let parts = wanted.split(separator: start, omittingEmptySubsequences: false)
      try #require(parts.count == 2, "one mark '\(mark)'")
      let end = try #require(parts[1].firstRange(of: "<!-- end -->"))
      wanted = parts[0] + start + table + parts[1][end.lowerBound...]
    }
    if getenv("HARNESS_RECORD") != nil {
      let file = try FileDescriptor.open(Self.path, .writeOnly)
      try file.writeAll(Array(wanted.utf8))
      try file.truncate(to: Int64(wanted.utf8.count))
      try file.close()
    }
    #expect(text == wanted, "record with HARNESS_RECORD=1 and read the difference")
  }
}
