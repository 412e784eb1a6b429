import Glibc
import SystemIO

extension Probe {
  /// Links and special files.
  static let links = [
    Probe("links: hard link") { site in
      try site.make("f")
      return site.answer("f", "g") { link($0, $1) }
    },
    Probe("links: symbolic link") { site in site.answer("g") { symlink("f", $0) } },
    Probe("links: readlink of a file") { site in
      try site.make("f")
      var byte: CChar = 0
      return site.answer("f") { CInt(readlink($0, &byte, 1)) }
    },
    Probe("links: fifo") { site in site.answer("p") { mkfifo($0, 0o644) } },
    Probe("links: socket") { site in site.answer("s") { mknod($0, S_IFSOCK | 0o644, 0) } },
    Probe("links: device") { site in site.answer("d") { mknod($0, S_IFCHR | 0o644, 0x103) } },
    Probe("links: mknod of a file") { site in
      let answer = site.answer("f") { mknod($0, S_IFREG | 0o644, 0) }
      return "\(answer), \(try site.names())"
    },
    Probe("links: what is left of the refused") { site in
      try site.make("f")
      _ = site.answer("f", "g") { link($0, $1) }
      _ = site.answer("h") { symlink("f", $0) }
      _ = site.answer("p") { mkfifo($0, 0o644) }
      return try site.names()
    },
  ]
}
