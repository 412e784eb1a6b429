import Glibc
import SystemIO

extension Probe {
  /// Times: their steps, their range, and what moves them.
  static let times =
    steps
    + [
      ("the last second of 1979", 315_532_799), ("the first second of 1980", 315_532_800),
      ("1970", 86_401), ("1965", -157_766_399), ("the last second of 2107", 4_354_819_199),
      ("the first second of 2108", 4_354_819_200), ("2 January 2108", 4_354_905_600),
      ("2109", 4_400_000_001),
    ].flatMap { (what: String, second: Int) in
      [
        Probe("times: \(what)") { site in
          try site.make("f")
          let answer = set("f", access: second, modification: second, site)
          let status = try site.status("f")
          return "\(answer), mtime \(status.st_mtim.tv_sec), atime \(status.st_atim.tv_sec)"
        },
        Probe("times: \(what), after a remount") { site in
          try site.make("f")
          _ = set("f", access: second, modification: second, site)
          try site.remount()
          let status = try site.status("f")
          return "mtime \(status.st_mtim.tv_sec), atime \(status.st_atim.tv_sec)"
        },
      ]
    } + moved

  /// A second of 2026 that is odd, so that steps of two seconds show.
  private static let odd = 1_783_771_201
  private static let part = 987_654_321

  private static func set(
    _ name: BytePath, access: Int, modification: Int, nanoseconds: Int = 0, _ site: ProbeSite
  ) -> String {
    set(
      name,
      [
        timespec(tv_sec: access, tv_nsec: nanoseconds),
        timespec(tv_sec: modification, tv_nsec: nanoseconds),
      ], site)
  }

  private static func set(_ name: BytePath, _ times: [timespec], _ site: ProbeSite) -> String {
    site.answer(name) { utimensat(AT_FDCWD, $0, times, 0) }
  }

  private static func text(_ time: timespec) -> String {
    let digits = String(time.tv_nsec)
    return "\(time.tv_sec)." + String(repeating: "0", count: 9 - digits.count) + digits
  }

  private static let steps = [
    Probe("times: mtime as it was set") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, nanoseconds: part, site)
      return text(try site.status("f").st_mtim)
    },
    Probe("times: atime as it was set") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, nanoseconds: part, site)
      return text(try site.status("f").st_atim)
    },
    Probe("times: mtime after a remount") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, nanoseconds: part, site)
      try site.remount()
      return text(try site.status("f").st_mtim)
    },
    Probe("times: atime after a remount") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, nanoseconds: part, site)
      try site.remount()
      return text(try site.status("f").st_atim)
    },
    Probe("times: of a folder after a remount") { site in
      try site.makeFolder("d")
      _ = set("d", access: odd, modification: odd, nanoseconds: part, site)
      try site.remount()
      return text(try site.status("d").st_mtim)
    },
    Probe("times: only mtime set") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, site)
      let omitted = timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)
      let answer = set("f", [omitted, timespec(tv_sec: odd + 100, tv_nsec: 0)], site)
      let status = try site.status("f")
      return "\(answer), mtime +\(status.st_mtim.tv_sec - odd), "
        + "atime +\(status.st_atim.tv_sec - odd)"
    },
    Probe("times: set to now") { site in
      try site.make("f")
      _ = set("f", access: odd, modification: odd, site)
      let now = timespec(tv_sec: 0, tv_nsec: 0x3fff_ffff)
      return "\(set("f", [now, now], site)), mtime \(isMoved(try site.status("f")))"
    },
  ]

  private static func isMoved(_ status: stat) -> String {
    status.st_mtim.tv_sec == odd ? "as before" : "moved"
  }

  /// What an act does to the times of a file or folder that stood at `odd`.
  private static func moving(
    _ what: String, _ name: BytePath = "f", renamed: BytePath? = nil,
    _ act: @escaping @Sendable (ProbeSite) throws -> Void
  ) -> Probe {
    Probe("times: moved by \(what)") { site in
      try site.make("f")
      try site.makeFolder("d")
      try site.make("d/inner")
      _ = set(name, access: odd, modification: odd, site)
      try act(site)
      let status = try site.status(renamed ?? name)
      let isSame = status.st_ctim.tv_sec == status.st_mtim.tv_sec
      let access = status.st_atim.tv_sec == odd ? "as before" : "moved"
      return "mtime \(isMoved(status)), atime \(access), ctime "
        + (isSame ? "is mtime" : "is its own")
    }
  }

  private static let moved = [
    moving("utimensat") { _ in },
    moving("write") { site in
      let file = try site.file("f", O_WRONLY)
      try file.writeAll([1])
      try file.close()
    },
    moving("truncate") { site in try site.must("truncate", site.answer("f") { truncate($0, 1) }) },
    moving("chmod") { site in _ = site.answer("f") { chmod($0, 0o777) } },
    moving("rename", renamed: "g") { site in try site.rename("f", "g") },
    moving("read") { site in _ = try site.content("f") },
    moving("creating within", "d") { site in try site.make("d/new") },
    moving("unlink within", "d") { site in
      try site.must("unlink", site.answer("d/inner") { unlink($0) })
    },
    moving("mkdir within", "d") { site in try site.makeFolder("d/new") },
    moving("rename out of it", "d") { site in try site.rename("d/inner", "g") },
    moving("rename into it", "d") { site in try site.rename("f", "d/f") },
    moving("rename within", "d") { site in try site.rename("d/inner", "d/other") },
    moving("writing a file within", "d") { site in
      let file = try site.file("d/inner", O_WRONLY)
      try file.writeAll([1])
      try file.close()
    },
    moving("listing", "d") { site in _ = try site.listed("d") },
  ]
}
