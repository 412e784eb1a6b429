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
}
