/// A property that must hold after a case. It judges artefacts only, with code of its own, and
/// imports no engine.
public protocol Oracle: Sendable {
  /// The name in reports: `truth`, `no silence`, ...
  var name: String { get }
  /// One sentence: when the property holds.
  var summary: String { get }
  /// Every violation; none when the property holds.
  func check(_ artefacts: CaseArtefacts) -> [Finding]
}
