public import SystemIO

/// How a kind of file system behaves, as data (references: docs/fault-model.md).
public struct Persona: Sendable {
  /// As scripts name it: `exfat-linux`.
  public let name: String
  public let summary: String
  public var names: NameRules
  public var times: TimeRules
  public var inodes: InodePolicy
  /// nil: hard links work; else the answer of link.
  public var linkError: Errno?
  /// nil: symbolic links work; else the answer of symlink.
  public var symlinkError: Errno?
  /// nil: fifos and sockets work; else the answer of mknod.
  public var nodeError: Errno?
  /// nil: extended attributes work; else the answer.
  public var xattrError: Errno?
  /// nil: fallocate works; else the answer.
  public var fallocateError: Errno?
  /// nil: RENAME_NOREPLACE works; else the answer for a free target.
  public var noReplaceError: Errno?
  /// nil: RENAME_EXCHANGE works; else the answer for two names that are there.
  public var exchangeError: Errno?
  public var modes: ModeRule
  public var owners: OwnerRule
  /// The mode of everything on a volume that keeps none.
  public var shownMode: UInt16
  public var folderLinks: FolderLinks
  /// False: listings show no inode numbers (0xffffffff, as libfuse does).
  public var listsInodes: Bool
  public var isSparse: Bool
  /// False: lseek finds no hole, though there are some.
  public var reportsHoles: Bool
  /// What no longer can be made when nothing is free.
  public var entryRoom: EntryRoom
  /// Overwriting needs room.
  public var copiesOnWrite: Bool
  /// The answer of a rename over a folder with something in it.
  public var fullFolderError: Errno
  /// The largest file in bytes; above it EFBIG.
  public var largestFile: UInt64?
  /// A request that finds room for a part only is refused whole; else the part is written.
  public var writesWhole: Bool
  /// A write that finds no room is acknowledged; the next fsync or close says ENOSPC, once.
  public var reportsLate: Bool
  public var openRemoval: OpenRemoval
  public var spelling: Spelling
  public var barriers: Barriers
  /// An AppleDouble file `._NAME` of 4 KiB beside each file that a subject makes.
  public var makesSidecars: Bool
  public var facts: Facts
  /// True when a real driver on this machine confirms the rows.
  public var isMeasured: Bool

  /// What the engine is told of the volume (`--volume-facts`).
  public struct Facts: Sendable, Equatable {
    /// The kernel's name of the type: `ext4`, `exfat`, `vfat`, `fuseblk`, ...
    public var type: String
    /// The best read-back level that the facts allow: `evicted` (or `direct`), or `cached`.
    public var bestLevel: String

    public init(type: String, bestLevel: String) {
      self.type = type
      self.bestLevel = bestLevel
    }
  }

  /// Which names a volume takes, stores and tells apart.
  public struct NameRules: Sendable {
    /// Bytes that a name must not hold.
    public var forbidden: Set<UInt8>
    public var forbiddenError: Errno
    public var limit: Limit
    /// nil: any bytes; else the answer for a name that is not UTF-8.
    public var notUTF8Error: Errno?
    public var trailing: Trailing
    /// CON, NUL.txt, ... are refused as forbidden bytes are.
    public var refusesDevices: Bool
    /// Forbidden names may be looked for: they are missing like any other.
    public var findsForbidden: Bool
    public var isCaseSensitive: Bool
    public var normalisation: Normalisation

    /// The longest name.
    public enum Limit: Sendable, Equatable {
      case bytes(Int)
      case utf16Units(Int)
    }

    /// What becomes of dots and blanks at the end of a name.
    public enum Trailing: Sendable { case kept, dotsStripped, dotsAndSpacesStripped, refused }

    /// What a volume makes of composed and decomposed letters.
    public enum Normalisation: Sendable {
      /// Names are bytes: NFC and NFD are two files.
      case none
      /// Kept as given, compared after normalisation.
      case insensitive
      /// Stored and listed as NFD, but for what HFS+ keeps composed.
      case storesDecomposed
    }

    public init(
      forbidden: Set<UInt8> = [], forbiddenError: Errno = .invalid, limit: Limit = .bytes(255),
      notUTF8Error: Errno? = nil, trailing: Trailing = .kept, refusesDevices: Bool = false,
      findsForbidden: Bool = false, isCaseSensitive: Bool = true,
      normalisation: Normalisation = .none
    ) {
      self.forbidden = forbidden
      self.forbiddenError = forbiddenError
      self.limit = limit
      self.notUTF8Error = notUTF8Error
      self.trailing = trailing
      self.refusesDevices = refusesDevices
      self.findsForbidden = findsForbidden
      self.isCaseSensitive = isCaseSensitive
      self.normalisation = normalisation
    }
  }

  /// Steps and ranges of the times that a volume keeps.
  public struct TimeRules: Sendable {
    /// The step of the modification time in nanoseconds, while mounted and after a remount.
    public var modificationGrain: Int64
    public var modificationGrainOnMedium: Int64
    public var accessGrain: Int64
    public var accessGrainOnMedium: Int64
    /// Seconds since 1970; earlier and later times are clamped.
    public var earliest: Int64
    public var latest: Int64
    /// Clamped only by a remount, not at once.
    public var clampsOnRemount: Bool
    /// A year beyond `latest` comes back 128 years earlier instead of clamped.
    public var wrapsLateYears: Bool
    public var changeTime: ChangeTime
    /// A call that sets one of the two times succeeds and sets nothing.
    public var dropsSingleTimes: Bool
    public var accessMoves: AccessMoves
    /// A rename sets the modification time of the folders that it changes.
    public var renamesMoveFolders: Bool

    /// What the change time is worth.
    public enum ChangeTime: Sendable {
      case real
      /// Follows the modification time, utimens included: no detector of changes.
      case followsModification
      /// Real while mounted, lost at remount.
      case memoryOnly
    }

    /// What sets an access time that is no later than the last change, or a day old.
    public enum AccessMoves: Sendable { case never, byReads, byReadsAndListings }

    public init(
      modificationGrain: Int64 = 1, modificationGrainOnMedium: Int64? = nil,
      accessGrain: Int64 = 1, accessGrainOnMedium: Int64? = nil, earliest: Int64 = .min,
      latest: Int64 = .max, clampsOnRemount: Bool = false, wrapsLateYears: Bool = false,
      changeTime: ChangeTime = .real, dropsSingleTimes: Bool = false,
      accessMoves: AccessMoves = .never, renamesMoveFolders: Bool = true
    ) {
      self.modificationGrain = modificationGrain
      self.modificationGrainOnMedium = modificationGrainOnMedium ?? modificationGrain
      self.accessGrain = accessGrain
      self.accessGrainOnMedium = accessGrainOnMedium ?? accessGrain
      self.earliest = earliest
      self.latest = latest
      self.clampsOnRemount = clampsOnRemount
      self.wrapsLateYears = wrapsLateYears
      self.changeTime = changeTime
      self.dropsSingleTimes = dropsSingleTimes
      self.accessMoves = accessMoves
      self.renamesMoveFolders = renamesMoveFolders
    }
  }

  /// How long an inode number lasts.
  public enum InodePolicy: Sendable {
    case stable
    /// New numbers at each mount.
    case perMount
    /// New numbers at each mount and whenever the inode is forgotten by the kernel.
    case perEviction
    /// The place of the first cluster: all empty files show 1, and each gets a number by its first
    /// bytes.
    case firstCluster
  }

  /// What chmod does.
  public enum ModeRule: Sendable {
    case kept
    /// chmod answers success and changes nothing.
    case ignored
    /// The same, but EPERM for set-user-ID and the like.
    case onlyPermissionsIgnored
    case fails(Errno)
  }

  /// What chown to another owner does.
  public enum OwnerRule: Sendable {
    case kept
    /// EPERM.
    case refused
    /// Answers success and changes nothing.
    case ignored
  }

  /// The link count of a folder.
  public enum FolderLinks: Sendable, Hashable {
    case always(UInt32)
    /// 2 and one for each folder in it.
    case folders
    /// 2 and one for each entry.
    case entries
  }

  /// What no longer can be made on a full volume: a folder takes a block, or entries have room of
  /// their own, or no inode is left for either.
  public enum EntryRoom: Sendable { case none, folders, filesAndFolders }

  /// What becomes of a file that is removed, or replaced by a rename, while it is open.
  public enum OpenRemoval: Sendable, Hashable {
    /// Its name goes at once.
    case removed
    /// It stands under another name in the same folder until it is closed; listings show it.
    case renamed(prefix: String)
    case refused(Errno)
  }

  /// What the kernel sees under a spelling of a name that is not the one listed. Under one inode a
  /// rename from one spelling to the other does nothing, since both are the same file already.
  public enum Spelling: Sendable {
    case oneInode
    /// Another inode with the same number: renames to the other spelling are carried out.
    case ownInode
    /// Another inode with another number.
    case ownNumber
  }

  public init(
    name: String, summary: String, names: NameRules = NameRules(), times: TimeRules = TimeRules(),
    inodes: InodePolicy = .stable, linkError: Errno? = nil, symlinkError: Errno? = nil,
    nodeError: Errno? = nil, xattrError: Errno? = nil, fallocateError: Errno? = nil,
    noReplaceError: Errno? = nil, exchangeError: Errno? = nil, modes: ModeRule = .kept,
    owners: OwnerRule = .kept, shownMode: UInt16 = 0o755, folderLinks: FolderLinks = .folders,
    listsInodes: Bool = true, isSparse: Bool = true, reportsHoles: Bool = true,
    entryRoom: EntryRoom = .folders, copiesOnWrite: Bool = false,
    fullFolderError: Errno = .notEmpty, largestFile: UInt64? = nil, writesWhole: Bool = false,
    reportsLate: Bool = false,
    openRemoval: OpenRemoval = .removed, spelling: Spelling = .oneInode, barriers: Barriers,
    makesSidecars: Bool = false, facts: Facts, isMeasured: Bool = false
  ) {
    self.name = name
    self.summary = summary
    self.names = names
    self.times = times
    self.inodes = inodes
    self.linkError = linkError
    self.symlinkError = symlinkError
    self.nodeError = nodeError
    self.xattrError = xattrError
    self.fallocateError = fallocateError
    self.noReplaceError = noReplaceError
    self.exchangeError = exchangeError
    self.modes = modes
    self.owners = owners
    self.shownMode = shownMode
    self.folderLinks = folderLinks
    self.listsInodes = listsInodes
    self.isSparse = isSparse
    self.reportsHoles = reportsHoles
    self.entryRoom = entryRoom
    self.copiesOnWrite = copiesOnWrite
    self.fullFolderError = fullFolderError
    self.largestFile = largestFile
    self.writesWhole = writesWhole
    self.reportsLate = reportsLate
    self.openRemoval = openRemoval
    self.spelling = spelling
    self.barriers = barriers
    self.makesSidecars = makesSidecars
    self.facts = facts
    self.isMeasured = isMeasured
  }
}
