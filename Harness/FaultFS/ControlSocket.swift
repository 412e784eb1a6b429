import FaultModel
import Glibc
import SystemIO

/// A socket in the file system on which anyone who may open it gives a rig commands.
final class ControlSocket {
  private let path: BytePath
  private let listener: FileDescriptor
  private let rig: Rig
  private let commands: RigControl

  /// Listens; a path that exists is EADDRINUSE.
  init(at path: BytePath, rig: Rig, trees: TreeBuilder) throws(SystemError) {
    self.path = path
    self.rig = rig
    commands = RigControl(rig, trees: trees)
    // Commands move files about: they are for the owner alone.
    let mask = umask(0o177)
    defer { umask(mask) }
    listener = try UnixSocket.listen(at: path)
    try rig.loop.watchControl(listener.rawValue) { [unowned self] in
      guard let client = try? UnixSocket.accept(listener) else { return }
      try? commands.attach(ControlChannel(client)) {}
    }
  }

  func end() {
    rig.loop.unwatch(listener.rawValue)
    _ = path.withCString { Glibc.unlink($0) }
  }
}
