import FaultModel
import Testing

/// What is known of each file system that no driver here confirms, and of what sets the measured
/// ones apart: written by hand from the references, so that a slip in a persona's data shows.
/// Rows are those of docs/fault-model.md.
enum PersonaTable {
  struct Row: Sendable, CustomTestStringConvertible {
    let persona: String
    let behaviour: String
    let wanted: String
    var testDescription: String { "\(persona): \(behaviour)" }
  }

  static let rows = text.flatMap { persona, lines in
    lines.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return Row(
        persona: persona, behaviour: String(parts[0]),
        wanted: String(parts.last?.dropFirst() ?? ""))
    }
  }

  private static let text: [(String, String)] = [
    (
      "xfs",
      """
      RENAME_EXCHANGE: works
      range: 1901 to 2486
      full volume: nothing more
      rename over a full folder: EEXIST
      links of a folder: folders
      open file removed: gone
      chown: kept
      """
    ),
    (
      "btrfs",
      """
      links of a folder: 1
      overwriting on a full volume: ENOSPC
      full volume: files and folders
      range: any
      sparse files: yes
      """
    ),
    (
      "exfat-linux",
      """
      RENAME_EXCHANGE: EINVAL
      looking for a bad name: ENOENT
      other spelling: the same inode
      open file removed: gone
      atime moved: by reads and listings
      """
    ),
    (
      "exfat-macos",
      """
      link: ENOTSUP
      symlink: ENOTSUP
      mkfifo: ENOTSUP
      xattr: works
      RENAME_NOREPLACE, free name: ENOTSUP
      RENAME_EXCHANGE: ENOTSUP
      chmod: ignored, 0777
      chown: ignored
      bad characters: EINVAL
      not UTF-8: EILSEQ
      longest name: 255 UTF-16 units
      case: kept, blind
      composition: none
      other spelling: another inode, same number
      mtime grain: 10 ms
      range: 1980 to 2107
      ctime: followsModification
      inode numbers: firstCluster
      sparse files: no
      sidecars: yes
      barriers: fat
      facts: exfat, cached
      rows: documented
      """
    ),
    (
      "fat32",
      """
      largest file: 4294967295
      mtime grain: 2 s
      atime grain, on the medium: 1 d, 1 d
      end of a name: dotsAndSpacesStripped
      looking for a bad name: ENOENT
      """
    ),
    (
      "ntfs-posix",
      """
      bad characters: none
      case: distinct
      mtime grain: 100 ns
      xattr: works
      fallocate: ENOTSUP
      sparse files: yes, not reported
      chmod: ignored, 0777
      chown: ignored
      inode numbers: stable
      open file removed: .fuse_hidden
      """
    ),
    (
      "ntfs-windows-names",
      """
      bad characters: EINVAL, devices too
      looking for a bad name: ENOENT
      end of a name: refused
      case: distinct
      """
    ),
    (
      "smb",
      """
      link: ENOTSUP
      case: kept, blind
      bad characters: EINVAL
      no room: told late
      open file removed: EBUSY
      inode numbers: perEviction
      RENAME_EXCHANGE: EINVAL
      facts: cifs, cached
      rows: documented
      """
    ),
    (
      "nfs",
      """
      link: works
      case: distinct
      no room: told late
      open file removed: .nfs
      chown: refused
      RENAME_NOREPLACE, free name: EINVAL
      facts: nfs4, cached
      rows: documented
      """
    ),
    (
      "hfsplus",
      """
      link: works
      composition: storesDecomposed
      case: kept, blind
      mtime grain: 1 s
      range: 1904 to 2040
      inode numbers: stable
      sparse files: no
      longest name: 255 UTF-16 units
      barriers: apfs
      facts: hfs, cached
      rows: documented
      """
    ),
    (
      "apfs",
      """
      link: works
      composition: insensitive
      case: kept, blind
      mtime grain: 1 ns
      inode numbers: stable
      sparse files: yes
      RENAME_NOREPLACE, free name: works
      RENAME_EXCHANGE: works
      barriers: apfs
      facts: apfs, cached
      rows: documented
      """
    ),
  ]
}
