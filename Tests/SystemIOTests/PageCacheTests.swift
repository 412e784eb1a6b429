import Glibc
import Testing

@testable import SystemIO

/// True on a file system that keeps its pages only as a cache; tmpfs has nowhere else to put them.
private func isOnDisk() throws -> Bool {
  let ext: UInt64 = 0xef53
  let xfs: UInt64 = 0x5846_5342
  let btrfs: UInt64 = 0x9123_683e
  return [ext, xfs, btrfs].contains(try Scratch().open().statistics().magic)
}

@Suite(.enabled("the checkout must be on a disk", { try isOnDisk() })) struct PageCacheTests {
  /// A file of 64 pages, written and not synced.
  static func dirtyFile(_ scratch: Scratch) throws -> FileDescriptor {
    let file = try FileDescriptor.open(scratch.path.appending("f"), .readWrite, options: .create)
    let buffer = AlignedBuffer(byteCount: 64 * 4096)
    try file.writeAll(UnsafeRawBufferPointer(buffer.bytes), at: 0)
    return file
  }

  @Test(
    "decision 14: pages are in the cache until they are flushed and dropped, then proven gone",
    arguments: [PageCache.Witness.any, .mincore])
  func dirty(witness: PageCache.Witness) throws {
    let scratch = try Scratch()
    let file = try Self.dirtyFile(scratch)
    let early = try PageCache.residency(of: file, witness: witness)
    #expect(early == .resident(pages: 64))
    let synced = try PageCache.evict(file, witness: witness)
    #expect(synced == .proven)
    let after = try PageCache.residency(of: file, witness: witness)
    #expect(after == .proven)
  }

  @Test("A page that was read again is resident again, and both witnesses say how many")
  func reread() throws {
    let scratch = try Scratch()
    let file = try Self.dirtyFile(scratch)
    _ = try PageCache.evict(file)
    try file.setRandomAccess()
    let buffer = AlignedBuffer(byteCount: 4096)
    _ = try file.read(into: buffer.bytes, at: 5 * 4096)
    let any = try PageCache.residency(of: file)
    let mincore = try PageCache.residency(of: file, witness: .mincore)
    guard case .resident(let pages) = any else {
      Issue.record("expected resident pages")
      return
    }
    #expect(any == mincore)
    #expect(pages >= 1 && pages < 64)
    let other = try PageCache.residency(of: file, range: 40 * 4096..<64 * 4096)
    #expect(other == .proven)
  }

  @Test("A page that somebody has mapped stays, and is no proof")
  func mapped() throws {
    let scratch = try Scratch()
    let file = try Self.dirtyFile(scratch)
    try file.fsync()
    let map = try #require(mmap(nil, 4096, PROT_READ, MAP_SHARED | MAP_POPULATE, file.rawValue, 0))
    #expect(map.load(as: UInt8.self) == 0)
    let held = try PageCache.evict(file)
    #expect(held != .proven)
    munmap(map, 4096)
    let free = try PageCache.evict(file)
    #expect(free == .proven)
  }

  @Test("An empty file and an empty range have no pages")
  func empty() throws {
    let scratch = try Scratch()
    try scratch.file("f")
    let file = try FileDescriptor.open(scratch.path.appending("f"), .readOnly)
    let proof = try PageCache.evict(file, range: nil)
    #expect(proof == .proven)
  }

  @Test("A read-only descriptor is enough")
  func readOnly() throws {
    let scratch = try Scratch()
    try Self.dirtyFile(scratch).close()
    let file = try FileDescriptor.open(scratch.path.appending("f"), .readOnly)
    let proof = try PageCache.evict(file)
    #expect(proof == .proven)
  }

  @Test("Direct reads reach the bytes with nothing in the cache")
  func direct() throws {
    let scratch = try Scratch()
    let file = try Self.dirtyFile(scratch)
    _ = try PageCache.evict(file)
    let path = scratch.path.appending("f")
    let direct = try FileDescriptor.open(path, .readOnly, options: .direct)
    let buffer = AlignedBuffer(byteCount: 8 * 4096)
    buffer.bytes.initializeMemory(as: UInt8.self, repeating: 1)
    let count = try direct.read(into: buffer.bytes, at: 4096)
    #expect(count == 8 * 4096)
    #expect(buffer.prefix(count).allSatisfy { $0 == 0 })
    let proof = try PageCache.residency(of: file)
    #expect(proof == .proven)
  }

  #if DEBUG
    @Test(
      "Without cachestat, mincore decides; without both there is no proof",
      arguments: [Errno.notImplemented, .notPermitted, .notSupported])
    func fallback(_ errno: Errno) throws {
      let scratch = try Scratch()
      let file = try Self.dirtyFile(scratch)
      let lacking = Interposer.Rule("cachestat", count: .max, .fail(errno))
      let (early, late, calls) = try Interposer.with([lacking]) { session in
        (
          try PageCache.residency(of: file), try PageCache.evict(file),
          session.trace.map(\.call)
        )
      }
      #expect(early == .resident(pages: 64))
      #expect(late == .proven)
      #expect(calls.contains("mincore"))
      let blind = try Interposer.with(
        [lacking, .init("mincore", count: .max, .fail(.permissionDenied))]
      ) { _ in try PageCache.evict(file) }
      guard case .unprovable(let error) = blind else {
        Issue.record("a proof without a witness: \(blind)")
        return
      }
      #expect(error.errno == .permissionDenied)
      #expect(error.path == scratch.path.appending("f"))
    }

    @Test(
      "decision 14: an advice that the kernel took and did not follow is no proof",
      arguments: [PageCache.Witness.any, .mincore])
    func ignoredAdvice(witness: PageCache.Witness) throws {
      let scratch = try Scratch()
      let file = try Self.dirtyFile(scratch)
      let proof = try Interposer.with([.init("posix_fadvise", count: .max, .pretend)]) { _ in
        try PageCache.evict(file, witness: witness)
      }
      #expect(proof == .resident(pages: 64))
    }

    @Test("A failed count is no proof, a failed flush or advice is an error")
    func failures() throws {
      let scratch = try Scratch()
      let file = try Self.dirtyFile(scratch)
      let proof = try Interposer.with([.init("cachestat", count: .max, .fail(.inputOutput))]) { _ in
        try PageCache.evict(file)
      }
      guard case .unprovable = proof else {
        Issue.record("a proof from a failed count: \(proof)")
        return
      }
      for call in ["fdatasync", "posix_fadvise"] {
        let error = try systemError {
          try Interposer.with([.init(call, .fail(.inputOutput))]) { _ in
            _ = try PageCache.evict(file)
          }
        }
        #expect(error.call == call)
      }
    }
  #endif
}

extension FileDescriptor {
  /// Turns read-ahead off, so that one read brings in one page.
  fileprivate borrowing func setRandomAccess() throws {
    #expect(posix_fadvise(rawValue, 0, 0, POSIX_FADV_RANDOM) == 0)
  }
}
