/// A verb of a program: its table of parameters and what help says about it.
public struct Command: Sendable {
  /// The verb, `copy`.
  public let name: String
  /// What it does, as one sentence without a full stop.
  public let abstract: String
  /// More sentences for its own help; may be empty.
  public let details: String
  public let parameters: [ParameterRow]
  public let examples: [Example]
  public let exitCodes: [ExitCode]
  /// True for verbs that only our own processes start.
  public let isHidden: Bool

  /// A command line and what it does.
  public struct Example: Sendable {
    public let line: String
    public let meaning: String

    public init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// An exit code and when it is given.
  public struct ExitCode: Sendable {
    public let code: String
    public let meaning: String

    public init(_ code: String, _ meaning: String) {
      self.code = code
      self.meaning = meaning
    }
  }

  public init(
    _ name: String, _ abstract: String, details: String = "", parameters: [ParameterRow],
    examples: [Example] = [], exitCodes: [ExitCode] = [], hidden: Bool = false
  ) {
    let options = parameters.filter { !$0.isPositional }.map(\.name)
    precondition(Set(options).count == options.count, "a command names an option twice")
    let positionals = parameters.filter(\.isPositional)
    precondition(
      !positionals.dropLast().contains { $0.repeats }, "only the last positional may repeat")
    self.name = name
    self.abstract = abstract
    self.details = details
    self.parameters = parameters
    self.examples = examples
    self.exitCodes = exitCodes
    isHidden = hidden
  }
}

/// A program: its verbs and what its own help says.
public struct Program: Sendable {
  public let name: String
  public let abstract: String
  /// What `--version` prints, without a line feed.
  public let version: String
  public let commands: [Command]

  public init(_ name: String, _ abstract: String, version: String, commands: [Command]) {
    self.name = name
    self.abstract = abstract
    self.version = version
    self.commands = commands
  }
}
