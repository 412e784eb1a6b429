import Synchronization
import SystemIO

/// The source of a run: its pinned folders, and whether it is still there.
final class SourceSide: Sendable {
  let root: OpenedRoot
  let tree: PinnedTree
  let manifest: SourceManifest
  private let direct: DirectReading
  private let lostFailure = Mutex<Failure?>(nil)

  init(root: OpenedRoot, manifest: SourceManifest, openDirectories: Int) {
    self.root = root
    self.manifest = manifest
    direct = DirectReading(root.facts)
    tree = PinnedTree(
      root: root.handle, manifest: manifest, identities: manifest.directories.map(\.identity),
      checksIdentity: root.facts.inodesLast, capacity: openDirectories)
  }

  var facts: VolumeFacts { root.facts }

  /// Set once the source is gone: nothing more is read from it.
  var lost: Failure? { lostFailure.withLock { $0 } }

  func open(_ file: Int) throws(Failure) -> SourceFile {
    if let lost { throw lost }
    do throws(Failure) {
      return try SourceFile(file, in: tree, manifest, facts, direct)
    } catch {
      noteTrouble(error)
      throw error
    }
  }

  /// Looks whether the source is still there after an error that may mean it is not.
  func noteTrouble(_ failure: Failure) {
    guard let error = failure.error, error.errno.meansVolumeIsGone else { return }
    do throws(SystemError) {
      _ = try root.handle.directory.metadata()
    } catch {
      lostFailure.withLock { $0 = Failure(error, "the source is gone") }
    }
  }
}
