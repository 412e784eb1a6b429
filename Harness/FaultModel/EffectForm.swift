/// An effect as far as engines can tell it from others: what a broken engine must be shown by, one
/// by one.
public enum EffectForm: String, CaseIterable, Sendable {
  case fail
  case failPerformed = "fail performed"
  case failForgetting = "fail forgetting"
  case failLosing = "fail losing"
  case shortRead = "short read"
  case shortWrite = "short write"
  case shortRange = "short copyrange"
  case torn = "torn write"
  case corruptRead = "corrupt read"
  case corruptWrite = "corrupt write"
  case drop, lose
  case misdirect = "misdirect write to SIZE"
  case misdirectElsewhere = "misdirect write to TARGET"
  case stale, delay, hang
  case swap = "swap inode"
  case hide, duplicate, full, readonly, eject, remount, insert
  case crashSubsets = "crash keep subsets"
  case crashAll = "crash keep all"
  case crashNone = "crash keep none"
  case change
  case reportStat = "report stat"
  case reportReaddir = "report readdir"
  case reportStatfs = "report statfs"
  case reportSeek = "report lseek"
  case kill, terminate, stop
  case limitDescriptors = "limit subject descriptors"
  case limitMemory = "limit subject memory"
  case limitOutput = "limit subject stdout"
  case clock
}

extension Effect {
  /// The form that it has.
  public var form: EffectForm {
    switch self {
    case .fail(_, _, _, _, .plain): .fail
    case .fail(_, _, _, _, .performed): .failPerformed
    case .fail(_, _, _, _, .forgetting): .failForgetting
    case .fail(_, _, _, _, .losing): .failLosing
    case .short(.read, _, _): .shortRead
    case .short(.write, _, _): .shortWrite
    case .short(.copyrange, _, _): .shortRange
    case .tornWrite: .torn
    case .corrupt(.read, _, _): .corruptRead
    case .corrupt(.write, _, _): .corruptWrite
    case .drop: .drop
    case .lose: .lose
    case .misdirectWrite(_, .offset): .misdirect
    case .misdirectWrite(_, .target): .misdirectElsewhere
    case .stale: .stale
    case .delay: .delay
    case .hang: .hang
    case .swapInode: .swap
    case .hide: .hide
    case .duplicate: .duplicate
    case .full: .full
    case .readOnly: .readonly
    case .eject: .eject
    case .remount: .remount
    case .insert: .insert
    case .crash(_, .subsets), .crash(_, .only): .crashSubsets
    case .crash(_, .all): .crashAll
    case .crash(_, .none): .crashNone
    case .change: .change
    case .report(.stat): .reportStat
    case .report(.readdir): .reportReaddir
    case .report(.statfs): .reportStatfs
    case .report(.lseek): .reportSeek
    case .killSubject: .kill
    case .terminateSubject: .terminate
    case .stopSubject: .stop
    case .limitSubject(.descriptors, _): .limitDescriptors
    case .limitSubject(.memory, _): .limitMemory
    case .limitSubject(.stdout, _): .limitOutput
    case .clock: .clock
    }
  }
}
