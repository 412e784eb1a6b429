/// The values that a command line gave to a command's parameters, all of them checked.
public struct Arguments: Sendable {
  var values: [String: [[UInt8]]] = [:]

  /// The value of a parameter, the first one when it repeats; nil when it was not given.
  public subscript<Value>(parameter: Parameter<Value>) -> Value? {
    self.all(parameter).first
  }

  /// The value of a parameter, or another one when it was not given.
  public subscript<Value>(parameter: Parameter<Value>, default other: Value) -> Value {
    self[parameter] ?? other
  }

  /// True when the flag was given.
  public func has(_ flag: Parameter<Bool>) -> Bool { values[flag.row.name] != nil }

  /// Every value of a parameter, in the order given.
  public func all<Value>(_ parameter: Parameter<Value>) -> [Value] {
    // Parsing has checked each one with the same reader.
    (values[parameter.row.name] ?? []).compactMap { try? parameter.kind.read($0) }
  }
}
