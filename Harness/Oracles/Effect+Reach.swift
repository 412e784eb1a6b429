public import FaultModel
public import HarnessKit
import SystemIO

extension Finding {
  /// True when it may come of these rules: it names a file that one of them is aimed at, or no file
  /// at all, or no rule is aimed at files.
  public func mayCome(of rules: [Rule]) -> Bool {
    let targets = rules.flatMap(\.effect.targets)
    if targets.isEmpty || files.isEmpty { return true }
    return files.contains { file in
      // `dst:CLIP/a.mov`
      guard let colon = file.firstIndex(of: ":") else { return false }
      let path = BytePath(String(file[file.index(after: colon)...]))
      return targets.contains { $0.mayStrike(path) }
    }
  }
}

extension Effect {
  /// The files that the effect is aimed at; empty for effects on whole volumes or the subject.
  var targets: [Target] {
    switch self {
    case .fail(_, let target, _, _, _), .short(_, let target, _), .tornWrite(let target, _),
      .corrupt(_, let target, _), .drop(_, let target), .lose(_, let target),
      .stale(_, let target, _), .delay(_, let target, _), .hang(_, let target, _),
      .swapInode(let target, _), .hide(let target), .duplicate(let target),
      .change(let target, _, _):
      [target]
    case .misdirectWrite(let target, .target(let other)): [target, other]
    case .misdirectWrite(let target, .offset): [target]
    case .report(.stat(let target, _, _)), .report(.readdir(let target, _, _)),
      .report(.lseek(let target, _, _)):
      [target]
    case .report(.statfs), .full, .readOnly, .eject, .insert, .remount, .crash, .killSubject,
      .terminateSubject, .stopSubject, .limitSubject, .clock:
      []
    }
  }

  /// The volumes that the effect strikes as a whole.
  var wholeVolumes: [String] {
    switch self {
    case .full(let volume), .readOnly(let volume), .eject(let volume), .insert(let volume, _),
      .remount(let volume), .clock(let volume, _), .report(.statfs(let volume, _, _)):
      [volume]
    case .crash(let volumes, _): volumes
    default: []
    }
  }
}

extension Rule {
  /// True for a source that returns the same wrong bytes on every read, which makes them the
  /// truth (scripts.md decision 6): no clause lets one read differ from another.
  var isStableSubstitution: Bool {
    guard case .corrupt(.read, _, _) = effect, clauses.repetition == .always else { return false }
    return clauses.nth == nil && clauses.every == nil && clauses.pass == nil
      && clauses.chance == nil && clauses.by == nil && clauses.timing == nil
      && clauses.between == nil && clauses.percent == nil && clauses.afterBytes == nil
      && !clauses.afterEviction && !clauses.atEveryOperation
  }
}
