extension Effect {
  /// The files that the effect is aimed at; empty for effects on whole volumes or the subject.
  public var targets: [Target] {
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
  public var wholeVolumes: [String] {
    switch self {
    case .full(let volume), .readOnly(let volume), .eject(let volume), .insert(let volume, _),
      .remount(let volume), .clock(let volume, _), .report(.statfs(let volume, _, _)):
      [volume]
    case .crash(let volumes, _): volumes
    default: []
    }
  }
}
