import SystemIO

/// The memory of one worker for files that it copies by itself.
final class Workbench {
  /// Chunks of a worker that has others beside it: many are in flight, each with little memory.
  static let smallChunkByteCount = 256 * 1024
  /// The chunk of a worker that is alone (offload contract 51).
  static let chunkByteCount = 4 << 20

  let chunk: AlignedBuffer
  let readBack: AlignedBuffer
  let ahead: ReadAhead
  /// True when everything runs on the caller's thread.
  let isAlone: Bool

  init(isAlone: Bool, _ bound: BatchBound) {
    self.isAlone = isAlone
    let byteCount = isAlone ? Self.chunkByteCount : Self.smallChunkByteCount
    chunk = AlignedBuffer(byteCount: byteCount)
    readBack = AlignedBuffer(byteCount: byteCount)
    ahead = ReadAhead(byteCount: bound.readByteCount, readCount: bound.readCount)
  }
}

/// The memory of one large file in one pass, where the source, the hash and every destination have
/// threads of their own.
final class Lane: Sendable {
  /// What goes round between the source and the sinks.
  let chunks: BufferPool
  /// One for each destination that is read back.
  let spares: BufferPool

  init(chunkCount: Int, byteCount: Int, spareCount: Int) {
    chunks = BufferPool(count: chunkCount, byteCount: byteCount)
    spares = BufferPool(count: max(1, spareCount), byteCount: byteCount)
  }
}

/// The lanes of a run: they bound its memory, and have one large file verified while the next is
/// copied.
final class Lanes: Sendable {
  /// From here on a file is worth the threads.
  static let largeByteCount: Int64 = 8 << 20
  /// The source's lead over the slowest destination is at most this many chunks.
  static let copyChunks = 3
  static let verifyChunkByteCount = 2 << 20
  static let verifyChunks = 3
  static let verifyLanes = 2

  private let copying: LazyLanes
  private let verifying: LazyLanes

  init(destinationCount: Int) {
    copying = LazyLanes(count: 1) {
      Lane(chunkCount: Self.copyChunks, byteCount: Workbench.chunkByteCount, spareCount: 1)
    }
    verifying = LazyLanes(count: Self.verifyLanes) {
      Lane(
        chunkCount: Self.verifyChunks, byteCount: Self.verifyChunkByteCount,
        spareCount: destinationCount)
    }
  }

  /// Runs one file's copy on a lane, waiting for one.
  func copy<Value>(_ body: (Lane) -> Value) -> Value { copying.use(body) }

  /// Runs one file's verification on a lane, waiting for one.
  func verify<Value>(_ body: (Lane) -> Value) -> Value { verifying.use(body) }
}

/// Lanes that are made when they are needed first, so that small cards pay nothing.
private final class LazyLanes: Sendable {
  private let free: BoundedQueue<Lane?>
  private let make: @Sendable () -> Lane

  init(count: Int, make: @escaping @Sendable () -> Lane) {
    self.make = make
    free = BoundedQueue(bound: count)
    for _ in 0..<count { free.push(nil) }
  }

  func use<Value>(_ body: (Lane) -> Value) -> Value {
    guard let place = free.pop() else { preconditionFailure("The lanes are never closed") }
    let lane = place ?? make()
    defer { free.push(lane) }
    return body(lane)
  }
}
