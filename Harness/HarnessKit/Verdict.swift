/// What a case came to. Only `pass` is green.
public enum Verdict: String, Sendable, Codable, CaseIterable {
  case pass
  case fail
  /// A fault never fired: nothing was shown.
  case notExercised = "not exercised"
  /// A requirement of the machine is missing; the reason names it.
  case blocked
  /// The harness itself failed.
  case broken
}

/// What one oracle found in one case.
public struct Finding: Sendable, Equatable {
  /// The oracle's name, as `harness list oracles` prints it.
  public let oracle: String
  /// One line for a person: the file, what was promised and what stands there.
  public let summary: String
  /// The files concerned, below the volume's root, prefixed by `VOLUME:`, escaped.
  public let files: [String]

  public init(oracle: String, summary: String, files: [String] = []) {
    self.oracle = oracle
    self.summary = summary
    self.files = files
  }
}
