import CLinuxShims
import Glibc

/// Taking a file out of the page cache, with proof that the next read comes from below it.
public enum PageCache {
  /// Whether a range is out of the cache.
  public enum EvictionProof: Hashable, Sendable {
    /// The kernel counts no page of the range.
    case proven
    /// So many pages are still there: dirty, mapped by somebody, or being read.
    case resident(pages: UInt64)
    /// The kernel would not say.
    case unprovable(SystemError)
  }

  /// Where the count of pages comes from.
  public enum Witness: Sendable {
    /// cachestat(2) and, where the kernel lacks it, mincore(2).
    case any
    /// mincore(2) over a private mapping alone.
    case mincore
  }

  /// Flushes, drops and counts the pages of a range. Blocks.
  ///
  /// DONTNEED leaves dirty pages and pages in use where they are, so only the count is a proof.
  /// - Parameters:
  ///   - range: bytes; nil for the whole file. A partial page at an end that is not the end of
  ///     the file stays in the cache, so ranges should be whole pages.
  ///   - alreadySynced: the caller has flushed the data itself since the last write.
  /// - Throws: errors of fdatasync(2), fstat and posix_fadvise(2); a failed count is a value.
  public static func evict(
    _ file: borrowing FileDescriptor, range: Range<Int64>? = nil, alreadySynced: Bool = false,
    witness: Witness = .any
  ) throws(SystemError) -> EvictionProof {
    if !alreadySynced { try file.fdatasync() }
    var proof = EvictionProof.proven
    // A page just used may still sit in another processor's batch: the second call drains them.
    for _ in 0..<2 {
      try file.adviseDontNeed(
        offset: range?.lowerBound ?? 0,
        byteCount: range.map { $0.upperBound - $0.lowerBound } ?? 0)
      proof = try residency(of: file, range: range, witness: witness)
      guard case .resident = proof else { break }
    }
    return proof
  }

  /// Counts the pages of a range that are in the cache, without dropping any. Blocks.
  public static func residency(
    of file: borrowing FileDescriptor, range: Range<Int64>? = nil, witness: Witness = .any
  ) throws(SystemError) -> EvictionProof {
    let pages: Range<Int64>
    if let range { pages = range } else { pages = 0..<(try file.metadata().byteCount) }
    if pages.isEmpty { return .proven }
    do throws(SystemError) {
      return verdict(try count(file, pages, witness))
    } catch {
      return .unprovable(error)
    }
  }

  private static func verdict(_ pages: UInt64) -> EvictionProof {
    pages == 0 ? .proven : .resident(pages: pages)
  }

  private static func count(
    _ file: borrowing FileDescriptor, _ range: Range<Int64>, _ witness: Witness
  ) throws(SystemError) -> UInt64 {
    let (offset, byteCount) = (range.lowerBound, range.upperBound - range.lowerBound)
    let fd = file.rawValue
    var pages: UInt64 = 0
    if witness == .any {
      do throws(SystemError) {
        var dirty: UInt64 = 0
        _ = try systemCall("cachestat", path: file.path, offset: offset) {
          ls_cachestat(fd, UInt64(offset), UInt64(byteCount), &pages, &dirty)
        }
        return pages
      } catch {
        // ENOSYS before Linux 6.5, EPERM under some seccomp filters, EOPNOTSUPP on hugetlbfs.
        guard [.notImplemented, .notPermitted, .notSupported].contains(error.errno) else {
          throw error
        }
      }
    }
    _ = try systemCall("mincore", path: file.path, offset: offset) {
      ls_resident_pages(fd, offset, UInt64(byteCount), &pages)
    }
    return pages
  }
}
