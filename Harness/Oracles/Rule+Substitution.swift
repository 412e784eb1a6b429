import FaultModel

extension Rule {
  /// True for a source that returns the same wrong bytes on every read, which makes them the
  /// truth (scripts.md decision 6): no clause lets one read differ from another.
  var isStableSubstitution: Bool {
    guard case .corrupt(.read, _, _) = effect, clauses.repetition == .always else { return false }
    return clauses.nth == nil && clauses.every == nil && clauses.pass == nil
      && clauses.chance == nil && clauses.by == nil && clauses.timing == nil
      && clauses.between == nil && clauses.percent == nil && clauses.afterBytes == nil
      && !clauses.afterEviction && !clauses.atEveryOperation
  }
}
