import FaultModel
import HarnessKit
import SystemIO

/// What several oracles derive from the same artefacts: truth, claims, and what the rig did.
struct CaseView {
  let artefacts: CaseArtefacts
  private let acts: [Place: Set<RigAct.Kind>]
  private let volumeActs: [String: Set<RigAct.Kind>]
  private let rules: [Rule]

  /// The source volume's name in every script.
  static let source = "src"

  /// One file on one volume.
  struct Place: Hashable {
    let volume: String
    let path: BytePath

    /// As findings show it: `dst:DCIM/a.mov`.
    var text: String { "\(volume):\(path.escaped)" }
  }

  init(_ artefacts: CaseArtefacts) {
    self.artefacts = artefacts
    var acts: [Place: Set<RigAct.Kind>] = [:]
    var volumeActs: [String: Set<RigAct.Kind>] = [:]
    for act in artefacts.acts {
      guard let path = BytePath(act.path) else { continue }
      if path.bytes.isEmpty {
        volumeActs[act.volume, default: []].insert(act.kind)
      } else {
        acts[Place(volume: act.volume, path: path), default: []].insert(act.kind)
      }
    }
    self.acts = acts
    self.volumeActs = volumeActs
    rules = artefacts.scriptCase.rules
  }

  // MARK: Source truth

  /// The files that a run has to copy, with what stood in them when it began: every regular file
  /// of the source but those in a desktop's folders at the root.
  func sourceFiles(run index: Int) -> [BytePath: TreeEntry] {
    copied(.file, run: index)
  }

  /// The folders that a run has to make.
  func sourceFolders(run index: Int) -> [BytePath] {
    Array(copied(.directory, run: index).keys)
  }

  private func copied(_ kind: TreeEntry.Kind, run index: Int) -> [BytePath: TreeEntry] {
    guard let tree = artefacts.state(beforeRun: index)[Self.source] else { return [:] }
    let skipped = Set(
      tree.entries.filter { $0.value.kind == .directory && OwnNames.isRootMetadata($0.key) }.keys)
    return tree.entries.filter { path, entry in
      guard entry.kind == kind, let root = path.components.first else { return false }
      return !skipped.contains(root)
    }
  }

  /// The digest that a safe copy has after a run: of the file as it was, or of its final state
  /// when the rig changed it (decision 6). nil when the source never held such a file.
  func truth(of path: BytePath, run index: Int) -> String? {
    let old = artefacts.state(beforeRun: index)[Self.source]?[path]
    let new = artefacts.runs[index].volatile[Self.source]?[path]
    let changed = hasAct([.changed, .swapped], Self.source, path)
    for entry in changed ? [new, old] : [old, new] {
      if let entry, entry.kind == .file { return entry.digest }
    }
    return nil
  }

  /// Every digest that a whole copy of the file may have: before and after a change.
  func wholeStates(of path: BytePath, run index: Int) -> Set<String> {
    let states = [
      artefacts.state(beforeRun: index)[Self.source], artefacts.before[Self.source],
      artefacts.runs[index].volatile[Self.source],
    ]
    return Set(states.compactMap { $0?[path] }.filter { $0.kind == .file }.map(\.digest))
  }

  /// True when every read of the source returns the same other bytes, which are the truth then;
  /// the oracles know their number, not their digest.
  func isSubstituted(_ path: BytePath) -> Bool {
    rules.contains { rule in
      rule.isStableSubstitution && hasFired(rule)
        && rule.effect.targets.contains { $0.volume == Self.source && $0.mayStrike(path) }
    }
  }

  // MARK: Claims

  /// The last word of a report on each file and destination; a failure is never taken back.
  func rows(run index: Int) -> [Place: SubjectReport.Row] {
    var result: [Place: SubjectReport.Row] = [:]
    for row in artefacts.runs[index].report.rows {
      let place = Place(volume: row.destination, path: row.path)
      if result[place]?.outcome == .failed && row.outcome != .failed { continue }
      result[place] = row
    }
    return result
  }

  /// What a run without any fault reaches on a destination: proof of the medium where the facts
  /// allow one, else a copy that nobody re-read cold (decision 4).
  func bestOutcome(on volume: String) -> SubjectReport.Row.Outcome {
    if artefacts.mode == .quick { return .copiedUnverified }
    guard let level = artefacts.personas[volume]?.facts.bestLevel else { return .verified }
    return Self.isProof(level) ? .verified : .copiedUnverified
  }

  /// True for the levels that show what the medium holds.
  static func isProof(_ level: String) -> Bool { level == "direct" || level == "evicted" }

  /// Every digest that a file may have on a destination that a tool claims by its exit code: what
  /// the source held when the run began, and what it holds at the end unless that is shorter or
  /// gone, since the bytes that it had are lost then.
  func claimedStates(of path: BytePath, run index: Int) -> Set<String> {
    guard let old = artefacts.state(beforeRun: index)[Self.source]?[path] else { return [] }
    var states: Set = [old.digest]
    if let new = artefacts.runs[index].volatile[Self.source]?[path], new.kind == .file,
      new.byteCount >= old.byteCount
    {
      states.insert(new.digest)
    }
    return states
  }

  // MARK: What the rig did

  /// True when the rig did one of these to the file, or to a folder above it.
  func hasAct(_ kinds: Set<RigAct.Kind>, _ volume: String, _ path: BytePath) -> Bool {
    var place: BytePath? = path
    while let current = place, !current.bytes.isEmpty {
      if acts[Place(volume: volume, path: current)]?.isDisjoint(with: kinds) == false {
        return true
      }
      place = current.parent
    }
    return false
  }

  /// True when the rig did one of these to something directly in this folder.
  func hasActInside(_ kinds: Set<RigAct.Kind>, _ volume: String, _ folder: BytePath) -> Bool {
    acts.contains { place, done in
      place.volume == volume && (place.path.parent ?? "") == folder && !done.isDisjoint(with: kinds)
    }
  }

  /// True when the rig did one of these to the whole volume.
  func hasVolumeAct(_ kinds: Set<RigAct.Kind>, _ volume: String) -> Bool {
    volumeActs[volume]?.isDisjoint(with: kinds) == false
  }

  /// True when another medium was put into the volume's place.
  func wasExchanged(_ volume: String) -> Bool {
    rules.contains { rule in
      guard case .insert(volume, .some) = rule.effect else { return false }
      return hasFired(rule)
    }
  }

  func hasFired(_ rule: Rule) -> Bool { (artefacts.fired[rule.id] ?? 0) > 0 }

  /// True when hard links work on the volume as far as the case goes: the persona has them and
  /// no rule makes link fail.
  func hasLinks(_ volume: String) -> Bool {
    guard let persona = artefacts.personas[volume], persona.linkError == nil else { return false }
    return !rules.contains { rule in
      guard case .fail(let operations, let target, _, _, _) = rule.effect else { return false }
      return operations.contains(.link) && target.volume == volume && hasFired(rule)
    }
  }

  /// True when the case says that no engine can see its fault and a rule may have struck this
  /// file: truth is not asked of it.
  func isUndetectable(_ path: BytePath, on volume: String, run index: Int) -> Bool {
    guard artefacts.runs[index].isUndetectable else { return false }
    // No barrier holds there: nothing of any file may be on the medium.
    if artefacts.personas[volume]?.barriers == .ignored { return true }
    return rules.contains { rule in
      guard hasFired(rule) else { return false }
      if rule.effect.wholeVolumes.contains(volume) { return true }
      return rule.effect.targets.contains { target in
        (target.volume == volume || target.volume == Self.source) && target.mayStrike(path)
      }
    }
  }
}

extension RunRecord {
  /// True when the script says that no engine can see the fault.
  var isUndetectable: Bool {
    expectations.contains { if case .undetectable = $0 { true } else { false } }
  }

  /// What the script asks of the run beside warnings; nil when it asks nothing.
  var asked: Expectation? {
    expectations.first { if case .warns = $0 { false } else { true } }
  }

  /// The destinations that a tool claims by its exit code; nil for a subject with a report.
  var claimedByExit: [String]? {
    if case .exitCode(let claimed, _) = claims { claimed } else { nil }
  }

  /// True for a tool whose exit code promises the medium.
  var promisesMedium: Bool {
    if case .exitCode(_, onMedium: true) = claims { true } else { false }
  }

  /// The exit code; nil when a signal ended the run.
  var exitCode: Int32? {
    if case .exited(let code) = ending { code } else { nil }
  }

  /// True when a rule killed the subject, so that it could leave no report.
  var wasKilledByRig: Bool {
    if case .signalled(_, byRig: true) = ending { true } else { false }
  }

  /// True when the subject said that it was interrupted, with its report.
  var wasInterrupted: Bool { exitCode == 130 || exitCode == 143 }
}
