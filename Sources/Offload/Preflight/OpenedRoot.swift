import SystemIO

/// A source or destination folder, pinned before anything is decided.
struct OpenedRoot: Sendable {
  /// Absolute, without links, `.` and `..`.
  let path: BytePath
  let handle: DirectoryHandle
  let metadata: Metadata
  let facts: VolumeFacts
  /// Where the folder lies inside its file system, so that two mounts of one disk compare.
  let place: VolumePlace?

  /// Opens the source. Links on the way to it are followed once, here.
  static func source(
    _ path: BytePath, _ facts: VolumeFactsProvider
  ) throws(Refusal) -> OpenedRoot {
    do throws(SystemError) {
      return try OpenedRoot(pinning: try FileSystem.resolve(path), facts)
    } catch {
      throw Refusal("the source cannot be opened: \(error)")
    }
  }

  /// Opens a destination: no component of its path may be a link.
  static func destination(
    _ path: BytePath, _ facts: VolumeFactsProvider
  ) throws(Refusal) -> OpenedRoot {
    let root: OpenedRoot
    let statistics: FileSystemStatistics
    do throws(SystemError) {
      root = try OpenedRoot(pinning: try cleaned(path), facts)
      statistics = try root.handle.directory.statistics()
      try root.handle.directory.checkAccess(writing: true)
    } catch {
      switch error.errno {
      case .noSuchFile:
        throw Refusal("the destination does not exist; make the folder first: \(path.escaped)")
      case .readOnly, .permissionDenied:
        throw Refusal("the destination cannot be written: \(error)")
      default: throw Refusal("the destination cannot be used: \(error)")
      }
    }
    if statistics.isReadOnly {
      throw Refusal("the destination is mounted read-only: \(path.escaped)")
    }
    if let why = ProtectedPaths.reason(against: root.path) {
      throw Refusal("\(path.escaped) is no place for a backup: \(why)")
    }
    return root
  }

  private init(pinning path: BytePath, _ facts: VolumeFactsProvider) throws(SystemError) {
    let directory = try PinnedDirectory.open(path)
    metadata = try directory.metadata()
    self.path = path
    handle = DirectoryHandle(directory)
    self.facts = facts.facts(for: path, mountID: metadata.mountID)
    place = VolumePlace(path, metadata)
  }

  /// Takes `.` and `..` out of a path. What `..` leaves must be a real folder: behind a link it
  /// would mean another one.
  private static func cleaned(_ path: BytePath) throws(SystemError) -> BytePath {
    var result: [BytePath] = []
    for component in path.components {
      switch component {
      case ".": continue
      case "..":
        let left = absolute(result)
        let kind = try FileSystem.metadata(left, followingLinks: false).kind
        guard kind == .directory else {
          throw SystemError(
            call: "openat", errno: .notDirectory, path: left,
            detail: kind == .symlink ? PinnedDirectory.linkDetail : "not a directory")
        }
        _ = result.popLast()
      default: result.append(component)
      }
    }
    return absolute(result)
  }

  private static func absolute(_ components: [BytePath]) -> BytePath {
    components.reduce("/") { $0.appending($1) }
  }
}

/// Where a folder lies inside its file system, whichever mount shows it.
struct VolumePlace: Sendable, Equatable {
  let device: UInt64
  let components: [BytePath]

  init(device: UInt64, components: [BytePath]) {
    self.device = device
    self.components = components
  }

  init?(_ path: BytePath, _ metadata: Metadata) {
    guard let mounts = try? MountTable.current(),
      let mount = metadata.mountID.flatMap({ mounts.entry(id: $0) })
        ?? mounts.entry(containing: path)
    else { return nil }
    let point = mount.mountPoint.components
    guard path.components.starts(with: point) else { return nil }
    device = mount.device
    components = mount.root.components + path.components.dropFirst(point.count)
  }

  /// True for the same folder and for one further up.
  func contains(_ other: VolumePlace) -> Bool {
    device == other.device && other.components.starts(with: components)
  }
}

/// Why a run is refused: nothing was written.
struct Refusal: Error {
  let reasons: [String]

  init(_ reason: String) {
    reasons = [reason]
  }

  init(_ reasons: [String]) {
    self.reasons = reasons
  }
}

/// Folders of the system that no backup belongs into (offload contract 27).
enum ProtectedPaths {
  private static let system: [BytePath] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/proc", "/sys",
    "/dev", "/etc", "/run",
  ]
  /// Below those, the places where volumes are mounted and temporary files are kept.
  private static let exempt: [BytePath] = ["/run/media", "/run/user", "/run/mount", "/dev/shm"]

  /// nil when the path is allowed.
  static func reason(against path: BytePath) -> String? {
    let components = path.components
    if components.isEmpty { return "the root of the system" }
    func isBelow(_ folder: BytePath) -> Bool { components.starts(with: folder.components) }
    if exempt.contains(where: isBelow) { return nil }
    return system.first(where: isBelow).map { "\($0.escaped) belongs to the system" }
  }
}
