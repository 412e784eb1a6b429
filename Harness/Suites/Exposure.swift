public import FaultModel
import Subjects

/// An effect and an engine that is broken on purpose, which the effect shows: a case of
/// `FaultScripts/negative`.
///
/// The gate runs each of these cases and is red unless the oracle objects; a test runs each again
/// without the effect, and then the oracle must be silent.
public struct Exposure: Sendable, Equatable {
  public let form: EffectForm
  public let saboteur: String
  /// Who must object.
  public let oracle: String
  public let title: String
  /// Of the rule in the saboteur's script.
  public let line: Int

  /// Every one of a library, by effect in the order of the language, then by saboteur.
  public static func all(_ library: SuiteLibrary) throws(LibraryError) -> [Exposure] {
    var found: [Exposure] = []
    for saboteur in Saboteur.all {
      guard let oracle = saboteur.caughtBy, library.negativeNames.contains(saboteur.name) else {
        continue
      }
      for scriptCase in try library.negativeScript(named: saboteur.name).cases {
        found += scriptCase.rules.map { rule in
          Exposure(
            form: rule.effect.form, saboteur: saboteur.name, oracle: oracle,
            title: scriptCase.title, line: rule.line)
        }
      }
    }
    return EffectForm.allCases.flatMap { form in found.filter { $0.form == form } }
  }
}
