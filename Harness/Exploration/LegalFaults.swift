import FaultModel
import SystemIO

/// Every fault that can strike a recorded operation and changes something there.
///
/// A rule that would change nothing never strikes, and its schedule would be *not exercised*: what
/// the recording says of the answer keeps such rules out.
struct LegalFaults {
  let traits: CaseTraits
  /// The whole recording, for what comes later and for what listings name.
  let recording: RecordingIndex

  func faults(of operation: RecordedOperation) -> [Fault] {
    if operation.isShadowed, operation.anchor == nil { return [] }
    return errors(operation) + transfers(operation) + losses(operation) + answers(operation)
      + acts(operation)
  }

  // MARK: Errors

  /// Errors that engines tell apart at an operation; the others mean no more than that it failed,
  /// and are tried once for each kind of thing.
  private static func isFine(_ errno: Errno, at operation: FaultModel.Operation) -> Bool {
    switch errno {
    case .inputOutput: true
    case .interrupted: retried.contains(operation)
    case .noSpace: [.write, .create, .mkdir, .link, .rename, .fsync, .close].contains(operation)
    case .noSuchFile: [.lookup, .open, .unlink].contains(operation)
    case .fileExists: [.create, .mkdir, .link, .rename].contains(operation)
    case .notPermitted, .notSupported, .crossDevice:
      [.link, .rename, .setattr, .setattrMode, .setattrTimes, .fsyncdir].contains(operation)
    case .invalid: [.open, .read, .rename, .fsyncdir].contains(operation)
    default: false
    }
  }

  /// A good engine goes on after EINTR here (scripts.md, decision 8).
  private static let retried: Set<FaultModel.Operation> = [.read, .write, .open, .fsync, .link]

  private func errors(_ operation: RecordedOperation) -> [Fault] {
    let words = "\(operation.operation.rawValue) \(operation.target.text)"
    var faults: [Fault] = []
    for errno in operation.operation.legalErrnos where errno != operation.errno {
      guard let name = errno.name else { continue }
      let isRetried =
        errno == .interrupted && operation.errno == nil
        && Self.retried.contains(operation.operation)
      faults.append(
        Fault(
          "fail \(name)", "fail \(words) with \(name) \(operation.clauses)",
          isRetried ? .transparent : .detectable
        ).coarse(!Self.isFine(errno, at: operation.operation)))
    }
    guard operation.errno == nil else { return faults }
    if operation.operation.changesSomething {
      faults.append(
        Fault("fail performed", "fail \(words) with EIO performed \(operation.clauses)"))
    }
    if operation.operation == .fsync {
      faults.append(
        Fault("fail forgetting", "fail \(words) with EIO forgetting \(operation.clauses)"))
    }
    if operation.operation == .close, !operation.byReader, operation.byteCount > 0 {
      faults.append(
        Fault("fail losing", "fail \(words) with EDQUOT losing last 4KiB \(operation.clauses)"))
    }
    if operation.nth == 1 {
      let by = operation.byReader ? " by reader" : ""
      faults.append(Fault("fail EIO always", "fail \(words) with EIO always\(by)"))
    }
    return faults
  }

  // MARK: Bytes

  private static let once = "the source is read once, so that no second read can differ"
  private static let unchecked = "nothing is read back in this mode"

  private func transfers(_ operation: RecordedOperation) -> [Fault] {
    guard let count = operation.answered, count > 0, let range = operation.range else { return [] }
    let target = operation.target.text
    let clauses = operation.clauses
    let half = max(1, count / 2)
    switch operation.operation {
    case .read:
      let isBlind = operation.target.volume == "src" && traits.readsSourceOnce
      let seen: Detectability = isBlind ? .undetectable(Self.once) : .detectable
      var faults = [Fault("short zero", "short read \(target) bytes 0 \(clauses)", seen)]
      if count > 1 {
        faults.append(Fault("short", "short read \(target) bytes \(half) \(clauses)", .transparent))
      }
      for form in Self.forms where count > 1 || form != "swapped" {
        faults.append(
          Fault("corrupt \(form)", "corrupt read \(target) as \(form) \(clauses)", seen))
      }
      return faults
    case .write:
      let seen: Detectability = traits.isUnchecked ? .undetectable(Self.unchecked) : .detectable
      var faults = [Fault("short zero", "short write \(target) bytes 0 \(clauses)")]
      if count > 1 {
        let stored = count > 512 ? 512 : half
        faults += [
          Fault("short", "short write \(target) bytes \(half) \(clauses)", .transparent),
          Fault("torn", "torn write \(target) bytes \(stored) \(clauses)", seen),
        ]
      }
      for form in Self.forms where count > 1 || form != "swapped" {
        faults.append(
          Fault("corrupt \(form)", "corrupt write \(target) as \(form) \(clauses)", seen))
      }
      let place = range.offset > 0 ? 0 : range.offset + UInt64(count)
      faults.append(Fault("misdirect", "misdirect write \(target) to \(place) \(clauses)", seen))
      if let other = recording.bystander(of: operation) {
        faults.append(
          Fault("misdirect elsewhere", "misdirect write \(target) to \(other) \(clauses)", seen))
      }
      return faults
    case .copyrange where count > 1:
      return [Fault("short", "short copyrange \(target) bytes \(half) \(clauses)", .transparent)]
    default: return []
    }
  }

  private static let forms = ["flip", "zeros", "junk", "swapped"]

  // MARK: Losses

  private static let barrier =
    "a barrier that is acknowledged and forgotten shows after a power cut only"
  private static let lost = "every reader sees it, and it is gone after a power cut"

  private func losses(_ operation: RecordedOperation) -> [Fault] {
    guard operation.errno == nil, operation.operation.changesSomething else { return [] }
    let words = "\(operation.operation.rawValue) \(operation.target.text) \(operation.clauses)"
    var faults: [Fault] = []
    let changes = operation.traits.contains(.changes)
    switch operation.operation {
    case .write where operation.answered ?? 0 > 0:
      let seen: Detectability = traits.isUnchecked ? .undetectable(Self.unchecked) : .detectable
      faults.append(Fault("drop", "drop \(words)", seen))
    case .fsync, .fsyncdir:
      if operation.traits.contains(.hasUnsynced) {
        faults.append(Fault("drop", "drop \(words)", .undetectable(Self.barrier)))
      }
    case .setattr, .setattrMode, .setattrTimes, .setattrSize, .xattr:
      if changes { faults.append(Fault("drop", "drop \(words)")) }
    case .unlink, .rmdir, .rename, .link, .fallocate:
      faults.append(Fault("drop", "drop \(words)"))
    default: break
    }
    let isLosable: Bool =
      switch operation.operation {
      case .write, .copyrange: operation.answered ?? 0 > 0
      case .setattr, .setattrMode, .setattrTimes, .setattrSize, .xattr: changes
      case .create, .mkdir, .mknod, .symlink, .link, .rename, .unlink, .rmdir, .fallocate: true
      default: false
      }
    if isLosable { faults.append(Fault("lose", "lose \(words)", .undetectable(Self.lost))) }
    return faults
  }

  // MARK: Answers

  private func answers(_ operation: RecordedOperation) -> [Fault] {
    let words = "\(operation.operation.rawValue) \(operation.target.text) \(operation.clauses)"
    var faults: [Fault] = [
      Fault(
        "delay",
        "delay \(operation.operation.rawValue) \(operation.target.text) for 2ms \(operation.clauses)",
        .transparent
      ).coarse(),
      Fault(
        "hang",
        "hang \(operation.operation.rawValue) \(operation.target.text) for 2ms \(operation.clauses)",
        .transparent
      ).coarse(),
    ]
    if operation.traits.contains(.hasPast) { faults.append(Fault("stale", "stale \(words)")) }
    guard operation.errno == nil else { return faults }
    if operation.operation == .stat, let entry = operation.entry {
      let target = operation.target.text
      let other = entry == .file ? "directory" : "file"
      for (field, value) in [
        ("type", other), ("ino", "4242"), ("nlink", "7"), ("ctime", Self.year),
      ] {
        faults.append(
          Fault(
            "report \(field)", "report stat \(target) \(field) \(value) \(operation.clauses)"
          ).coarse())
      }
    }
    if operation.operation == .stat, operation.entry == .file {
      let target = operation.target.text
      faults += [
        Fault(
          "report size",
          "report stat \(target) size \(operation.byteCount + 1) \(operation.clauses)"),
        Fault(
          "report mtime",
          "report stat \(target) mtime \(Self.year) \(operation.clauses)"),
      ]
    }
    if operation.operation == .statfs {
      faults.append(
        Fault("report free", "report statfs \(operation.target.volume) free 0 \(operation.clauses)")
      )
    }
    return faults + listings(operation)
  }

  private static let year = "2001-09-09T01:46:40Z"
  private static let hidden = "no other listing of the folder shows the entry"

  private func listings(_ operation: RecordedOperation) -> [Fault] {
    guard operation.operation == .readdir else { return [] }
    return operation.listed.flatMap { path -> [Fault] in
      let target = Target(volume: operation.target.volume, subject: .path(path)).text
      let kind = recording.kind(of: path, on: operation.target.volume)?.rawValue ?? "unknown"
      let isShown = recording.listings(of: path, on: operation.target.volume) > 1
      // On a destination nothing is known from its listings alone.
      let isBlind = !isShown && operation.target.volume == "src"
      return [
        Fault(
          "hide", "hide \(target) pass \(operation.pass)",
          isBlind ? .undetectable(Self.hidden) : .detectable
        ).about(kind),
        Fault("duplicate", "duplicate \(target) pass \(operation.pass)").about(kind),
        Fault("report entry type", "report readdir \(target) type unknown pass \(operation.pass)")
          .about(kind).coarse(),
      ]
    }
  }
}
