import FaultModel
import SystemIO

/// Power cuts, and the recording that their states come from.
extension Injector {
  /// A rule that wants states, not one crash, has the next run recorded.
  func recordFor(_ rule: ArmedRule) throws(RigError) {
    guard case .crash(let names, let keep) = rule.rule.effect, rule.isSweep || keep.needsLog
    else { return }
    try record(Set(names), keep: keep)
    recordingRule = rule
  }

  /// Records the destinations from now on until the run's end.
  func record(_ names: Set<String>, keep: CrashSubset) throws(RigError) {
    let all = volumes.compactMap { $0 as? FaultyVolume }
    if let unknown = names.first(where: { name in !all.contains { $0.name == name } }) {
      throw RigError("there is no volume \(unknown)")
    }
    recording = try CrashRecording(all, struck: names, keep: keep)
  }

  /// The subject dies and the volumes lose what was not synced; with `subsets` what they come up
  /// with is the runner's choice among the recorded states.
  func crash(_ names: [String], _ keep: CrashSubset) -> Bool {
    if keep.needsLog {
      guard let recording, !recording.isOver else { return false }
      recording.strike(isClaimed: isClaimed)
    }
    if isRunning { host.killSubject() }
    for name in names {
      volume(name)?.wasCut(keepingAll: keep == .all)
      record(.crashed, name, "")
      host.powerWasCut(volume: name)
    }
    return true
  }

  func crashStates(tearsLastWrite: Bool) throws(RigError) -> CrashStateList {
    guard let recording else { throw RigError("nothing was recorded") }
    return recording.states(tearsLastWrite: tearsLastWrite)
  }

  /// Brings every destination to one state; counts as a strike of the rule that asked for states.
  func install(crashState index: Int) throws(RigError) -> [String] {
    guard let recording else { throw RigError("nothing was recorded") }
    let (struck, kept) = try recording.install(index)
    for volume in struck {
      if !acts.contains(where: { $0.kind == .crashed && $0.volume == volume.name }) {
        record(.crashed, volume.name, "")
      }
      host.powerWasCut(volume: volume.name)
    }
    if let recordingRule, recordingRule.isSweep { recordingRule.tookHold(0) }
    return kept
  }

  /// The source files whose bytes were written in the run, by destination.
  var written: [String: Set<BytePath>] {
    var result: [String: Set<BytePath>] = [:]
    for case let volume as FaultyVolume in volumes {
      let paths = volume.writtenSources
      if !paths.isEmpty { result[volume.name] = paths }
    }
    return result
  }
}

extension ArmedRule {
  /// `crash ... at every op`: strikes no run, but is tried at each point of a recorded one.
  var isSweep: Bool {
    if case .crash = rule.effect { rule.clauses.atEveryOperation } else { false }
  }
}
