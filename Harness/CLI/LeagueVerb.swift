import CommandLineKit
import HarnessKit
import Subjects
import Suites
import Synchronization
import SystemIO

/// `harness league`: the same cases for copy tools and for our own engine, as a table.
enum LeagueVerb {
  private static let scripts = Parameter.positional(
    "SCRIPT", .path, required: false, repeats: true,
    "scripts or personas as harness fault takes them; the script league unless said")
  private static let tools = Parameter.option(
    "--tools", "NAMES", .text,
    "presets with commas between them (harness list subjects), which must be installed; unless "
      + "said cp, rsync, rsync-checksum, rclone and tar, as far as they are")
  private static let markdown = Parameter.flag("--markdown", "the tables for a document")

  static let command = Command(
    "league", "Puts copy tools and our own engine under the same faults, and compares them",
    details: "A tool's exit code is all that it says: 0 claims that every regular file of the "
      + "source stands on the destination. Each cell is one word: right (nothing struck), retried "
      + "right (a fault struck, exit 0 is true), clean error, false alarm, silent loss (exit 0 "
      + "and files are wrong or missing), false verified (the same by a tool that compares what "
      + "it wrote), hang, source touched, harmed (what stood there before), litter left (parts "
      + "under final names, stray names), not exercised (the fault never met the tool).",
    parameters: [scripts.row, tools.row, markdown.row, ToolOptions.account.row] + RunOptions.rows,
    examples: [
      .init("harness league", "Every installed tool by the cases of the script league."),
      .init("harness league --tools rsync,rsync-checksum --markdown", "Two tools, as Markdown."),
      .init("harness league full-disk exfat --tools cp", "One tool by other scripts."),
    ],
    exitCodes: [
      .init("0", "every subject was judged in every case; what a tool does worse is a result"),
      .init("1", "our own engine failed a case"),
      .init("2", "the command line, a script, a card or the report folder cannot be used"),
      .init("3", "a named tool is missing, a case was blocked, or nothing was judged"),
      .init("4", "the harness itself is broken"),
      .init("130, 143", "interrupted; the report is written"),
    ])

  static func run(_ values: Arguments, _ console: Console) throws(UsageError) -> Int32 {
    var options = try RunOptions(values)
    let isJSON = options.hasJSON
    options.hasJSON = false
    let library = try Library.standard()
    let named = values.all(scripts)
    let suite = FaultSuite(named.isEmpty ? ["league"] : named, library: library)
    let choice = CaseChoice(seed: options.seed, modes: [.standard])
    let cases = try Library.cases(of: suite, choice).filter { options.admits($0.identity.id) }
    options.filters = []
    let contestants = try contestants(values, options, console)
    var known: Set<String> = []
    let rows = cases.map { (id: League.id(of: $0.identity), title: $0.identity.title) }
      .filter { known.insert($0.id).inserted }
    let collector = LeagueRecorder(League(contestants: contestants, cases: rows))
    var session = RunSession(verb: "league", options: options, library: library, console: console)
    if let name = values[ToolOptions.account] {
      session.account = try ToolOptions.account(named: name)
    }
    session.listener = collector
    session.rule = { collector.league.exitCode }
    let end = session.run(
      contestants.flatMap { contestant in
        cases.map { one in contestant.tool.map(one.judging) ?? one }
      })
    show(collector.league, isJSON: isJSON, isMarkdown: values.has(markdown), console)
    return end.code
  }

  // MARK: Who takes part

  /// Our own engine and the tools: the named ones, else those of the league that are installed.
  private static func contestants(
    _ values: Arguments, _ options: RunOptions, _ console: Console
  ) throws(UsageError) -> [League.Contestant] {
    var all: [League.Contestant] = [
      League.Contestant(name: OffloadSubject.name, identity: "custody copy, mode standard")
    ]
    let names = values[tools]?.split(separator: ",").map(String.init)
    for name in names ?? ToolPreset.all.filter(\.isInLeague).map(\.name) {
      guard let preset = ToolPreset.named(name), let spec = try? preset.spec() else {
        let near = NearNames.of(name, among: ToolPreset.all.map(\.name))
        throw UsageError(
          "harness league: no tool is named '\(name)'",
          remedy: near.isEmpty
            ? "The tools are \(ToolPreset.all.map(\.name).joined(separator: ", "))"
            : "Did you mean \(near.joined(separator: " or "))?")
      }
      if all.contains(where: { $0.name == name }) { continue }
      do throws(SubjectFailure) {
        let subject = try ToolSubject(spec)
        all.append(
          League.Contestant(name: name, identity: subject.identity, tool: subject.spec))
      } catch {
        if names == nil {
          console.complain("harness league: without \(name): \(error)")
        } else {
          all.append(League.Contestant(name: name, identity: "\(error)", tool: spec))
        }
      }
    }
    return all
  }

  // MARK: The tables

  private static func show(
    _ league: League, isJSON: Bool, isMarkdown: Bool, _ console: Console
  ) {
    if isJSON { return console.send(league.json) }
    if isMarkdown {
      let subjects = league.contestants.map { "- \($0.name): \($0.identity)\n" }.joined()
      let tables = [league.totals, league.matrix(isMarkdown: true)].map { rows in
        Listing(header: rows[0], rows: Array(rows.dropFirst())).markdown
      }
      return console.show(([subjects] + tables).joined(separator: "\n"))
    }
    for rows in [league.matrix(), league.totals] {
      var table = TextTable(header: rows[0])
      for row in rows.dropFirst() { table.add(row) }
      console.show(table.lines.joined(separator: "\n") + "\n\n")
    }
  }
}

/// Hears the results of a league.
private final class LeagueRecorder: Recorder {
  private let state: Mutex<League>

  var league: League { state.withLock { $0 } }

  init(_ league: League) {
    state = Mutex(league)
  }

  func record(_ event: Event) {
    guard case .caseFinished(let result) = event.kind else { return }
    state.withLock { $0.add(result) }
  }
}
