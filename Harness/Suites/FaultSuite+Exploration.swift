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
    return ExplorationTarget(
      cases: try cases(of: explored, choice, library),
      operations: Set(script.explorations.flatMap(\.operations)),
      depth: script.explorations.map(\.depth).max() ?? 1)
  }

  /// The script with a clean run for each outcome that its modes have.
  private static func withCleanCase(_ script: Script) -> String {
    let preamble = script.preamble
    let isProven = preamble.destinations.allSatisfy { spec in
      guard let persona = Persona.named(spec.persona) else { return true }
      let level = VolumeFacts.effectivePersona(
        VolumeFacts.Row(spec: spec, persona: persona, mountPoint: "/")
      ).facts.bestLevel
      return level == "direct" || level == "evicted"
    }
    let checked = preamble.modes.filter { $0 != .quick }
    var text = script.text
    if !text.hasSuffix("\n") { text += "\n" }
    if !checked.isEmpty {
      text += "case \"a clean run\"\n  modes \(words(checked))\n"
      text += "  expect \(isProven ? "verified" : "copied")\n"
    }
    if preamble.modes.contains(.quick) {
      text += "case \"a clean quick run\"\n  modes quick\n  expect copied\n"
    }
    return text
  }

  private static func words(_ modes: [Mode]) -> String {
    modes.map(\.rawValue).joined(separator: " ")
  }
}
