import SystemIO
import Testing

/// Many files read at once.
@Suite struct ReadQueueTests {
  private static let block = AlignedBuffer.alignment

  private static func bytes(_ seed: UInt64, _ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var random = SeededRandom(seed: seed)
    bytes.withUnsafeMutableBytes { random.fill($0) }
    return bytes
  }

  private static func open(
    _ scratch: Scratch, _ name: BytePath, _ bytes: [UInt8], isDirect: Bool
  ) throws -> FileDescriptor {
    let path = scratch.path.appending(name)
    let file = try FileDescriptor.open(path, .readWrite, options: .exclusiveCreate)
    try file.writeAll(bytes)
    try file.fsync()
    let reader = try FileDescriptor.open(path, .readOnly)
    if isDirect { try reader.setDirect(true) }
    return reader
  }

  @Test(
    "Each read of a queue brings its own file's bytes, and its length", arguments: [true, false])
  func reads(isDirect: Bool) throws {
    let scratch = try Scratch()
    let queue = ReadQueue(capacity: 3)
    let space = AlignedBuffer(byteCount: 3 * Self.block)
    func part(_ index: Int) -> UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(
        rebasing: space.bytes[(index * Self.block)..<((index + 1) * Self.block)])
    }
    let whole = Self.bytes(1, Self.block)
    let short = Self.bytes(2, 1000)
    let first = try Self.open(scratch, "first", whole, isDirect: isDirect)
    let second = try Self.open(scratch, "second", short, isDirect: isDirect)
    let third = try FileDescriptor.open(scratch.path.appending("first"), .writeOnly)
    for _ in 0..<2 {
      #expect(queue.add(first, into: part(0)) == 0)
      #expect(queue.add(second, into: part(1)) == 1)
      // Not open for reading: it fails, and takes no other one with it.
      #expect(queue.add(third, into: part(2)) == 2)
      #expect(queue.add(first, into: part(0)) == nil, "the queue is full")
      #expect(queue.byteCount(0) == nil, "nothing has been read yet")
      queue.run()
      #expect(queue.byteCount(0) == whole.count)
      #expect(queue.byteCount(1) == short.count)
      #expect(queue.byteCount(2) == nil)
      #expect(Array(part(0)) == whole)
      #expect(Array(part(1).prefix(short.count)) == short)
      queue.clear()
      part(0).copyBytes(from: short)
    }
  }

  #if DEBUG
    @Test("A test that watches a file has it read by plain calls")
    func watched() throws {
      let scratch = try Scratch()
      let file = try Self.open(scratch, "f", Self.bytes(1, Self.block), isDirect: false)
      let space = AlignedBuffer(byteCount: Self.block)
      let queue = ReadQueue(capacity: 1)
      Interposer.with([]) { _ in #expect(queue.add(file, into: space.bytes) == nil) }
      #expect(queue.add(file, into: space.bytes) == 0)
    }
  #endif
}
