import FaultModel
public import SystemIO

/// The scripts or personas that `harness fault` names.
public struct FaultSuite: Suite {
  public let name: String
  public let summary = "the cases of a script, or the generic cases on a persona"
  /// Script names, paths of script files or persona names.
  public let names: [BytePath]
  public let library: SuiteLibrary

  public init(_ names: [BytePath], library: SuiteLibrary) {
    self.names = names
    self.library = library
    name = "fault"
  }

  public func cases(_ choice: CaseChoice) throws(SuiteError) -> [PlannedCase] {
    var cases: [PlannedCase] = []
    for name in names {
      cases += try Self.cases(of: try script(name), choice, library)
    }
    return cases
  }

  /// A script by its path (it has a slash) or name, else the generic one for a persona.
  func script(_ name: BytePath) throws(SuiteError) -> Script {
    let word = name.escaped
    do throws(LibraryError) {
      if name.bytes.contains(UInt8(ascii: "/")) { return try library.script(at: name) }
      if !library.names.contains(word), let persona = Persona.named(word) {
        return try library.load(Array(GenericScript.text(persona: persona).utf8), name: word)
      }
      return try library.script(named: word)
    } catch {
      throw .library(error)
    }
  }

  /// The planned cases of a script; every card that they name must be readable.
  static func cases(
    of script: Script, _ choice: CaseChoice, _ library: SuiteLibrary, caughtBy: String? = nil
  ) throws(SuiteError) -> [PlannedCase] {
    let planned: [PlannedCase]
    do throws(ScriptError) {
      planned = try PlannedCase.all(
        of: script, seed: choice.seed, card: choice.card, modes: choice.modes,
        destinations: choice.destinations, subject: choice.subject, caughtBy: caughtBy,
        parse: choice.card == nil
          ? ScriptParser.parse : ScriptLoader(cards: library.cards).load)
    } catch {
      throw .library(.text(error))
    }
    var checked: Set<String> = []
    for one in planned {
      guard case .named(let card) = one.scriptCase.preamble.card, checked.insert(card).inserted
      else { continue }
      do throws(LibraryError) {
        _ = try library.cards.card(named: card)
      } catch {
        throw .library(error)
      }
    }
    return planned
  }
}
