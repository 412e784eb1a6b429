import FaultModel
import SystemIO

/// One mount of a rig: a volume alone, or several as siblings below one root.
final class RigMount {
  let mountPoint: BytePath
  let members: [String]
  let options: FuseSession.Options
  /// What the session serves stays while the volumes behind it change from case to case.
  let slot: MountSlot
  /// nil while the medium is out.
  var session: FuseSession? { didSet { if session == nil { wasBare = true } } }
  /// Whether the unmount that was begun last is over; nil when none was.
  var isGone: Monitor<Bool>?
  /// The folder below could be reached since it was emptied last.
  private var wasBare = true
  /// The folder below the mount, opened before anything was mounted on it.
  let exposed: PinnedDirectory

  init(
    mountPoint: BytePath, members: [String], options: FuseSession.Options
  ) throws(SystemError) {
    self.mountPoint = mountPoint
    self.members = members
    self.options = options
    slot = MountSlot()
    try FileSystem.makeDirectories(mountPoint)
    exposed = try PinnedDirectory.open(mountPoint)
  }

  /// What lies in the folder that shows when the medium is out: nothing, unless a subject wrote
  /// past the mount.
  func exposedNames() throws(SystemError) -> [BytePath] {
    if !wasBare { return [] }
    return try exposed.reopen().list().map(\.name)
  }

  /// Empties that folder, which is ours, so that a case is not blamed for what one before it left.
  func clearExposed() throws(SystemError) {
    if !wasBare { return }
    try Self.clear(try exposed.reopen())
    // One that is made has no session yet, and is reached by nobody before it has.
    wasBare = false
  }

  private static func clear(_ folder: borrowing PinnedDirectory) throws(SystemError) {
    for entry in try folder.list() {
      if entry.kind == .directory {
        try clear(try folder.descend(entry.name))
        try folder.removeDirectory(entry.name)
      } else {
        try folder.unlink(entry.name)
      }
    }
  }

  /// True when a case with these needs can be served without a new mount.
  func fits(_ members: [String], _ options: FuseSession.Options) -> Bool {
    guard let session, !session.isOver, session.detachedError == nil else { return false }
    return self.members == members && options.cache == .none && self.options == options
  }
}

/// Passes requests on to what is mounted now.
final class MountSlot: Served {
  var target: (any Served)?

  func serve(_ request: Request) -> Settlement {
    target?.serve(request) ?? .reply(.error(.inputOutput))
  }

  func canonical(_ call: Request.Call) -> [UInt8] { target?.canonical(call) ?? [] }
}
