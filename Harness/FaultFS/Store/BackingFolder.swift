import FaultModel
import Glibc
import SystemIO

/// A real folder that holds the files of a backed volume, under the names that the volume shows.
///
/// Nobody else changes it while the volume is mounted. Every call pins its folder by descending
/// from the root one name at a time, never through a symbolic link. Calls are made when they are
/// needed, on the loop: slow storage below slows every mount of the rig.
final class BackingFolder {
  let path: BytePath
  private let root: PinnedDirectory
  /// The first trouble with the folder itself; a snapshot after it is not to be trusted.
  private(set) var trouble: SystemError?
  private var resting: [BackingFile] = []

  /// Open files that have a name are closed beyond this number.
  private static let openLimit = 256

  init(_ path: BytePath) throws(SystemError) {
    self.path = path
    try FileSystem.makeDirectories(path)
    root = try PinnedDirectory.open(try FileSystem.resolve(path))
  }

  /// Notes what went wrong. A full disk below is an answer like any other.
  func note(_ error: SystemError) {
    if trouble == nil, error.errno != .noSpace, error.errno != .quotaExceeded { trouble = error }
  }

  func opened(_ file: BackingFile) {
    resting.append(file)
    guard resting.count > Self.openLimit else { return }
    for old in resting.prefix(Self.openLimit / 2) { old.rest() }
    resting.removeFirst(Self.openLimit / 2)
  }

  func folder(_ path: BytePath) throws(SystemError) -> PinnedDirectory { try root.descend(path) }

  /// Opens a file for both; for reading only where it may not be written.
  func openFile(_ path: BytePath) throws(SystemError) -> FileDescriptor {
    let parent = try folder(path.parent ?? "")
    do throws(SystemError) {
      return try parent.openFile(path.lastComponent, .readWrite)
    } catch {
      guard error.errno == .permissionDenied || error.errno == .readOnly else { throw error }
      return try parent.openFile(path.lastComponent, .readOnly)
    }
  }

  func makeFifo(_ path: BytePath, mode: UInt16) throws(SystemError) {
    let parent = try folder(path.parent ?? "")
    let done = path.lastComponent.withCString {
      mkfifoat(parent.descriptor.rawValue, $0, mode_t(mode))
    }
    if done != 0 { throw SystemError(call: "mkfifoat", errno: .current, path: path) }
  }

  func remove(_ path: BytePath, isFolder: Bool) throws(SystemError) {
    let parent = try folder(path.parent ?? "")
    if isFolder {
      try empty(path)
      try parent.removeDirectory(path.lastComponent)
    } else {
      try parent.unlink(path.lastComponent)
    }
  }

  /// Removes everything below a folder, but for one entry.
  func empty(_ path: BytePath, except spared: BytePath? = nil) throws(SystemError) {
    let place = try folder(path)
    for entry in try place.list() where entry.name != spared {
      let kind = try place.metadata(of: entry.name).kind
      try remove(path.appending(entry.name), isFolder: kind == .directory)
    }
  }
}
