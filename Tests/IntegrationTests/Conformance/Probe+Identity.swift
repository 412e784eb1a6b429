import Glibc
import SystemIO

extension Probe {
  /// Inode numbers, link counts, sizes.
  static let identity = [
    Probe("identity: inode after rename") { site in
      try site.make("f")
      let before = try site.status("f").st_ino
      try site.rename("f", "g")
      return try site.status("g").st_ino == before ? "the same" : "another"
    },
    Probe("identity: inode after a remount") { site in
      // Others first, so that a driver that counts from one comes to another number.
      for index in 0..<20 { try site.make(BytePath("other\(index)")) }
      try site.make("f")
      let before = try site.status("f").st_ino
      try site.remount()
      return try site.status("f").st_ino == before ? "the same" : "another"
    },
    Probe("identity: inode after the caches are dropped") { site in
      try site.make("f")
      let before = try site.status("f").st_ino
      // The kernel lets go of what it used a moment ago only after a few requests.
      for _ in 0..<8 {
        try dropCaches()
        if try site.status("f").st_ino != before { return "another" }
      }
      return "the same"
    },
    Probe("identity: inode of an open file after the caches are dropped") { site in
      try site.make("f")
      let file = try site.file("f", O_RDONLY)
      let before = try site.status("f").st_ino
      for _ in 0..<3 { try dropCaches() }
      let after = try site.status("f").st_ino
      try file.close()
      return after == before ? "the same" : "another"
    },
    Probe("identity: inodes of two empty files") { site in
      try site.make("f", "")
      try site.make("g", "")
      return try site.status("f").st_ino == site.status("g").st_ino ? "the same" : "two"
    },
    Probe("identity: inode after the first write") { site in
      try site.make("f", "")
      let before = try site.status("f").st_ino
      try site.make("f", "x")
      return try site.status("f").st_ino == before ? "the same" : "another"
    },
    Probe("identity: inode of a listing") { site in
      try site.make("f")
      let listed = try PinnedDirectory.open(FileSystem.resolve(site.folder)).list()
      let number = try site.status("f").st_ino
      return listed.first?.inode == UInt64(number) ? "that of stat" : "another"
    },
    Probe("identity: kinds of a listing") { site in
      try site.make("f")
      try site.makeFolder("g")
      let listed = try PinnedDirectory.open(FileSystem.resolve(site.folder)).list()
      return listed.sorted { $0.name < $1.name }.map { $0.kind?.rawValue ?? "unknown" }
        .joined(separator: " ")
    },
    Probe("identity: links of a file") { site in
      try site.make("f")
      return "\(try site.status("f").st_nlink)"
    },
    Probe("identity: links of an empty folder") { site in
      try site.makeFolder("d")
      return "\(try site.status("d").st_nlink)"
    },
    Probe("identity: links of a folder with two folders") { site in
      for name in ["d", "d/a", "d/b"] as [BytePath] { try site.makeFolder(name) }
      return "\(try site.status("d").st_nlink)"
    },
    Probe("identity: size of a folder") { site in
      try site.makeFolder("d")
      let status = try site.status("d")
      return "\(status.st_size) bytes, \(status.st_blocks) blocks"
    },
    Probe("identity: block size") { site in
      try site.make("f")
      return "\(try site.status("f").st_blksize)"
    },
    Probe("identity: blocks of 5 bytes") { site in
      try site.make("f")
      return "\(try site.status("f").st_blocks)"
    },
    Probe("identity: blocks of an empty file") { site in
      try site.make("f", "")
      return "\(try site.status("f").st_blocks)"
    },
  ]

  /// Makes the kernel forget what it knows of unused files, on every volume.
  private static func dropCaches() throws {
    let file = try FileDescriptor.open("/proc/sys/vm/drop_caches", .writeOnly)
    try file.writeAll(Array("2".utf8))
    try file.close()
  }
}
