import CommandLineKit
import FaultModel
import Oracles
import Subjects
import Suites
import Wire

/// `harness list`: what there is to name on a command line or in a script.
enum ListVerb {
  private static let kinds = [
    "faults", "effects", "personas", "scripts", "subjects", "oracles", "suites", "cards",
  ]
  private static let kind = Parameter.positional(
    "KIND", .oneOf(kinds), "what to list: \(kinds.joined(separator: ", "))")
  private static let markdown = Parameter.flag("--markdown", "a table for a document")
  private static let json = Parameter.flag("--json", "one JSON object")

  static let command = Command(
    "list", "Lists the faults, effects, personas, scripts, subjects, oracles, suites or cards",
    parameters: [kind.row, markdown.row, json.row],
    examples: [
      .init("harness list faults --markdown", "The catalogue of faults, as docs have it.")
    ],
    exitCodes: [.init("0", "always, unless the command line cannot be used (2)")])

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    let table = try table(values[kind, default: ""])
    if values.has(json) {
      let rows = table.rows.map { row in
        JSON.object(zip(table.header, row).map { JSON.Member($0, .text($1)) })
      }
      console.send(["listVersion": 1, "rows": .array(rows)])
    } else if values.has(markdown) {
      console.show(table.markdown)
    } else {
      var text = TextTable(header: table.header)
      for row in table.rows { text.add(row) }
      console.show(text.lines.joined(separator: "\n") + "\n")
    }
    return ExitCode.pass
  }

  private static func table(_ kind: String) throws(UsageError) -> Listing {
    switch kind {
    case "faults": return Listing.faults
    case "effects": return try effects(try Library.standard())
    case "personas":
      return Listing(
        header: ["persona", "facts", "rows", "summary"],
        rows: Persona.all.map {
          [
            $0.name, "\($0.facts.type), \($0.facts.bestLevel)",
            $0.isMeasured ? "measured" : "documented", $0.summary,
          ]
        })
    case "scripts": return try scripts(try Library.standard())
    case "subjects":
      return Listing(
        header: ["subject", "caught by", "summary"],
        rows: SubjectCatalogue.all.map { [$0.name, $0.caughtBy ?? "-", $0.summary] }
          + ToolPreset.all.map { ["--tool \($0.name)", "-", "\($0.summary): \($0.command)"] })
    case "oracles":
      return Listing(
        header: ["oracle", "holds when"],
        rows: OracleCatalogue.all.map { [$0.name, $0.summary] })
    case "suites":
      return Listing(
        header: ["suite", "summary"], rows: SuiteCatalogue.all.map { [$0.name, $0.summary] })
    default: return try cards(try Library.standard())
    }
  }

  private static func effects(_ library: SuiteLibrary) throws(UsageError) -> Listing {
    do throws(LibraryError) {
      return Listing(
        header: ["effect", "saboteur", "oracle", "case"],
        rows: try Exposure.all(library).map {
          [$0.form.rawValue, $0.saboteur, $0.oracle, $0.title]
        })
    } catch {
      throw UsageError("\(error)")
    }
  }

  private static func scripts(_ library: SuiteLibrary) throws(UsageError) -> Listing {
    var rows: [[String]] = []
    for name in library.names {
      do throws(LibraryError) {
        let script = try library.script(named: name)
        let runs = script.cases.reduce(0) { $0 + $1.preamble.modes.count }
        rows.append([name, String(script.cases.count), String(runs)])
      } catch {
        throw UsageError("\(error)")
      }
    }
    return Listing(header: ["script", "cases", "with modes"], rows: rows)
  }

  private static func cards(_ library: SuiteLibrary) throws(UsageError) -> Listing {
    var rows: [[String]] = []
    for name in library.cards.names {
      do throws(LibraryError) {
        let card = try library.cards.card(named: name)
        rows.append(
          [name, String(card.fileCount), ByteCount.text(card.byteCount), card.summary])
      } catch {
        throw UsageError("\(error)")
      }
    }
    return Listing(header: ["card", "files", "bytes", "summary"], rows: rows)
  }
}

/// Rows under a header.
struct Listing {
  let header: [String]
  let rows: [[String]]

  /// A Markdown table; a bar within a cell is escaped.
  var markdown: String {
    func line(_ cells: [String]) -> String {
      "| " + cells.map(Self.escaped).joined(separator: " | ") + " |\n"
    }
    return line(header) + line(header.map { _ in "---" }) + rows.map(line).joined()
  }

  private static func escaped(_ cell: String) -> String {
    cell.reduce(into: "") { text, character in
      text += character == "|" ? "\\|" : String(character)
    }
  }
}
