/// A fixed number of buffers of one size: the bound on what a pipeline holds in memory.
public final class BufferPool: Sendable {
  /// The size of each buffer in bytes.
  public let byteCount: Int
  /// How many buffers there are, free or in use.
  public var count: Int { free.bound }
  private let free: BoundedQueue<AlignedBuffer>

  /// Allocates all buffers at once.
  public init(count: Int, byteCount: Int) {
    self.byteCount = byteCount
    free = BoundedQueue(bound: count)
    for _ in 0..<count { free.push(AlignedBuffer(byteCount: byteCount)) }
  }

  /// Takes a buffer, blocking while all are in use.
  public func take() -> Chunk {
    guard let buffer = free.pop() else { preconditionFailure("A pool is never closed") }
    return Chunk(buffer, pool: self)
  }

  /// Takes a buffer when one is free.
  public func tryTake() -> Chunk? {
    free.tryPop().map { Chunk($0, pool: self) }
  }

  fileprivate func giveBack(_ buffer: AlignedBuffer) {
    _ = free.tryPush(buffer)
  }
}

/// A buffer of a pool with its filled length, shared by reference: the last one to let go of it
/// gives the memory back.
// @unchecked: as with AlignedBuffer, `count` and the bytes are set by the filler alone, before it
// hands the chunk on by a queue or a lock, and by nobody after that.
public final class Chunk: @unchecked Sendable {
  /// The memory.
  public let buffer: AlignedBuffer
  /// Bytes that are filled, from the front.
  public var count = 0
  private let pool: BufferPool

  fileprivate init(_ buffer: AlignedBuffer, pool: BufferPool) {
    self.buffer = buffer
    self.pool = pool
  }

  deinit {
    pool.giveBack(buffer)
  }

  /// The filled bytes.
  public var bytes: UnsafeRawBufferPointer { buffer.prefix(count) }
}
