/// Every fault that scripts can name, as `harness list faults` and docs/fault-model.md show it.
public enum FaultCatalogue {
  /// One fault.
  public struct Entry: Sendable, Equatable {
    /// The word that begins the rule.
    public let name: String
    /// `disk` or `process`: which injector carries it out.
    public let plane: String
    /// The rule without its clauses.
    public let form: String
    /// What happens when it strikes.
    public let summary: String
  }

  /// All faults, in the order of the language.
  public static let all: [Entry] = EffectWord.allCases.map { word in
    let (form, summary) = word.description
    return Entry(
      name: word.rawValue, plane: word.isOnProcess ? "process" : "disk", form: form,
      summary: summary)
  }
}

extension EffectWord {
  fileprivate var isOnProcess: Bool {
    [.kill, .terminate, .stop, .limit, .clock].contains(self)
  }

  fileprivate var description: (form: String, summary: String) {
    switch self {
    case .fail:
      (
        "fail OPS TARGET with ERRNO [forced] [performed | forgetting | losing last SIZE]",
        "the operation answers an error; with the last words it was done all the same, the dirty "
          + "data is forgotten, or the last bytes are gone"
      )
    case .short:
      (
        "short read|write|copyrange TARGET [bytes SIZE]",
        "fewer bytes than asked, half unless said; zero is an early end of file"
      )
    case .torn:
      (
        "torn write TARGET [bytes SIZE]",
        "all bytes are acknowledged, only the first are stored, 512 unless said"
      )
    case .corrupt:
      (
        "corrupt read|write TARGET [as zeros|junk|flip|swapped]",
        "other bytes than the right ones are returned or stored, one flipped bit unless said"
      )
    case .drop: ("drop OPS TARGET", "acknowledged, never happens")
    case .lose: ("lose OPS TARGET", "visible at once, never durable, whatever is synced")
    case .misdirect:
      (
        "misdirect write TARGET to SIZE|TARGET",
        "the bytes land at another place or in another file"
      )
    case .stale:
      ("stale OP TARGET [for DURATION]", "the answer is the one from before the last change")
    case .delay: ("delay OPS TARGET for DURATION", "held for a while, then done")
    case .hang: ("hang OPS TARGET for DURATION", "held for a while; an interrupt gets EINTR")
    case .swap: ("swap inode TARGET [bytes same|different]", "another inode takes the name")
    case .hide: ("hide TARGET", "the entry is missing from a listing")
    case .duplicate: ("duplicate TARGET", "the entry stands twice in a listing")
    case .full: ("full VOLUME", "no space is left: statfs says so and writes answer ENOSPC")
    case .readonly: ("readonly VOLUME", "every change answers EROFS")
    case .eject:
      ("eject VOLUME", "the medium is pulled: what was not durable is gone, the empty parent shows")
    case .remount:
      ("remount VOLUME", "unmounted and mounted again: caches are cold, inodes have new numbers")
    case .insert:
      ("insert VOLUME [as VOLUME]", "the medium is put back, or another one in its place")
    case .crash:
      (
        "crash VOLUME[,VOLUME] [keep subsets|all|none|only N[,N]]",
        "the power goes; of what was not synced each allowed part, all or nothing is left"
      )
    case .change:
      (
        "change TARGET write RANGE | append SIZE | truncate SIZE | replace | symlink TEXT | remove "
          + "| add [restore-times]", "somebody else changes the file"
      )
    case .report:
      (
        "report stat|readdir TARGET FIELD VALUE, report statfs VOLUME FIELD VALUE, report lseek "
          + "TARGET hole|data RANGE", "a field of the answer says something else"
      )
    case .kill: ("kill subject", "SIGKILL at that moment")
    case .terminate: ("terminate subject", "SIGTERM at that moment")
    case .stop: ("stop subject for DURATION", "SIGSTOP, and SIGCONT after the while")
    case .limit:
      ("limit subject descriptors|memory|stdout N", "the subject gets little of a resource")
    case .clock: ("clock VOLUME +DURATION|-DURATION", "the volume's clock jumps")
    }
  }
}
