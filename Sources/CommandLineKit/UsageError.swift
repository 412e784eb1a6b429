/// A command line that means nothing; the exit code for it is 2.
public struct UsageError: Error, Hashable, Sendable {
  /// What is wrong, one line.
  public let message: String
  /// What to do about it, one line; may be empty.
  public let remedy: String

  public init(_ message: String, remedy: String = "") {
    self.message = message
    self.remedy = remedy
  }
}

extension UsageError: CustomStringConvertible {
  /// The message, and the remedy on a second line.
  public var description: String { remedy.isEmpty ? message : message + "\n" + remedy }
}
