import CFuseShims
import FaultModel
import Glibc
import SystemIO

/// Another way to a volume: a symbolic link, a bind mount, or a path below its root.
struct RigAlias {
  let name: String
  /// Where the link or the bind mount is.
  let path: BytePath
  let target: BytePath
  let way: VolumeSpec.Alias.Way?

  /// The path that the subject is given.
  var seenAt: BytePath { way == nil ? target : path }

  /// Makes the link or the bind mount; the kernel looks the target up on our own mount, so that
  /// the loop serves meanwhile.
  func make(served loop: RequestLoop) throws(SystemError) {
    switch way {
    case nil: break
    case .symlink:
      _ = path.withCString { Glibc.unlink($0) }
      // An earlier case may have had a mount here: its folder is empty.
      _ = path.withCString { rmdir($0) }
      let code = target.withCString { target in path.withCString { symlink(target, $0) } }
      guard code == 0 else { throw SystemError(call: "symlink", errno: .current, path: path) }
    case .bind:
      try FileSystem.makeDirectories(path)
      let result = Monitor<CInt>(0)
      let (from, to) = (target, path)
      try loop.serveWhile {
        let code = from.withCString { from in to.withCString { ff_bind(from, $0) } }
        result.update { $0 = code }
      }
      let code = result.read { $0 }
      guard code == 0 else {
        throw SystemError(call: "mount", errno: Errno(rawValue: code), path: path)
      }
    }
  }

  func end() {
    switch way {
    case nil: break
    case .symlink: _ = path.withCString { Glibc.unlink($0) }
    case .bind:
      _ = Mounts.detach(path)
      _ = path.withCString { rmdir($0) }
    }
  }
}
