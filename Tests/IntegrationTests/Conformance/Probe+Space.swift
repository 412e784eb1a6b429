import CLinuxShims
import Glibc
import SystemIO

extension Probe {
  private static let mebibyte = 1 << 20

  /// Holes, reservations and the end of the room.
  static let space =
    [
      ("0", 0), ("keep size", HiddenCalls.keepSize),
      ("punch hole", HiddenCalls.punchHole | HiddenCalls.keepSize),
      ("zero range", HiddenCalls.zeroRange), ("collapse", HiddenCalls.collapse),
    ].map { (what: String, mode: CInt) in
      Probe("space: fallocate, \(what)") { site in
        try site.make("f", String(repeating: "x", count: 16_384))
        let file = try site.file("f", O_RDWR)
        return site.answer {
          HiddenCalls.allocate(file.rawValue, mode: mode, offset: 4096, count: 4096)
        }
      }
    } + holes + limits

  private static let holes = [
    Probe("space: blocks of 8 MiB by ftruncate") { site in
      let file = try site.file("f")
      try site.must("ftruncate", site.answer { ftruncate(file.rawValue, 8 * mebibyte) })
      return "\(try site.status("f").st_blocks)"
    },
    Probe("space: blocks of 5 bytes at 16 MiB") { site in
      let file = try site.file("f")
      try site.write("hello", to: file, at: 16 << 20)
      return "\(try site.status("f").st_blocks)"
    },
    Probe("space: what is read before a far write") { site in
      let file = try site.file("f")
      try site.write("hello", to: file, at: 100_000)
      let bytes = try FileSystem.contents(of: site.path("f"))
      return bytes.count == 100_005 && bytes[..<100_000].allSatisfy { $0 == 0 } ? "zeros" : "else"
    },
    Probe("space: what is read after truncate down and up") { site in
      try site.make("f", "hello")
      try site.must("truncate", site.answer("f") { truncate($0, 2) })
      try site.must("truncate", site.answer("f") { truncate($0, 5) })
      return try site.content("f") == "he\0\0\0" ? "zeros" : "else"
    },
    seeking("SEEK_HOLE from 0", ls_seek_hole, 0), seeking("SEEK_DATA from 0", ls_seek_data, 0),
    seeking("SEEK_HOLE in the hole", ls_seek_hole, 65_536),
    seeking("SEEK_DATA in the hole", ls_seek_data, 65_536),
    seeking("SEEK_HOLE from the end", ls_seek_hole, 1_048_581),
    seeking("SEEK_DATA from the end", ls_seek_data, 1_048_581),
  ]

  /// lseek(2) in a file with 5 bytes at 1 MiB and nothing before.
  private static func seeking(_ what: String, _ whence: CInt, _ offset: Int) -> Probe {
    Probe("space: \(what)") { site in
      let file = try site.file("f")
      try site.write("hello", to: file, at: 1 << 20)
      let place = lseek(file.rawValue, offset, whence)
      return place < 0 ? site.answer { -1 } : "\(place)"
    }
  }

  /// Writes pieces until nothing more goes in: short or not, and the error.
  @discardableResult
  private static func write(
    pieces count: Int, to file: borrowing FileDescriptor, _ site: ProbeSite
  ) -> String {
    let piece = [UInt8](repeating: 7, count: count)
    var wasShort = false
    for _ in 0..<100_000 {
      let count = piece.withUnsafeBytes { Glibc.write(file.rawValue, $0.baseAddress, $0.count) }
      if count < 0 { return (wasShort ? "short, then " : "") + site.answer { -1 } }
      if count < piece.count { wasShort = true }
    }
    return "never full"
  }

  /// Leaves no cluster free.
  private static func fill(_ file: borrowing FileDescriptor, _ site: ProbeSite) {
    for count in [1_000_003, 4096, 1] { write(pieces: count, to: file, site) }
  }

  private static let limits = [
    Probe("space: a write that does not fit") { site in
      let file = try site.file("f")
      let end = write(pieces: 1_000_003, to: file, site)
      let synced = site.answer { fsync(file.rawValue) }
      let raw = file.release()
      return "\(end), fsync \(synced), close \(site.answer { close(raw) })"
    },
    Probe("space: what is free after a write that does not fit") { site in
      let file = try site.file("f")
      write(pieces: 1_000_003, to: file, site)
      return try statistics(site).f_bfree == 0 ? "nothing" : "what was too little"
    },
    Probe("space: every byte before the end is kept") { site in
      let file = try site.file("f")
      fill(file, site)
      let end = lseek(file.rawValue, 0, SEEK_CUR)
      return try site.status("f").st_size == end ? "the size is what was written" : "another size"
    },
    Probe("space: making a file when full") { site in
      try site.makeFolder("d")
      let file = try site.file("f")
      fill(file, site)
      return site.creating("d/g")
    },
    Probe("space: making a folder when full") { site in
      let file = try site.file("f")
      fill(file, site)
      return site.makingFolder("g")
    },
    Probe("space: a byte in a new file when full") { site in
      try site.make("g", "")
      let file = try site.file("f")
      fill(file, site)
      let other = try site.file("g", O_WRONLY)
      return site.answer { CInt(Glibc.write(other.rawValue, "x", 1)) }
    },
    Probe("space: overwriting when full") { site in
      try site.make("g", "hello")
      let file = try site.file("f")
      fill(file, site)
      let other = try site.file("g", O_WRONLY)
      return site.answer { CInt(Glibc.write(other.rawValue, "x", 1)) }
    },
    Probe("space: rename when full") { site in
      try site.make("g")
      let file = try site.file("f")
      fill(file, site)
      return site.answer("g", "a name that is longer than the other") { Glibc.rename($0, $1) }
    },
    Probe("space: room after unlink of what filled it") { site in
      let file = try site.file("f")
      fill(file, site)
      try file.close()
      try site.must("unlink", site.answer("f") { unlink($0) })
      // The driver hears of the close later.
      for _ in 0..<500 {
        if try statistics(site).f_bfree > 0 { break }
        usleep(10_000)
      }
      try site.make("g", "hello")
      return try site.content("g")
    },
    Probe("space: free blocks when full") { site in
      let file = try site.file("f")
      fill(file, site)
      let statistics = try statistics(site)
      return "\(statistics.f_bfree == 0 ? "none" : "some") free, "
        + "\(statistics.f_bavail == 0 ? "none" : "some") available"
    },
    Probe("space: ftruncate beyond the room") { site in
      let file = try site.file("f")
      return site.answer { ftruncate(file.rawValue, 1 << 30) }
    },
    Probe("space: write beyond the room") { site in
      let file = try site.file("f")
      return site.answer { CInt(pwrite(file.rawValue, "x", 1, 1 << 30)) }
    },
    Probe("statvfs: block size") { site in
      let statistics = try statistics(site)
      return "\(statistics.f_bsize), \(statistics.f_frsize)"
    },
    Probe("statvfs: longest name") { site in "\(try statistics(site).f_namemax)" },
    Probe("statvfs: number of files") { site in
      let statistics = try statistics(site)
      return statistics.f_files == statistics.f_blocks ? "as many as blocks" : "another"
    },
    Probe("statvfs: free blocks after 1 MiB") { site in
      let before = try statistics(site).f_bfree
      let file = try site.file("f")
      try file.writeAll([UInt8](repeating: 7, count: mebibyte))
      try site.must("fsync", site.answer { fsync(file.rawValue) })
      return "\(before - (try statistics(site).f_bfree)) fewer"
    },
  ]

  private static func statistics(_ site: ProbeSite) throws -> statvfs {
    var statistics = statvfs()
    try site.must("statvfs", site.answer("") { statvfs($0, &statistics) })
    return statistics
  }
}
