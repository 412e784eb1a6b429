import FaultModel
import Glibc
import SystemIO

/// A real folder that holds the files of a backed volume, under the names that the volume shows.
///
/// Nobody else changes it while the volume is mounted. A folder is pinned by descending from the
/// root one name at a time, never through a symbolic link, and stays so for a while, whatever name
/// it gets. Calls are made when they are needed, on the loop: slow storage below slows every mount
/// of the rig.
final class BackingFolder {
  let path: BytePath
  private let root: PinnedDirectory
  /// The first trouble with the folder itself; a snapshot after it is not to be trusted.
  private(set) var trouble: SystemError?
  /// Those that may be closed; several volumes share what the process may have open.
  var openFiles = OpenFiles(limit: max(64, Resources.descriptorLimit / 8))
  /// Folders that are in use, by their inode on the volume.
  private var places: [NodeID: BackingPlace] = [:]
  private static let placeLimit = 64

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
    openFiles.add(file)
    openFiles.excess?.rest()
  }

  func folder(_ path: BytePath) throws(SystemError) -> PinnedDirectory { try root.descend(path) }

  /// A folder of the volume, at its path unless it is known already.
  func place(
    of node: NodeID, at path: @autoclosure () -> BytePath
  ) throws(SystemError) -> BackingPlace {
    if let known = places[node] { return known }
    let place = BackingPlace(try folder(path()))
    if places.count >= Self.placeLimit { places = [:] }
    places[node] = place
    return place
  }

  /// Another folder than before may be at some path.
  func forgetPlaces() { places = [:] }

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

  func makeFifo(
    _ name: BytePath, in parent: borrowing PinnedDirectory, mode: UInt16
  ) throws(SystemError) {
    let number = parent.descriptor.rawValue
    if name.withCString({ mkfifoat(number, $0, mode_t(mode)) }) == 0 { return }
    throw SystemError(call: "mkfifoat", errno: .current, path: parent.path.appending(name))
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

/// A folder of a backing folder, pinned.
final class BackingPlace {
  let directory: PinnedDirectory

  init(_ directory: consuming PinnedDirectory) {
    self.directory = directory
  }
}
