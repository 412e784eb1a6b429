import Synchronization
import SystemIO

/// Reads past the page cache where a volume's facts and its file system allow that: cheaper than
/// to fill the cache, to evict from it and to prove that, and a proof by itself.
///
/// Whether direct reads work is asked once for each device, since another volume may be mounted
/// further down.
final class DirectReading: Sendable {
  private let isAllowed: Bool
  private let works = Mutex<[UInt64: Bool]>([:])

  init(_ facts: VolumeFacts) {
    isAllowed = facts.bestLevel == .direct
  }

  /// Turns direct reads of an open file on; false, and nothing is changed, where they do not work.
  fileprivate func begin(
    _ file: borrowing FileDescriptor, device: UInt64, byteCount: Int64
  ) -> Bool {
    // A file without a block tells nothing and has nothing to be read.
    guard isAllowed, byteCount > 0 else { return false }
    if let known = works.withLock({ $0[device] }) {
      return known && (try? file.setDirect(true)) != nil
    }
    let answer = file.readsDirectly()
    works.withLock { $0[device] = answer }
    return answer
  }
}

extension FileDescriptor {
  /// Turns direct reads on; false, and nothing is changed, where they are not allowed or do not
  /// work.
  borrowing func begin(_ direct: DirectReading, device: UInt64, byteCount: Int64) -> Bool {
    direct.begin(self, device: device, byteCount: byteCount)
  }
}
