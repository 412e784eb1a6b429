import FaultModel

/// What a persona makes of times.
struct TimeKeeping {
  let rules: Persona.TimeRules

  private static let second: Int64 = 1_000_000_000

  /// A modification time as it is kept while mounted.
  func modification(_ time: Int64) -> Int64 {
    grained(rules.clampsOnRemount ? time : clamped(time), rules.modificationGrain)
  }

  func access(_ time: Int64) -> Int64 {
    grained(rules.clampsOnRemount ? time : clamped(time), rules.accessGrain)
  }

  /// Brings the times to what the medium holds of them.
  func remount(_ state: inout FileState) {
    state.modification = grained(
      clamped(state.modification), max(rules.modificationGrain, rules.modificationGrainOnMedium))
    state.access = grained(clamped(state.access), rules.accessGrain)
    if rules.changeTime != .real { state.change = state.modification }
  }

  /// Sets the change time after a change at `now`.
  func changed(_ state: inout FileState, now: Int64) {
    switch rules.changeTime {
    case .real, .memoryOnly: state.change = now
    case .followsModification: state.change = state.modification
    }
  }

  private func clamped(_ time: Int64) -> Int64 {
    let (seconds, _) = time.quotientAndRemainder(dividingBy: Self.second)
    if seconds < rules.earliest { return rules.earliest * Self.second }
    if rules.latest < .max / Self.second, seconds > rules.latest { return rules.latest * Self.second }
    return time
  }

  private func grained(_ time: Int64, _ grain: Int64) -> Int64 {
    guard grain > 1 else { return time }
    let rest = time % grain
    return rest < 0 ? time - rest - grain : time - rest
  }
}
