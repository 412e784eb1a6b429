/// One thing that a command takes: an option with a value, a flag or a positional argument.
///
/// It is a row of the command's table and the key to its values in `Arguments`.
public struct Parameter<Value: Sendable>: Sendable {
  /// The row without the type of its value.
  public let row: ParameterRow
  let kind: ValueKind<Value>
}

/// A row of a command's table of parameters.
public struct ParameterRow: Sendable {
  /// `--mode` for options and flags, `CARD` for a positional argument.
  public let name: String
  /// What stands for the value in help, `SIZE`; nil for a flag.
  public let valueName: String?
  /// One sentence for help, without a full stop.
  public let help: String
  /// True when the command cannot run without it.
  public let isRequired: Bool
  /// True when it may stand several times.
  public let repeats: Bool
  /// True when help leaves it out.
  public let isHidden: Bool
  let check: @Sendable ([UInt8]) -> BadValue?

  var isPositional: Bool { !name.hasPrefix("-") }
  var isFlag: Bool { valueName == nil }
}

extension Parameter {
  private init(
    _ name: String, _ valueName: String?, _ kind: ValueKind<Value>, required: Bool, repeats: Bool,
    hidden: Bool, _ help: String
  ) {
    self.kind = kind
    row = ParameterRow(
      name: name, valueName: valueName, help: help, isRequired: required, repeats: repeats,
      isHidden: hidden,
      check: { bytes in
        do throws(BadValue) {
          _ = try kind.read(bytes)
          return nil
        } catch {
          return error
        }
      })
  }

  /// An option with a value, written `--name VALUE` or `--name=VALUE`.
  public static func option(
    _ name: String, _ valueName: String, _ kind: ValueKind<Value>, required: Bool = false,
    repeats: Bool = false, hidden: Bool = false, _ help: String
  ) -> Parameter {
    precondition(name.hasPrefix("--"), "an option's name begins with two dashes")
    return Parameter(
      name, valueName, kind, required: required, repeats: repeats, hidden: hidden, help)
  }

  /// A positional argument; the last one may repeat.
  public static func positional(
    _ name: String, _ kind: ValueKind<Value>, required: Bool = true, repeats: Bool = false,
    _ help: String
  ) -> Parameter {
    Parameter(name, name, kind, required: required, repeats: repeats, hidden: false, help)
  }
}

extension Parameter where Value == Bool {
  /// An option without a value.
  public static func flag(_ name: String, hidden: Bool = false, _ help: String) -> Parameter {
    precondition(name.hasPrefix("--"), "a flag's name begins with two dashes")
    return Parameter(
      name, nil, ValueKind { _ throws(BadValue) in true }, required: false, repeats: false,
      hidden: hidden, help)
  }
}
