import FaultModel
import Glibc
import SystemIO

/// A second mount of one layer of a volume: read-only, without faults, raw names; for oracles and
/// outside tools, in the same loop.
struct RigView {
  let mountPoint: BytePath
  private let session: FuseSession
  private let made: Bool

  /// Mounts at a folder, which is made when it is missing.
  ///
  /// A place on one of our own mounts is refused by its text before any call touches it: the loop
  /// would wait for itself.
  init(
    serving served: any Served, at mountPoint: BytePath, loop: RequestLoop
  ) throws(SystemError) {
    try Self.refuse(mountPoint)
    let made = mountPoint.withCString { mkdir($0, 0o755) } == 0
    if !made && errno != EEXIST {
      throw SystemError(call: "mkdir", errno: .current, path: mountPoint)
    }
    do throws(SystemError) {
      session = try FuseSession(
        serving: served, at: mountPoint, options: FuseSession.Options(isReadOnly: true),
        keeper: loop)
    } catch {
      if made { _ = mountPoint.withCString { rmdir($0) } }
      throw error
    }
    self.mountPoint = mountPoint
    self.made = made
    try loop.add(session)
  }

  func end(_ loop: RequestLoop) {
    loop.remove(session)
    session.close()
    _ = Mounts.detach(mountPoint)
    if made { _ = mountPoint.withCString { rmdir($0) } }
  }

  private static func refuse(_ mountPoint: BytePath) throws(SystemError) {
    guard mountPoint.isAbsolute, !mountPoint.components.contains("..") else {
      throw SystemError(
        call: "mount", errno: .invalid, path: mountPoint, detail: "not an absolute path")
    }
    if let ours = Mounts.ours(holding: mountPoint) {
      throw SystemError(
        call: "mount", errno: Errno(rawValue: EBUSY), path: mountPoint,
        detail: "it lies on our own mount \(ours)")
    }
  }
}
