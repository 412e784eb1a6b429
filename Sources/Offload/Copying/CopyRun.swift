import Synchronization
import SystemIO

/// Takes every file of the manifest through its transfer, on one thread or on many, and makes each
/// folder durable when its last file is done.
struct CopyRun {
  let transfer: FileTransfer
  let workerCount: Int
  let bound: BatchBound

  /// Media first, AppleDouble companions after all of them: some systems make companions of their
  /// own while media are published (offload contract 15).
  private var passes: [[UInt32]] {
    let manifest = transfer.context.manifest
    var media: [UInt32] = []
    var companions: [UInt32] = []
    for file in manifest.files.indices {
      let isCompanion = manifest.name(ofFile: file).isAppleDouble
      if isCompanion { companions.append(UInt32(file)) } else { media.append(UInt32(file)) }
    }
    return [media, companions]
  }

  /// - Throws: when no thread can be started at all.
  func run() throws(SystemError) {
    let folders = FolderCompletion(transfer)
    for files in passes where !files.isEmpty {
      let batches = Batches(files, transfer.context.manifest, bound, workers: workerCount)
      if workerCount == 1 {
        work(batches, folders, Workbench(isAlone: true, bound))
      } else {
        try inParallel(min(workerCount, files.count)) {
          work(batches, folders, Workbench(isAlone: false, bound))
        }
      }
    }
    folders.syncAll()
  }

  private func work(_ batches: Batches, _ folders: FolderCompletion, _ bench: Workbench) {
    while !transfer.isCancelled(), let batch = batches.next() {
      transfer.run(batch.map { Int($0) }, bench)
      for file in batch { folders.count(Int(file)) }
    }
  }
}

/// Syncs each folder once, after its last file.
final class FolderCompletion: Sendable {
  private let transfer: FileTransfer
  /// Files that are still to come in each folder.
  private let remaining: Mutex<[Int32]>

  init(_ transfer: FileTransfer) {
    self.transfer = transfer
    let manifest = transfer.context.manifest
    var counts = [Int32](repeating: 0, count: manifest.directories.count)
    for file in manifest.files { counts[Int(file.directory)] += 1 }
    remaining = Mutex(counts)
  }

  /// Says that a file is done, for better or worse.
  func count(_ file: Int) {
    let directory = Int(transfer.context.manifest.files[file].directory)
    let isLast = remaining.withLock { counts in
      counts[directory] -= 1
      return counts[directory] == 0
    }
    if isLast { sync(directory) }
  }

  /// What a cancelled run, or a sweep in a folder without files, has left to do.
  func syncAll() {
    for destination in transfer.destinations {
      for directory in destination.dirtyDirectories { sync(directory, destination) }
    }
  }

  private func sync(_ directory: Int) {
    for destination in transfer.destinations { sync(directory, destination) }
  }

  private func sync(_ directory: Int, _ destination: Destination) {
    do throws(Failure) {
      try destination.syncIfDirty(directory)
      // A sync that failed while the folder's files were under way counts for all of them.
      if let failure = destination.failure(of: directory) { throw failure }
    } catch {
      transfer.context.manifest.forEachFile(in: directory) { file in
        if transfer.ledger.hasSucceeded(file, destination.index) {
          transfer.ledger.fail(file, destination.index, error)
        }
      }
    }
  }
}
