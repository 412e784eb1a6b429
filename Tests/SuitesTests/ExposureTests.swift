import FaultModel
import Glibc
import SystemIO
import Testing

@testable import Suites

/// The table of docs/oracles.md that says which broken engine shows each effect.
/// `HARNESS_RECORD=1` writes it anew.
@Suite struct ExposureTests {
  private static let page = LibraryTests.root.appending("docs/oracles.md")

  @Test("issue 3: every form of every effect shows a saboteur")
  func complete() throws {
    let shown = Set(try Exposure.all(LibraryTests.library).map(\.form))
    let missing = EffectForm.allCases.filter { !shown.contains($0) }
    #expect(missing.isEmpty, "a saboteur of FaultScripts/negative must need it: \(missing)")
  }

  @Test("every fault of the language has a form")
  func words() {
    let words = Set(EffectForm.allCases.map { $0.rawValue.split(separator: " ")[0] })
    #expect(words == Set(FaultCatalogue.all.map { Substring($0.name) }))
  }

  @Test("docs/oracles.md has the table that the scripts make")
  func table() throws {
    func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |\n" }
    let rows = try Exposure.all(LibraryTests.library).map {
      line([$0.form.rawValue, $0.saboteur, $0.oracle, $0.title])
    }
    let table =
      line(["effect", "saboteur", "oracle", "case"]) + line(["---", "---", "---", "---"])
      + rows.joined()
    let text = String(decoding: try FileSystem.contents(of: Self.page), as: UTF8.self)
    let parts = text.split(separator: "<!-- effects -->\n", omittingEmptySubsequences: false)
    try #require(parts.count == 2, "one mark 'effects'")
    let end = try #require(parts[1].firstRange(of: "<!-- end -->"))
    let wanted = parts[0] + "<!-- effects -->\n" + table + parts[1][end.lowerBound...]
    if getenv("HARNESS_RECORD") != nil {
      let file = try FileDescriptor.open(Self.page, .writeOnly, options: .truncate)
      try file.writeAll(Array(wanted.utf8))
      try file.close()
    }
    #expect(text == wanted, "record with HARNESS_RECORD=1 and read the difference")
  }
}
