import FaultModel
import SystemIO
import Testing

@Suite("Cards") struct CardTests {
  static let standard = ["sony-m4", "p2", "red", "avchd"]

  @Test(
    "every card reads and fits a volume of 128 MiB twice", arguments: RepositoryPaths.cards.names)
  func fits(name: String) throws {
    let card = try RepositoryPaths.cards.card(named: name)
    #expect(card.byteCount <= 60 << 20)
    #expect(card.fileCount >= 2)
    #expect(!card.summary.isEmpty)
  }

  @Test("no card has two names that a case-blind volume takes for one", arguments: standard)
  func caseBlind(name: String) throws {
    let text = script("volume src persona exfat-linux capacity 128MiB", "expect verified")
      .replacing("sony-m4", with: name)
    let scriptCase = try ScriptParser.parse(text, name: "t").cases[0]
    let tree = try #require(
      TreeBuilder(cards: RepositoryPaths.cards).trees(for: scriptCase)["src"])
    #expect(tree.entries.count > 5)
  }

  @Test("a standard card has three clips of 9 MiB or more", arguments: ["sony-m4", "p2", "avchd"])
  func clips(name: String) throws {
    let card = try RepositoryPaths.cards.card(named: name)
    #expect(card.entries.count { $0.byteCount ?? 0 >= 9 << 20 } >= 3)
  }

  @Test("RED clips are pieces _001 to _012, the last one short")
  func red() throws {
    let card = try RepositoryPaths.cards.card(named: "red")
    let clip = card.entries.filter { $0.path.escaped.contains("C001_12236M_") }
    #expect(clip.count == 12)
    #expect(clip[0].path.lastComponent == "A004_C001_12236M_001.R3D")
    #expect(clip[11].path.lastComponent == "A004_C001_12236M_012.R3D")
    #expect(clip[11].byteCount ?? 0 < clip[0].byteCount ?? 0)
  }

  @Test("the empty folders of a P2 and a Sony card stay in the tree")
  func emptyFolders() throws {
    for (name, folder) in [
      ("p2", "CONTENTS/PROXY"), ("p2", "CONTENTS/VOICE"), ("sony-m4", "PRIVATE/M4ROOT/GENERAL"),
    ] {
      let card = try RepositoryPaths.cards.card(named: name)
      let entry = try #require(card.entries.first { $0.path == BytePath(folder) })
      #expect(entry.byteCount == nil)
      #expect(!card.entries.contains { $0.path.bytes.starts(with: (folder + "/").utf8) })
    }
  }

  @Test(
    "what is wrong in a table stands at its word",
    arguments: [
      ("custody-card 2\n", 1, 1, "version"), ("custody-card 1\na 5\n", 2, 4, "ends too early"),
      ("custody-card 1\na 5 now\n", 2, 5, "not a time"),
      ("custody-card 1\na big 2026-01-01T00:00:00Z\n", 2, 3, "not a size"),
      ("custody-card 1\n/a 5 2026-01-01T00:00:00Z\n", 2, 1, "not a path"),
      ("custody-card 1\na/ 5 2026-01-01T00:00:00Z\n", 2, 6, "too many words"),
      ("custody-card 1\na{2..1} 5 2026-01-01T00:00:00Z\n", 2, 1, "range"),
      ("custody-card 1\na{1..9999999} 5 2026-01-01T00:00:00Z\n", 2, 1, "range"),
      ("custody-card 1\na{1 5 2026-01-01T00:00:00Z\n", 2, 1, "range"),
      (
        "custody-card 1\na 5 2026-01-01T00:00:00Z\na 5 2026-01-01T00:00:00Z\n", 3, 1, "twice"
      ),
      ("custody-card 1\nsummary x\n", 2, 9, "quoted string"),
    ])
  func errors(text: String, line: Int, column: Int, message: String) throws {
    let error = try #require(throws: ScriptError.self) {
      _ = try CardLayout(text: Array(text.utf8), name: "bad")
    }
    #expect(error.message.contains(message), "\(error)")
    #expect(error.line == line && error.column == column, "\(error)")
  }

  @Test("a range keeps the width of its first number; quotes switch it off")
  func ranges() throws {
    let text = """
      custody-card 1
      f{08..11} 1 2026-01-01T00:00:00Z
      "g{1..2}" 1 2026-01-01T00:00:00Z
      """
    let card = try CardLayout(text: Array(text.utf8), name: "r")
    #expect(card.entries.map(\.path.escaped) == ["f08", "f09", "f10", "f11", "g{1..2}"])
  }

  @Test("an unknown card names the near ones")
  func unknown() throws {
    let error = try #require(throws: LibraryError.self) {
      _ = try RepositoryPaths.cards.card(named: "sony-m5")
    }
    guard case .unknown(_, _, let near, let known) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(near == ["sony-m4"] && known.contains("red"))
    #expect(throws: LibraryError.self) { try RepositoryPaths.cards.card(named: "../cards/red") }
  }
}
