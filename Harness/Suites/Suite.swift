public import FaultModel

/// A named set of cases with the subjects that they judge.
public protocol Suite: Sendable {
  /// As the command names it.
  var name: String { get }
  /// One sentence.
  var summary: String { get }
  /// Every case, ready to run.
  func cases(_ choice: CaseChoice) throws(SuiteError) -> [PlannedCase]
}

/// What the command line says about the cases of a suite.
public struct CaseChoice: Sendable {
  /// Overrides the seeds of the scripts.
  public var seed: UInt64?
  /// Only these modes, whatever the script says.
  public var modes: [Mode]?
  /// The subject of cases that name none.
  public var subject: String
  /// Overrides the card of the scripts.
  public var card: String?
  /// At least so many destinations; nil for those of the scripts.
  public var destinations: Int?

  public init(
    seed: UInt64? = nil, modes: [Mode]? = nil, subject: String = "offload", card: String? = nil,
    destinations: Int? = nil
  ) {
    self.destinations = destinations
    self.seed = seed
    self.modes = modes
    self.subject = subject
    self.card = card
  }
}

/// The cases cannot be had: exit code 2.
public enum SuiteError: Error, Sendable {
  /// A script or card: unknown, wrong or unreadable.
  case library(LibraryError)
  case allowed(AllowedError)
}

extension SuiteError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .library(let error): return error.description
    case .allowed(let error): return error.description
    }
  }
}
