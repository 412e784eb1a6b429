import CLinuxShims
import Glibc
import SystemIO

extension Probe {
  /// Modes, owners and extended attributes.
  static let modes =
    [
      Probe("modes: of a file made with 0644") { site in
        try site.make("f")
        return octal(try site.status("f").st_mode)
      },
      Probe("modes: of a folder made with 0755") { site in
        try site.makeFolder("d")
        return octal(try site.status("d").st_mode)
      },
      Probe("modes: owner of a file") { site in
        try site.make("f")
        let status = try site.status("f")
        return "\(status.st_uid == getuid() ? "own" : "other") user, "
          + "\(status.st_gid == getgid() ? "own" : "other") group"
      },
      Probe("modes: chown to another user") { site in
        try site.make("f")
        return site.answer("f") { chown($0, 12_345, gid_t.max) }
      },
      Probe("modes: chown to another group") { site in
        try site.make("f")
        return site.answer("f") { chown($0, uid_t.max, 12_345) }
      },
      Probe("modes: chown to the same") { site in
        try site.make("f")
        return site.answer("f") { chown($0, getuid(), getgid()) }
      },
      Probe("modes: access for execution") { site in
        try site.make("f")
        return site.answer("f") { access($0, X_OK) }
      },
    ] + [0o600, 0o444, 0o755, 0o4755, 0o1777].map { mode in changing(mode) } + attributes

  private static func changing(_ mode: mode_t) -> Probe {
    Probe("modes: chmod 0\(String(mode, radix: 8))") { site in
      try site.make("f")
      let before = try site.status("f").st_mode
      let answer = site.answer("f") { chmod($0, mode) }
      let after = try site.status("f").st_mode
      return "\(answer), \(after == before ? "as before" : octal(after))"
    }
  }

  private static let attributes = [
    asking("set") { ls_fsetxattr($0, "user.a", "x", 1) },
    asking("get") { CInt(ls_fgetxattr($0, "user.a", nil, 0)) },
    asking("list") { CInt(ls_flistxattr($0, nil, 0)) },
    asking("remove") { ls_fremovexattr($0, "user.a") },
  ]

  private static func asking(
    _ what: String, _ call: @escaping @Sendable (CInt) -> CInt
  ) -> Probe {
    Probe("xattr: \(what)") { site in
      let file = try site.file("f")
      return site.answer { call(file.rawValue) }
    }
  }

  private static func octal(_ mode: mode_t) -> String {
    "0" + String(mode & 0o7777, radix: 8)
  }
}
