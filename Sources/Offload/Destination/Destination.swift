import Synchronization
import SystemIO

/// One destination of a run: its pinned root and what is known of its folders.
final class Destination: Sendable {
  enum LinkSupport: Sendable {
    case works, absent
  }

  private struct State {
    /// Set once the volume is gone: nothing more is tried there.
    var lost: Failure?
    /// Why a folder takes no files; the first reason stays.
    var failedDirectories: [Int: Failure] = [:]
    /// Folders with entries that no fsync has made durable yet.
    var dirtyDirectories: Set<Int> = []
    var newDirectories: Set<Int> = []
    /// By device, since another volume may be mounted further down.
    var links: [UInt64: LinkSupport] = [:]
    var leftBehind: [BytePath] = []
    var warnings: [String] = []
    var coarseTimes = 0
  }

  let index: Int
  let root: OpenedRoot
  let tree: PinnedTree
  let manifest: SourceManifest
  let direct: DirectReading
  private let state = Mutex(State())

  var path: BytePath { root.path }
  var facts: VolumeFacts { root.facts }

  init(index: Int, root: OpenedRoot, manifest: SourceManifest, openDirectories: Int) {
    self.index = index
    self.root = root
    self.manifest = manifest
    direct = DirectReading(root.facts)
    var identities = [FileIdentity?](repeating: nil, count: manifest.directories.count)
    identities[0] = root.metadata.identity
    tree = PinnedTree(
      root: root.handle, manifest: manifest, identities: identities,
      checksIdentity: root.facts.inodesLast, capacity: openDirectories)
    if root.facts.isNetwork {
      // Offload contract 43: no reason to refuse.
      warn(
        "\(root.path.escaped) is on a network volume (\(root.facts.type)): what is read back may "
          + "come from a server's memory")
    }
  }

  /// The absolute path of something in a folder, for people.
  func place(_ directory: Int, _ name: BytePath) -> BytePath {
    path.appending(manifest.path(ofDirectory: directory)).appending(name)
  }
}

/// Folders.
extension Destination {
  /// Why nothing can be copied into a folder; nil when it can.
  func failure(of directory: Int) -> Failure? {
    state.withLock { $0.lost ?? $0.failedDirectories[directory] }
  }

  var lost: Failure? { state.withLock { $0.lost } }

  /// Closes a folder to every file; the first reason stays.
  func fail(directory: Int, _ failure: Failure) {
    state.withLock { state in
      if state.failedDirectories[directory] == nil { state.failedDirectories[directory] = failure }
    }
  }

  /// Folders that could not be made or synced, with their reasons, in the order of paths.
  var failedDirectories: [(index: Int, failure: Failure)] {
    let failed = state.withLock { $0.failedDirectories }
    return failed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func markNew(_ directory: Int) {
    state.withLock { state in
      state.newDirectories.insert(directory)
      state.dirtyDirectories.insert(manifest.directories[directory].parent)
    }
  }

  /// True for a folder that this run made: nothing can be in it but our own.
  func isNew(_ directory: Int) -> Bool {
    state.withLock { $0.newDirectories.contains(directory) }
  }

  /// Says that a folder's entries have changed.
  func markDirty(_ directory: Int) {
    _ = state.withLock { $0.dirtyDirectories.insert(directory) }
  }

  var dirtyDirectories: [Int] { state.withLock { $0.dirtyDirectories.sorted() } }

  /// Makes a folder's entries durable.
  ///
  /// A failure closes the folder for good: after one failed fsync nobody can tell which entries
  /// will survive, and a second one may report success for what the first one lost.
  func sync(_ directory: Int) throws(Failure) {
    if let failure = failure(of: directory) { throw failure }
    do throws(SystemError) {
      let handle = try tree.directory(directory)
      // Cleared first: an entry that comes meanwhile marks the folder again.
      _ = state.withLock { $0.dirtyDirectories.remove(directory) }
      try handle.directory.fsync()
    } catch {
      let failure = Failure(error, "the folder could not be made durable")
      fail(directory: directory, failure)
      noteTrouble(error)
      throw failure
    }
  }

  func syncIfDirty(_ directory: Int) throws(Failure) {
    let isDirty = state.withLock { $0.dirtyDirectories.contains(directory) }
    if isDirty { try sync(directory) }
  }
}

/// The volume as a whole.
extension Destination {
  /// Looks whether the volume is still there after an error that may mean it is not.
  func noteTrouble(_ error: SystemError) {
    guard error.errno.meansVolumeIsGone else { return }
    do throws(SystemError) {
      _ = try root.handle.directory.metadata()
    } catch {
      let failure = Failure(error, "the destination is gone")
      state.withLock { state in
        if state.lost == nil { state.lost = failure }
      }
    }
  }

  func linkSupport(_ device: UInt64) -> LinkSupport? {
    state.withLock { $0.links[device] }
  }

  func setLinkSupport(_ support: LinkSupport, _ device: UInt64) {
    state.withLock { $0.links[device] = support }
  }
}

/// What the report has to name.
extension Destination {
  /// Most warnings that are kept one by one for a destination.
  static let warningBound = 200

  func leaveBehind(_ path: BytePath) {
    state.withLock { state in
      if !state.leftBehind.contains(path) { state.leftBehind.append(path) }
    }
  }

  var leftBehind: [BytePath] { state.withLock { $0.leftBehind } }

  func warn(_ text: String) {
    state.withLock { state in
      if state.warnings.count < Self.warningBound { state.warnings.append(text) }
    }
  }

  /// Counts a file whose time is kept only in the volume's own steps.
  func countCoarseTime() {
    state.withLock { $0.coarseTimes += 1 }
  }

  var warnings: [String] {
    let (warnings, coarse) = state.withLock { ($0.warnings, $0.coarseTimes) }
    if coarse == 0 { return warnings }
    return warnings + [
      "\(path.escaped): the modification times of \(coarse) files are kept in coarser steps"
    ]
  }
}
