import Hashing
import SystemIO

/// One file on its way from the source to every destination that takes it.
final class Passage {
  let file: Int
  let copies: [DestinationCopy]
  /// Open for one of its two readings.
  private(set) var source: SourceFile?
  /// How the source is read beside the copies.
  var sourceLevel = VerificationLevel.cached
  /// What the bytes hashed to while they were copied; nil in quick mode and when the source failed.
  var copied: Digests?

  init(_ file: Int, _ copies: [DestinationCopy]) {
    self.file = file
    self.copies = copies
  }

  var alive: [DestinationCopy] { copies.filter(\.isAlive) }
  var isAlive: Bool { copies.contains(where: \.isAlive) }

  /// Opens the source for a reading.
  func open(_ side: SourceSide) throws(Failure) -> SourceFile {
    let opened = try side.open(file)
    source = opened
    return opened
  }

  /// The source for the one reading that it was opened for.
  func takeSource() -> SourceFile? {
    source.take()
  }
}
