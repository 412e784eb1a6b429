import Synchronization
import SystemIO

/// How many small files are copied together, so that they share what a disk does for many of them
/// as well as for one.
struct BatchBound: Sendable {
  /// Enough that a disk's answers are waited for by many files at once.
  private static let usualCount = 32
  /// Descriptors that a file of a batch may hold on each side: its own and its folder's.
  private static let descriptorsPerSide = 2

  let fileCount: Int
  /// How many reads a batch has at most at one time: of the source and of each destination.
  let readCount: Int
  /// Memory for what these reads bring.
  let readByteCount = 1 << 20
  /// How large the files of a batch may be together.
  let byteCount: Int

  /// - Parameter descriptorCount: how many descriptors the files of one batch may hold.
  init(destinations: Int, descriptorCount: Int) {
    let sides = 1 + destinations
    fileCount = max(1, min(Self.usualCount, descriptorCount / (Self.descriptorsPerSide * sides)))
    readCount = min(ReadQueue.largestCapacity, fileCount * sides)
    byteCount = readByteCount / sides
  }
}

/// Hands out the files of a pass in batches, each file once, to any thread.
final class Batches: Sendable {
  private let files: [UInt32]
  private let manifest: SourceManifest
  private let fileCount: Int
  private let byteCount: Int
  private let place = Mutex(0)

  /// - Parameter workers: who share the files: none gets so many that others have nothing to do.
  init(_ files: [UInt32], _ manifest: SourceManifest, _ bound: BatchBound, workers: Int) {
    self.files = files
    self.manifest = manifest
    fileCount = max(1, min(bound.fileCount, files.count / workers))
    byteCount = bound.byteCount
  }

  /// The next files, in the order of the pass; a file that is larger than a batch may be comes
  /// alone. Nil when there are no more.
  func next() -> ArraySlice<UInt32>? {
    place.withLock { place in
      guard place < files.count else { return nil }
      let first = place
      var size = space(place)
      place += 1
      while place < files.count, place - first < fileCount, size + space(place) <= byteCount {
        size += space(place)
        place += 1
      }
      return files[first..<place]
    }
  }

  /// What a file takes in memory; more than any batch for the largest files.
  private func space(_ place: Int) -> Int {
    let size = manifest.files[Int(files[place])].byteCount
    return AlignedBuffer.aligned(Int(min(size, Int64(byteCount) + 1)))
  }
}
