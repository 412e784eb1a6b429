import FaultModel

/// What a persona makes of times.
struct TimeKeeping {
  let rules: Persona.TimeRules

  /// A modification time as it is kept while mounted.
  func modification(_ time: Int64) -> Int64 { rules.modification(time) }

  func access(_ time: Int64) -> Int64 { rules.access(time) }

  /// Brings the times to what the medium holds of them.
  func remount(_ state: inout FileState) {
    state.modification = rules.modificationOnMedium(state.modification)
    state.access = rules.accessOnMedium(state.access)
    if rules.changeTime != .real { state.change = state.modification }
  }

  /// Sets the change time after a change at `now`.
  func changed(_ state: inout FileState, now: Int64) {
    switch rules.changeTime {
    case .real, .memoryOnly: state.change = now
    case .followsModification: state.change = state.modification
    }
  }
}
