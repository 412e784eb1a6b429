import Synchronization
import SystemIO

/// A directory that several threads use at once.
final class DirectoryHandle: Sendable {
  let directory: PinnedDirectory

  init(_ directory: consuming PinnedDirectory) {
    self.directory = directory
  }
}

/// The directories of a manifest below a pinned root, opened when they are needed and kept for a
/// while.
///
/// Each is reached from the root by single components, none a link, and must still be the directory
/// that was seen first, where identities last: a folder that was swapped is an error, never
/// followed (field case C61).
final class PinnedTree: Sendable {
  private struct State {
    var open: [Int: (handle: DirectoryHandle, used: Int)] = [:]
    var clock = 0
    /// What each directory was when it was seen first.
    var identities: [FileIdentity?]
  }

  let root: DirectoryHandle
  private let manifest: SourceManifest
  private let checksIdentity: Bool
  private let capacity: Int
  private let state: Mutex<State>

  /// - Parameters:
  ///   - identities: what each directory must be; nil where it is not known yet.
  ///   - checksIdentity: false where inode numbers do not last.
  ///   - capacity: directories kept open beside the root.
  init(
    root: DirectoryHandle, manifest: SourceManifest, identities: [FileIdentity?],
    checksIdentity: Bool, capacity: Int
  ) {
    self.root = root
    self.manifest = manifest
    self.checksIdentity = checksIdentity
    self.capacity = capacity
    state = Mutex(State(identities: identities))
  }

  /// The open directory of an index.
  ///
  /// - Throws: the errno of openat(2); ESTALE when another directory has taken the place.
  func directory(_ index: Int) throws(SystemError) -> DirectoryHandle {
    if index == 0 { return root }
    if let known = cached(index) { return known }
    let parent = try directory(manifest.directories[index].parent)
    let opened = try parent.directory.descend(manifest.name(ofDirectory: index))
    try check(opened, index)
    return keep(DirectoryHandle(opened), index)
  }

  /// Takes over a directory that was just made or opened by its parent.
  func adopt(_ directory: consuming PinnedDirectory, _ index: Int) throws(SystemError) {
    try check(directory, index)
    _ = keep(DirectoryHandle(directory), index)
  }

  /// What a directory was when it was seen first.
  func identity(_ index: Int) -> FileIdentity? {
    state.withLock { $0.identities[index] }
  }

  /// Closes every directory but the root.
  func closeAll() {
    state.withLock { $0.open.removeAll() }
  }

  private func cached(_ index: Int) -> DirectoryHandle? {
    state.withLock { state in
      guard let entry = state.open[index] else { return nil }
      state.clock += 1
      state.open[index] = (entry.handle, state.clock)
      return entry.handle
    }
  }

  private func keep(_ handle: DirectoryHandle, _ index: Int) -> DirectoryHandle {
    state.withLock { state in
      if let other = state.open[index] { return other.handle }
      state.clock += 1
      state.open[index] = (handle, state.clock)
      if state.open.count > capacity,
        let oldest = state.open.min(by: { $0.value.used < $1.value.used })
      {
        state.open[oldest.key] = nil
      }
      return handle
    }
  }

  private func check(_ opened: borrowing PinnedDirectory, _ index: Int) throws(SystemError) {
    let found = try opened.metadata().identity
    let expected = state.withLock { state in
      let known = state.identities[index]
      if known == nil { state.identities[index] = found }
      return known ?? found
    }
    let isSame = checksIdentity ? found == expected : found.device == expected.device
    guard isSame else {
      throw SystemError(
        call: "openat", errno: .stale, path: opened.path, detail: "another folder is there now")
    }
  }
}
