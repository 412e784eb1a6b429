import FaultModel

/// What befalls a volume, a file or the subject right before an operation.
extension LegalFaults {
  private static let tooLate = "the source changes after the engine's last look at it"
  private static let untouched = "somebody changes the copy after the engine's last look at it"

  func acts(_ operation: RecordedOperation) -> [Fault] {
    onVolume(operation) + onSubject(operation) + onFile(operation)
  }

  // MARK: Volumes

  private func onVolume(_ operation: RecordedOperation) -> [Fault] {
    let volume = operation.target.volume
    let moment = operation.moment
    var faults = [
      Fault("eject", "eject \(volume) \(moment)"),
      Fault("remount", "remount \(volume) \(moment)").coarse(),
      Fault("eject insert", ["eject \(volume) \(moment)", "insert \(volume) \(moment)"]).coarse(),
    ]
    // A clock shows in the times of what changes; an engine sets those that it promises.
    faults += [("clock ahead", "+26h"), ("clock back", "-26h")].map { name, jump in
      Fault(name, "clock \(volume) \(jump) \(moment)", .transparent).coarse()
    }
    if volume != "src" {
      // Only what changes something meets these.
      let isCoarse = !operation.operation.changesSomething
      faults += ["full", "readonly"].map { Fault($0, "\($0) \(volume) \(moment)").coarse(isCoarse) }
    }
    return faults
  }

  // MARK: The subject

  /// Fewer than it has open, so that nothing more can be opened.
  private static let descriptors = 4
  /// Less than it has, so that nothing more can be mapped.
  private static let memory = 1 << 20

  private func onSubject(_ operation: RecordedOperation) -> [Fault] {
    let moment = operation.moment
    var faults = [
      Fault("stop", "stop subject for 2ms \(moment)", .transparent).coarse(),
      Fault("limit descriptors", "limit subject descriptors \(Self.descriptors) \(moment)")
        .coarse(),
    ]
    guard traits.cleanOutcome != nil else { return faults }
    faults.append(Fault("kill", "kill subject \(moment)").endingRun())
    faults.append(Fault("terminate", "terminate subject \(moment)").endingRun().coarse())
    faults.append(
      Fault("limit memory", "limit subject memory \(Self.memory) \(moment)").endingRun().coarse())
    return faults
  }

  // MARK: Files

  private func onFile(_ operation: RecordedOperation) -> [Fault] {
    guard operation.entry == .file, operation.traits.contains(.isNamed),
      operation.kind == .file || operation.kind == .temporary
    else { return [] }
    let moment = operation.moment
    let target = operation.target.text
    let isSource = operation.target.volume == "src"
    let late = isSource ? Self.tooLate : Self.untouched
    // A temporary has none of its bytes yet: whatever befalls it, the read-back sees.
    let isEarly = operation.kind == .temporary && !traits.isUnchecked
    let seesName: Detectability =
      isEarly || recording.isLookedUpLater(operation) ? .detectable : .undetectable(late)
    // On a destination the engine sets the time of what it wrote, and quick mode looks no further.
    let isBlind = !isSource && traits.isUnchecked
    let seesInode: Detectability =
      !isBlind && (isEarly || recording.isStatedLater(operation))
      ? .detectable : .undetectable(late)
    var faults = [
      Fault(
        "swap", "swap inode \(target) bytes different \(moment)",
        isSource ? seesName : .detectable),
      Fault("change append", "change \(target) append 512 \(moment)", seesInode),
      Fault("change replace", "change \(target) replace \(moment)", seesName),
      Fault("change remove", "change \(target) remove \(moment)", seesName),
    ]
    if operation.byteCount > 0 {
      let count = min(512, operation.byteCount)
      faults += [
        Fault("change write", "change \(target) write 0+\(count) \(moment)", seesInode),
        Fault("change truncate", "change \(target) truncate 0 \(moment)", seesInode),
      ]
    }
    return faults.map { $0.perPhase() }
  }
}
