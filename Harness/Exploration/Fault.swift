import FaultModel

/// One fault at one recorded operation.
struct Fault {
  /// The column of the matrix: `fail EIO`, `torn`, `kill`.
  let name: String
  let rules: [String]
  let detectability: Detectability
  /// The first run is struck down, and a second one follows.
  var endsRun = false
  /// What else, beside the operation's own class, two faults must share to be taken for one.
  var detail = ""
  /// One for each kind of thing is enough: the phase makes no difference to it.
  var isCoarse = false
  /// One for each phase of a file is enough, whichever operation comes next.
  var isPerPhase = false

  init(_ name: String, _ rule: String, _ detectability: Detectability = .detectable) {
    self.init(name, [rule], detectability)
  }

  /// Several rules that strike at one moment, in their order.
  init(_ name: String, _ rules: [String], _ detectability: Detectability = .detectable) {
    self.name = name
    self.rules = rules
    self.detectability = detectability
  }
}

extension Fault {
  func coarse(_ isCoarse: Bool = true) -> Fault {
    var fault = self
    fault.isCoarse = isCoarse
    return fault
  }

  func perPhase() -> Fault {
    var fault = self
    fault.isPerPhase = true
    return fault
  }

  func about(_ detail: String) -> Fault {
    var fault = self
    fault.detail = detail
    return fault
  }

  func endingRun() -> Fault {
    var fault = self
    fault.endsRun = true
    return fault
  }
}
