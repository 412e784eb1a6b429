import Hashing
import SystemIO
import Testing

@Suite struct StreamingTests {
  /// Bytes of a seed; the same in every run.
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      random.fill(UnsafeMutableRawBufferPointer(buffer))
      filled = count
    }
  }

  @Test("Any split of a stream gives the same digests", arguments: 1...12 as ClosedRange<UInt64>)
  func splits(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bytes = Self.bytes(Int(random.below(300_000)), seed: seed)
    let whole = try Digests.of(bytes, HashAlgorithm.allCases)
    var digest = try MultiDigest(HashAlgorithm.allCases)
    bytes.withUnsafeBytes { buffer in
      var start = 0
      while start < buffer.count {
        let end = min(buffer.count, start + Int(random.below(20_000)))
        digest.update(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
        start = end
      }
    }
    #expect(digest.finish() == whole)
  }

  @Test("A finished or reset digest starts again at nothing")
  func reuse() throws {
    let bytes = Self.bytes(1000, seed: 7)
    let expected = try Digests.of(bytes, HashAlgorithm.allCases)
    var digest = try MultiDigest(HashAlgorithm.allCases)
    bytes.withUnsafeBytes { digest.update($0) }
    _ = digest.finish()
    bytes.withUnsafeBytes { digest.update($0) }
    #expect(digest.finish() == expected)
    bytes.withUnsafeBytes { digest.update($0) }
    digest.reset()
    bytes.withUnsafeBytes { digest.update($0) }
    #expect(digest.finish() == expected)
  }

  @Test("XXH3 is the low half of XXH128 above 240 bytes, and not of every shorter input")
  func halves() throws {
    for count in 241...700 {
      let digests = try Digests.of(Self.bytes(count, seed: 3), [.xxh3, .xxh128])
      let wide = try #require(digests[.xxh128])
      #expect(digests[.xxh3]?.bytes == Array(wide.bytes[8...]), "\(count) bytes")
    }
    let short = try (0...240).filter { count in
      let digests = try Digests.of(Self.bytes(count, seed: 3), [.xxh3, .xxh128])
      return digests[.xxh3]?.bytes != (digests[.xxh128]?.bytes[8...]).map(Array.init)
    }
    #expect(!short.isEmpty)
  }

  @Test("Short inputs hash alike with one shared XXH3 state and with two")
  func sharedState() throws {
    for count in 0...260 {
      let bytes = Self.bytes(count, seed: 9)
      let both = try Digests.of(bytes, [.xxh3, .xxh128])
      #expect(try Digests.of(bytes, [.xxh3])[.xxh3] == both[.xxh3])
      #expect(try Digests.of(bytes, [.xxh128])[.xxh128] == both[.xxh128])
    }
  }

  @Test("A hash asked for twice is computed and reported once")
  func doubles() throws {
    let digests = try Digests.of([1], [.md5, .c4, .md5, .c4])
    #expect(digests.all.map(\.algorithm) == [.md5, .c4])
  }

  @Test("Threads give the digests of one pass, file after file, from a small pool")
  func parallel() throws {
    let pool = BufferPool(count: 3, byteCount: 4096)
    var digest = try ParallelDigest(HashAlgorithm.allCases)
    for (index, count) in [0, 1, 4095, 4096, 4097, 250_000, 3].enumerated() {
      let bytes = Self.bytes(count, seed: UInt64(index))
      Self.feed(bytes, to: &digest, from: pool)
      let expected = try Digests.of(bytes, HashAlgorithm.allCases)
      #expect(digest.finish() == expected, "\(count) bytes")
    }
  }

  @Test("A reset of the threads forgets the bytes so far")
  func parallelReset() throws {
    let pool = BufferPool(count: 3, byteCount: 4096)
    var digest = try ParallelDigest([.sha256, .xxh64])
    Self.feed(Self.bytes(10_000, seed: 1), to: &digest, from: pool)
    digest.reset()
    let bytes = Self.bytes(5000, seed: 2)
    Self.feed(bytes, to: &digest, from: pool)
    #expect(digest.finish() == (try Digests.of(bytes, [.sha256, .xxh64])))
  }

  @Test("Every chunk is back in its pool once the digests are done")
  func chunksReturn() throws {
    let pool = BufferPool(count: 2, byteCount: 64)
    var digest = try ParallelDigest([.md5, .sha1, .sha512])
    Self.feed(Self.bytes(1000, seed: 5), to: &digest, from: pool)
    _ = digest.finish()
    let first = pool.tryTake()
    let second = pool.tryTake()
    #expect(first != nil && second != nil)
  }

  private static func feed(
    _ bytes: [UInt8], to digest: inout ParallelDigest, from pool: BufferPool
  ) {
    var start = 0
    while start < bytes.count {
      let chunk = pool.take()
      chunk.count = min(pool.byteCount, bytes.count - start)
      chunk.buffer.bytes.copyBytes(from: bytes[start..<(start + chunk.count)])
      start += chunk.count
      digest.update(chunk)
    }
  }
}
