import FaultModel
import HarnessKit
import Subjects
import SystemIO

/// The case of a replay file, ready to run, with its cards in a folder of their own.
public struct ReplayedCase: Sendable {
  public let planned: PlannedCase
  public let library: SuiteLibrary
  /// What is not as it was when the file was written, one line each.
  public let warnings: [String]
  private let cards: CardFolder

  /// Reads script and cards out of the file.
  ///
  /// - Throws: for a script that this build cannot read, or content of another generator.
  public init(_ replay: Replay) throws(ReplayError) {
    guard replay.generator == Content.generatorVersion else {
      throw .generator(replay.generator, known: Content.generatorVersion)
    }
    do throws(SystemError) {
      cards = try CardFolder(replay.cards)
    } catch {
      throw .unreadable(error)
    }
    library = SuiteLibrary(roots: [cards.held.path])
    let script: Script
    do throws(LibraryError) {
      script = try library.load(Array(replay.scriptText.utf8), name: replay.script)
    } catch {
      throw .script("\(error)")
    }
    guard let scriptCase = script.cases.first, script.cases.count == 1,
      let mode = Mode(rawValue: replay.mode)
    else { throw .missing("scriptText with one case, mode") }
    let slug = replay.id.split(separator: "/").last?.split(separator: "@").first
    var planned = PlannedCase(
      identity: CaseIdentity(
        script: replay.script, title: scriptCase.title, line: scriptCase.line, mode: replay.mode,
        slug: slug.map(String.init) ?? scriptCase.slug),
      script: script, scriptCase: scriptCase, mode: mode, subject: replay.subject,
      caughtBy: replay.isInverted == false
        ? nil : SubjectCatalogue.oracle(thatCatches: replay.subject))
    planned.isGated = replay.isGated
    self.planned = replay.tool.map(planned.judging) ?? planned
    warnings = Self.differences(replay)
  }

  private static func differences(_ replay: Replay) -> [String] {
    (replay.tool.map(difference) ?? [])
      + replay.personas.sorted { $0.key < $1.key }.compactMap { name, digest in
        guard let persona = Persona.named(name) else { return "persona \(name) is gone" }
        return persona.digest == digest
          ? nil : "persona \(name) has other rows than when the file was written"
      }
  }

  /// Another version of the tool, or none at all, in which case the run is blocked by itself.
  private static func difference(_ tool: ToolSpec) -> [String] {
    guard let now = try? ToolSubject(tool).spec.version, now != tool.version else { return [] }
    return ["the tool was \(tool.version) and is \(now)"]
  }

  /// Takes the folder of the cards away.
  public func removeCards() {
    // Nothing but our own small files lies there; what cannot go now is a stray temporary folder.
    try? ScratchFolder.remove(cards.held.path)
  }
}

/// Held for as long as the case is used: the run sweeps what nobody holds.
private final class CardFolder: Sendable {
  let held: WorkFolder

  init(_ cards: [String: String]) throws(SystemError) {
    held = try WorkFolder.make("custody-replay-")
    let tables = held.path.appending("Fixtures/cards")
    try FileSystem.makeDirectories(tables)
    let directory = try PinnedDirectory.open(tables)
    for (name, text) in cards {
      let file = try directory.openFile(
        BytePath(name + ".card"), .writeOnly, options: .exclusiveCreate)
      try file.writeAll(Array(text.utf8))
      try file.close()
    }
  }
}
