/// What is known of the volume that holds a path, and what may be concluded from it.
public struct VolumeFacts: Sendable, Hashable {
  /// The kernel's name of the type: `ext4`, `exfat`, `fuseblk`.
  public var type: String
  /// The best level that a read-back can reach here.
  public var bestLevel: VerificationLevel
  /// False where inode numbers change while a volume is mounted, or at the next mount.
  public var inodesLast: Bool
  /// False where ctime follows mtime or is lost: it proves nothing then.
  public var changeTimeIsReal: Bool
  /// The step of modification times in nanoseconds.
  public var modificationGrainNanoseconds: Int64
  public var isRemovable: Bool
  /// True when the caller said so, not the kernel.
  public var isGivenByCaller: Bool

  private static let networkTypes: Set<String> = [
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.davfs2", "fuse.glusterfs",
    "fuse.gvfsd-fuse", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs",
    "nfs", "nfs3", "nfs4", "smb3", "smbfs",
  ]

  /// True where another machine keeps the bytes, as far as the type tells.
  public var isNetwork: Bool { Self.networkTypes.contains(type) }

  public init(
    type: String, bestLevel: VerificationLevel, inodesLast: Bool, changeTimeIsReal: Bool,
    modificationGrainNanoseconds: Int64 = 1, isRemovable: Bool = false,
    isGivenByCaller: Bool = false
  ) {
    self.type = type
    self.bestLevel = bestLevel
    self.inodesLast = inodesLast
    self.changeTimeIsReal = changeTimeIsReal
    self.modificationGrainNanoseconds = modificationGrainNanoseconds
    self.isRemovable = isRemovable
    self.isGivenByCaller = isGivenByCaller
  }
}
