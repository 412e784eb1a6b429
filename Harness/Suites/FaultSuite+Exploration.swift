import FaultModel

extension FaultSuite {
  /// What `--explore` does with the suite's scripts: their cases, and what their `explore` lines
  /// say. A script without a case is explored as a clean run.
  public func explorations(_ choice: CaseChoice) throws(SuiteError) -> [ExplorationTarget] {
    var targets: [ExplorationTarget] = []
    for name in names {
      targets.append(try Self.exploration(of: try script(name), choice, library))
    }
    return targets
  }

  static func exploration(
    of script: Script, _ choice: CaseChoice, _ library: SuiteLibrary
  ) throws(SuiteError) -> ExplorationTarget {
    var explored = script
    if script.cases.isEmpty {
      do throws(LibraryError) {
        explored = try library.load(Array(withCleanCase(script).utf8), name: script.name)
      } catch {
        throw .library(error)
      }
    }
    let cases = try cases(of: explored, choice, library)
    return ExplorationTarget(
      cases: try smallCases(for: cases, choice, library) + cases,
      operations: Set(script.explorations.flatMap(\.operations)),
      depth: script.explorations.map(\.depth).max() ?? 1)
  }

  /// The script with a clean run for each outcome that its modes have.
  private static func withCleanCase(_ script: Script) -> String {
    let preamble = script.preamble
    let checked = preamble.modes.filter { $0 != .quick }
    var text = script.text
    if !text.hasSuffix("\n") { text += "\n" }
    if !checked.isEmpty {
      text += "case \"a clean run\"\n  modes \(words(checked))\n"
      text += "  expect \(preamble.isProven ? "verified" : "copied")\n"
    }
    if preamble.modes.contains(.quick) {
      text += "case \"a clean quick run\"\n  modes quick\n  expect copied\n"
    }
    return text
  }

  // MARK: A small card

  /// For each set of volumes a clean copy of few files: most operations of a copy are the same
  /// there, and a schedule costs a tenth.
  private static func smallCases(
    for cases: [PlannedCase], _ choice: CaseChoice, _ library: SuiteLibrary
  ) throws(SuiteError) -> [PlannedCase] {
    var seen: Set<String> = []
    var small: [PlannedCase] = []
    for planned in cases {
      guard let text = planned.scriptCase.smallText(planned.mode, number: seen.count + 1),
        seen.insert(planned.scriptCase.volumeWords + planned.mode.rawValue).inserted
      else { continue }
      let script: Script
      do throws(LibraryError) {
        script = try library.load(Array(text.utf8), name: planned.script.name)
      } catch {
        throw .library(error)
      }
      let own = CaseChoice(subject: choice.subject)
      small += try Self.cases(of: script, own, library)
    }
    return small
  }

  private static func words(_ modes: [Mode]) -> String {
    modes.map(\.rawValue).joined(separator: " ")
  }
}

extension ScriptCase {
  /// Its volumes, one line each.
  fileprivate var volumeWords: String {
    preamble.volumes.map { "volume \($0.name) \($0.words)\n" }.joined()
  }

  /// A script with a card of few files on the volumes of the case, and nothing that goes wrong; nil
  /// where the card is small already, and where volumes are too small or no volumes of their own.
  fileprivate func smallText(_ mode: Mode, number: Int) -> String? {
    guard preamble.card != .empty,
      preamble.volumes.allSatisfy({
        $0.alias == nil && $0.inside == nil && $0.barriers != .ignored
          && $0.capacity ?? .max >= 16 << 20
      })
    else { return nil }
    let isProven = mode != .quick && preamble.isProven
    return """
      custody-fault 1
      card empty
      \(volumeWords)modes \(mode.rawValue)
      seed \(preamble.seed)
      headroom \(preamble.headroom)
      case "a small card \(number)"
        given src "CLIP/A/0001.MOV" bytes 20KiB
        given src "CLIP/A/0002.MOV" bytes 3KiB
        given src "CLIP/empty.XML" bytes 0
        expect \(isProven ? "verified" : "copied")

      """
  }
}

extension Preamble {
  /// The facts of every destination allow a proof of the medium.
  fileprivate var isProven: Bool {
    destinations.allSatisfy { spec in
      guard let persona = Persona.named(spec.persona) else { return true }
      let level = VolumeFacts.effectivePersona(
        VolumeFacts.Row(spec: spec, persona: persona, mountPoint: "/")
      ).facts.bestLevel
      return level == "direct" || level == "evicted"
    }
  }
}
