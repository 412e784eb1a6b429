import CLinuxShims
import Glibc
import SystemIO

extension Probe {
  /// Renames and their flags.
  static let renames = [
    Probe("rename: over a file") { site in
      try site.make("a", "one")
      try site.make("b", "two")
      let answer = site.answer("a", "b") { Glibc.rename($0, $1) }
      return "\(answer), \(try site.names()), b holds \(try site.content("b"))"
    },
    Probe("rename: over an open file") { site in
      try site.make("a", "one")
      try site.make("b", "two")
      let open = try site.file("b", O_RDONLY)
      let answer = site.answer("a", "b") { Glibc.rename($0, $1) }
      var old = [UInt8](repeating: 0, count: 3)
      _ = try old.withUnsafeMutableBytes { try open.readAll(into: $0, at: 0) }
      let names = try site.names()
      try open.close()
      return "\(answer), \(names), the open one holds \(String(decoding: old, as: UTF8.self)), "
        + "then \(try site.settledNames())"
    },
    Probe("rename: of an open file") { site in
      let open = try site.file("a")
      try site.rename("a", "b")
      try open.writeAll(Array("late".utf8))
      try open.close()
      return "\(try site.names()), b holds \(try site.content("b"))"
    },
    Probe("rename: over an empty folder") { site in
      for name in ["d", "e"] as [BytePath] { try site.makeFolder(name) }
      try site.make("d/x")
      let answer = site.answer("d", "e") { Glibc.rename($0, $1) }
      return "\(answer), \(try site.names())"
    },
    Probe("rename: over a folder with files") { site in
      for name in ["d", "e"] as [BytePath] { try site.makeFolder(name) }
      try site.make("e/x")
      return site.answer("d", "e") { Glibc.rename($0, $1) }
    },
    Probe("rename: a file over a folder") { site in
      try site.make("f")
      try site.makeFolder("d")
      return site.answer("f", "d") { Glibc.rename($0, $1) }
    },
    Probe("rename: a folder over a file") { site in
      try site.make("f")
      try site.makeFolder("d")
      return site.answer("d", "f") { Glibc.rename($0, $1) }
    },
    Probe("rename: a folder into itself") { site in
      try site.makeFolder("d")
      return site.answer("d", "d/e") { Glibc.rename($0, $1) }
    },
    Probe("rename: a folder into another") { site in
      for name in ["d", "e"] as [BytePath] { try site.makeFolder(name) }
      try site.make("d/x")
      let answer = site.answer("d", "e/d") { Glibc.rename($0, $1) }
      return "\(answer), \(try site.names()), \(try site.names("e/d"))"
    },
    Probe("rename: to itself") { site in
      try site.make("f")
      return "\(site.answer("f", "f") { Glibc.rename($0, $1) }), \(try site.names())"
    },
    Probe("rename: of what is missing") { site in
      site.answer("f", "g") { Glibc.rename($0, $1) }
    },
    flagged("NOREPLACE, the name is taken", ["a", "b"], UInt32(ls_rename_noreplace)),
    flagged("NOREPLACE, the name is free", ["a"], UInt32(ls_rename_noreplace)),
    flagged("NOREPLACE, nothing to move", ["b"], UInt32(ls_rename_noreplace)),
    flagged("EXCHANGE", ["a", "b"], UInt32(ls_rename_exchange)),
    flagged("EXCHANGE, the other is missing", ["a"], UInt32(ls_rename_exchange)),
    flagged("WHITEOUT", ["a"], HiddenCalls.whiteout),
    flagged(
      "NOREPLACE with EXCHANGE", ["a", "b"], UInt32(ls_rename_noreplace | ls_rename_exchange)),
  ]

  /// renameat2(2) from `a` to `b` with flags, and what stands there then.
  private static func flagged(_ what: String, _ there: [BytePath], _ flags: UInt32) -> Probe {
    Probe("rename: \(what)") { site in
      for name in there { try site.make(name) }
      let answer = site.answer("a", "b") { ls_renameat2(ls_at_fdcwd, $0, ls_at_fdcwd, $1, flags) }
      return "\(answer), \(try site.names())"
    }
  }

  /// Removals and the errors of names that do not fit.
  static let removals = [
    Probe("remove: an open file") { site in
      let open = try site.file("f")
      try open.writeAll(Array("old".utf8))
      let answer = site.answer("f") { unlink($0) }
      let names = try site.names()
      var status = stat()
      fstat(open.rawValue, &status)
      try open.writeAll(Array("new".utf8))
      try open.close()
      return "\(answer), \(names), \(status.st_nlink) links, then \(try site.settledNames())"
    },
    Probe("remove: making the name of an open, removed file") { site in
      let open = try site.file("f")
      try site.must("unlink", site.answer("f") { unlink($0) })
      let answer = site.creating("f")
      try open.close()
      return "\(answer), \(try site.settledNames())"
    },
    Probe("remove: unlink of a folder") { site in
      try site.makeFolder("d")
      return site.answer("d") { unlink($0) }
    },
    Probe("remove: rmdir with files") { site in
      try site.makeFolder("d")
      try site.make("d/f")
      return site.answer("d") { rmdir($0) }
    },
    Probe("remove: rmdir of a file") { site in
      try site.make("f")
      return site.answer("f") { rmdir($0) }
    },
    Probe("remove: rmdir after its file") { site in
      try site.makeFolder("d")
      try site.make("d/f")
      try site.must("unlink", site.answer("d/f") { unlink($0) })
      return "\(site.answer("d") { rmdir($0) }), \(try site.names())"
    },
    Probe("remove: what is missing") { site in
      "\(site.answer("f") { unlink($0) }), \(site.answer("f") { rmdir($0) })"
    },
    Probe("remove: making a file in a removed folder") { site in
      try site.makeFolder("d")
      let folder = try site.file("d", O_RDONLY)
      try site.must("rmdir", site.answer("d") { rmdir($0) })
      return site.answer { ls_openat(folder.rawValue, "f", O_WRONLY | O_CREAT, 0o644) }
    },
    Probe("open: a folder for writing") { site in
      try site.makeFolder("d")
      return site.opening("d", O_WRONLY)
    },
    Probe("open: O_CREAT on a folder") { site in
      try site.makeFolder("d")
      return site.opening("d", O_WRONLY | O_CREAT)
    },
    Probe("open: a file as a folder") { site in
      try site.make("f")
      return "\(site.opening("f", O_RDONLY | ls_o_directory)), \(site.opening("f/x", O_RDONLY))"
    },
    Probe("open: mkdir over a file") { site in
      try site.make("f")
      return site.makingFolder("f")
    },
    Probe("open: O_TRUNC empties") { site in
      try site.make("f")
      let answer = site.opening("f", O_WRONLY | O_TRUNC)
      return "\(answer), \(try site.status("f").st_size) bytes"
    },
    Probe("open: O_APPEND goes to the end") { site in
      try site.make("f", "one")
      let file = try site.file("f", O_WRONLY | O_APPEND)
      try file.writeAll(Array("two".utf8))
      try file.close()
      return try site.content("f")
    },
  ]
}
