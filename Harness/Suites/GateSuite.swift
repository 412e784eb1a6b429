import FaultModel
import Subjects

/// What must hold before a change goes in: every script, and every engine that is broken on
/// purpose, which its oracle must catch.
public struct GateSuite: Suite {
  public let name = "gate"
  public let summary = "every script, and every broken engine with the oracle that must catch it"
  public let library: SuiteLibrary

  public init(library: SuiteLibrary) {
    self.library = library
  }

  public func cases(_ choice: CaseChoice) throws(SuiteError) -> [PlannedCase] {
    var cases: [PlannedCase] = []
    for name in library.names {
      cases += try FaultSuite.cases(
        of: try read { () throws(LibraryError) in
          try library.script(named: name)
        }, choice, library)
    }
    return cases + (try negativeCases(choice))
  }

  /// Every saboteur's script; a saboteur without one, or a script without one, is an error, since
  /// an oracle would go unproven.
  private func negativeCases(_ choice: CaseChoice) throws(SuiteError) -> [PlannedCase] {
    let names = library.negativeNames
    if let stray = names.first(where: { Saboteur.named($0) == nil }) {
      throw .library(
        .unknown(
          kind: "saboteur", name: stray, near: [], known: Saboteur.all.map(\.name)))
    }
    var cases: [PlannedCase] = []
    for saboteur in Saboteur.all where !names.isEmpty {
      let script = try read { () throws(LibraryError) in
        try library.negativeScript(named: saboteur.name)
      }
      var own = choice
      own.subject = saboteur.name
      cases += try FaultSuite.cases(of: script, own, library, caughtBy: saboteur.caughtBy)
    }
    return cases
  }

  private func read<Value>(
    _ body: () throws(LibraryError) -> Value
  ) throws(SuiteError) -> Value {
    do throws(LibraryError) {
      return try body()
    } catch {
      throw .library(error)
    }
  }
}
