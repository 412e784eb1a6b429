import Synchronization
import SystemIO

/// What the copies of a run share.
final class RunContext: Sendable {
  let mode: CopyMode
  let readsSourceOnce: Bool
  let manifest: SourceManifest
  let ids: IDSource
  /// Names this run in its markers.
  let runID: String
  let clock: any Clock

  init(
    mode: CopyMode, readsSourceOnce: Bool, manifest: SourceManifest, ids: IDSource,
    clock: any Clock
  ) {
    self.mode = mode
    self.readsSourceOnce = readsSourceOnce
    self.manifest = manifest
    self.ids = ids
    runID = ids.next().text
    self.clock = clock
  }
}

/// One file on its way to one destination, from its temporary name to its final one.
///
/// The steps, in this order: `prepare`, writes, `complete`, `sync`, `openForReadBack`, `evict`,
/// reads, `publish`; or `discard` after any failure. docs/offload.md draws them.
// @unchecked: one thread at a time. The worker that made the object owns it; while chunks flow, the
// thread of its sink does, and starting and joining that thread orders the two.
final class DestinationCopy: @unchecked Sendable {
  enum Kind {
    /// Under a name of our own until it is proven.
    case temporary(BytePath)
    /// Under its final name from the start, with a marker that says it is not complete.
    case marked(MarkerFile)
    /// A file that was there before: proven, never written.
    case reused
  }

  let context: RunContext
  let destination: Destination
  let file: Int
  let name: BytePath
  let directory: Int
  let handle: DirectoryHandle
  let byteCount: Int64

  var kind = Kind.reused
  var writer: FileDescriptor?
  /// A second descriptor of the writer's open file: it keeps the lock of a marked file until the
  /// marker goes.
  var lockHolder: FileDescriptor?
  var reader: FileDescriptor?
  /// The times of the file when the reader was opened.
  var readerTimes: (modification: Timestamp, change: Timestamp)?
  /// When the file was last written, as its file system keeps it; nil until it is sealed.
  var modification: Timestamp?
  /// What the reader's descriptor stands for.
  var identity: FileIdentity?
  var level = VerificationLevel.notRead
  /// How the source was read beside it; the best of all when it was not.
  var sourceLevel = VerificationLevel.direct
  /// True when the writer bypasses the page cache: it writes whole blocks only.
  var writesDirectly = false
  /// True when the reader bypasses the page cache: it reads whole blocks only.
  var readsDirectly = false
  /// The whole copy, when it was read back together with others.
  var ahead: ReadAhead.Part?
  /// True once reading back has failed: the bytes may still be good.
  var hasReadError = false
  private(set) var failure: Failure?
  /// The one thing that other threads ask while a sink's thread owns the copy.
  private let hasFailed = Atomic(false)

  init(
    _ context: RunContext, _ destination: Destination, file: Int
  ) throws(Failure) {
    let manifest = context.manifest
    self.context = context
    self.destination = destination
    self.file = file
    name = manifest.name(ofFile: file)
    directory = Int(manifest.files[file].directory)
    byteCount = manifest.files[file].byteCount
    if let failure = destination.failure(of: directory) { throw failure }
    do throws(SystemError) {
      handle = try destination.tree.directory(directory)
    } catch {
      throw Failure(error, "the folder cannot be opened")
    }
  }

  var isAlive: Bool { !hasFailed.load(ordering: .acquiring) }

  var isReused: Bool {
    if case .reused = kind { return true }
    return false
  }

  /// The name that the bytes are under now.
  var currentName: BytePath {
    if case .temporary(let temporary) = kind { return temporary }
    return name
  }

  var place: BytePath { destination.place(directory, name) }

  /// Takes the copy out of the set; the first reason stays.
  func fail(_ failure: Failure) {
    if self.failure != nil { return }
    self.failure = failure
    hasFailed.store(true, ordering: .releasing)
    if let error = failure.error { destination.noteTrouble(error) }
  }

  /// Takes a failure back: the file that is in the way may be proven instead.
  func retryAsReused() {
    failure = nil
    hasFailed.store(false, ordering: .releasing)
    kind = .reused
    reader = nil
  }

  /// Runs one step, unless an earlier one has failed.
  func step(_ doing: String, _ body: () throws(SystemError) -> Void) {
    guard isAlive else { return }
    do throws(SystemError) {
      try body()
    } catch {
      fail(Failure(error, doing))
    }
  }
}
