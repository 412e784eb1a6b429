import CLinuxShims
import Glibc
import SystemIO

extension Probe {
  /// Barriers.
  static let syncs = [
    Probe("sync: fsync of a file") { site in
      let file = try site.file("f")
      try file.writeAll([1])
      return site.answer { fsync(file.rawValue) }
    },
    Probe("sync: fsync of a file open for reading") { site in
      try site.make("f")
      let file = try site.file("f", O_RDONLY)
      return site.answer { fsync(file.rawValue) }
    },
    Probe("sync: fdatasync of a file") { site in
      let file = try site.file("f")
      try file.writeAll([1])
      return site.answer { fdatasync(file.rawValue) }
    },
    Probe("sync: fsync of a folder") { site in
      let folder = try site.file("", O_RDONLY)
      return site.answer { fsync(folder.rawValue) }
    },
    Probe("sync: fdatasync of a folder") { site in
      let folder = try site.file("", O_RDONLY)
      return site.answer { fdatasync(folder.rawValue) }
    },
    Probe("sync: syncfs") { site in
      let folder = try site.file("", O_RDONLY)
      return site.answer { ls_syncfs(folder.rawValue) }
    },
  ]
}
