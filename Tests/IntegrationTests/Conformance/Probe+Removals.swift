import CLinuxShims
import Glibc
import SystemIO

extension Probe {
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
