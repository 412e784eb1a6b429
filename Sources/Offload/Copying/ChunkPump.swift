import SystemIO

/// Takes the chunks of a file, one after the other.
protocol ChunkSink: AnyObject, Sendable {
  /// False when nothing more is wanted, after a failure.
  var isOpen: Bool { get }
  func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64)
  /// Called after the last chunk of a source that was read whole, on the thread of the chunks.
  func finish()
}

/// Reads a source file once and gives each chunk to every sink.
struct ChunkPump {
  /// Called with each chunk's size when the source has been read so far.
  let progress: (Int) -> Void
  let isCancelled: () -> Bool
  /// False once every destination of the file has failed.
  let isWanted: () -> Bool

  /// Everything on the calling thread, chunk after chunk.
  func run(_ source: SourceFile, _ sinks: [any ChunkSink], buffer: AlignedBuffer) throws(Failure) {
    var offset: Int64 = 0
    while offset < source.byteCount {
      try checkGoing()
      let count = Int(min(Int64(buffer.byteCount), source.byteCount - offset))
      let bytes = try source.bytes(count, at: offset, in: buffer)
      for sink in sinks where sink.isOpen { sink.take(bytes, at: offset) }
      offset += Int64(count)
      progress(count)
    }
    try source.checkEnd(buffer)
    for sink in sinks { sink.finish() }
  }

  /// Each sink on a thread of its own, the source on the caller's. A slow sink holds the source
  /// back once all buffers wait for it: that bounds its lead.
  func run(_ source: SourceFile, _ sinks: [any ChunkSink], pool: BufferPool) throws(Failure) {
    var lines: [Line] = []
    do throws(SystemError) {
      for sink in sinks { lines.append(try Line(sink, bound: pool.count)) }
    } catch {
      for line in lines { line.end(isWhole: false) }
      throw Failure(error, "no thread can be started")
    }
    var failure: Failure?
    do throws(Failure) {
      try feed(source, lines, pool)
    } catch {
      failure = error
    }
    for line in lines { line.end(isWhole: failure == nil) }
    if let failure { throw failure }
  }

  private func feed(
    _ source: SourceFile, _ lines: [Line], _ pool: BufferPool
  ) throws(Failure) {
    var offset: Int64 = 0
    source.expectSequentialReading()
    while offset < source.byteCount {
      try checkGoing()
      let chunk = pool.take()
      chunk.count = Int(min(Int64(pool.byteCount), source.byteCount - offset))
      try source.read(chunk.count, at: offset, into: chunk.buffer)
      for line in lines { line.push(chunk, at: offset) }
      offset += Int64(chunk.count)
      progress(chunk.count)
    }
    try source.checkEnd(pool.take().buffer)
  }

  private func checkGoing() throws(Failure) {
    if isCancelled() { throw .interrupted }
    if !isWanted() { throw .nobodyListens }
  }
}

extension Failure {
  static let interrupted = Failure("not copied: the run was interrupted")
  /// Every destination of the file has failed already, with a reason of its own.
  static let nobodyListens = Failure("not copied: every destination of this file failed")
}

/// A sink with its thread and the chunks that wait for it.
private final class Line: Sendable {
  private enum Message: Sendable {
    case chunk(Chunk, at: Int64)
    case finish
  }

  private let messages: BoundedQueue<Message>
  private let thread: Thread

  init(_ sink: any ChunkSink, bound: Int) throws(SystemError) {
    let messages = BoundedQueue<Message>(bound: bound + 1)
    self.messages = messages
    thread = try Thread(name: "offload-sink") {
      while let message = messages.pop() {
        switch message {
        case .chunk(let chunk, let offset):
          if sink.isOpen { sink.take(chunk.bytes, at: offset) }
        case .finish: sink.finish()
        }
      }
    }
  }

  func push(_ chunk: Chunk, at offset: Int64) {
    messages.push(.chunk(chunk, at: offset))
  }

  /// Ends the thread after the chunks that wait, and joins it.
  func end(isWhole: Bool) {
    if isWhole { messages.push(.finish) }
    messages.close()
    thread.join()
  }
}
