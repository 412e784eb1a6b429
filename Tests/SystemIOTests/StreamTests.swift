import Glibc
import Testing

@testable import SystemIO

@Suite(.timeLimit(.minutes(1))) struct StreamTests {
  @Test("Lines come whole however the bytes arrive, the last one without a newline too")
  func lines() throws {
    try FileDescriptor.pipe().split { reading, writing in
      let text = "one\n\n" + String(repeating: "x", count: 40_000) + "\nlast"
      let number = writing.release()
      let thread = try Thread(name: "writer") {
        let writing = FileDescriptor(owning: number)
        for byte in text.utf8.prefix(6) { try? writing.writeAll([byte]) }
        try? writing.writeAll(Array(text.utf8.dropFirst(6)))
      }
      var reader = LineReader(reading)
      var lines: [String] = []
      while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      thread.join()
      #expect(lines == ["one", "", String(repeating: "x", count: 40_000), "last"])
    }
  }

  @Test("A line above the limit is refused, one at the limit is not")
  func longLine() throws {
    try FileDescriptor.pipe().split { reading, writing in
      try writing.writeAll(Array("12345\n123456\n".utf8))
      var reader = LineReader(reading, lengthLimit: 5)
      let first = try reader.next()
      #expect(first == Array("12345".utf8))
      do throws(SystemError) {
        _ = try reader.next()
        Issue.record("a line of six bytes passed")
      } catch {
        #expect(error.errno == .messageTooLong)
      }
    }
  }

  @Test("A reader that timed out goes on with what had come")
  func timeout() throws {
    try FileDescriptor.pipe().split { reading, writing in
      var reader = LineReader(reading)
      try writing.writeAll(Array("ab".utf8))
      do throws(SystemError) {
        _ = try reader.next(timeout: .milliseconds(20))
        Issue.record("half a line passed")
      } catch {
        #expect(error.errno == .timedOut)
      }
      try writing.writeAll(Array("c\n".utf8))
      let line = try reader.next(timeout: .seconds(10))
      #expect(line == Array("abc".utf8))
    }
  }

  @Test("poll tells which descriptor is ready, and nothing when the time is over")
  func poll() throws {
    try FileDescriptor.pipe().split { reading, writing in
      let nothing = try Poller.wait(for: .readable, on: reading, timeout: .milliseconds(10))
      #expect(nothing == [])
      try writing.writeAll([1])
      let events = try Poller.wait([
        (reading.rawValue, .readable), (writing.rawValue, .writable), (9999, .readable),
      ])
      #expect(events == [.readable, .writable, .invalid])
      // With the byte still there, poll would not wait for a child of another test, started just
      // now, to let go of its copy of the other end.
      let buffer = AlignedBuffer(byteCount: 8)
      _ = try reading.read(into: buffer.bytes)
      try writing.close()
      let end = try Poller.wait(for: .readable, on: reading)
      #expect(end.contains(.hungUp))
    }
  }

  @Test("A pair of sockets carries bytes both ways; a closed peer is EPIPE and no signal")
  func pair() throws {
    try UnixSocket.pair().split { first, second in
      try first.sendAll(Array("hello".utf8))
      let buffer = AlignedBuffer(byteCount: 64)
      let count = try second.read(into: buffer.bytes)
      #expect(Array(buffer.prefix(count)) == Array("hello".utf8))
      try second.shutdown(reading: false, writing: true)
      let end = try first.read(into: buffer.bytes)
      #expect(end == 0)
      try second.close()
      do throws(SystemError) {
        try first.sendAll([1])
        Issue.record("sent to nobody")
      } catch {
        #expect(error.errno == .brokenPipe)
      }
    }
  }

  @Test("A socket at a path takes connections; a taken or too long path is refused")
  func listener() throws {
    let scratch = try Scratch()
    // The checkout's own path may be longer than a socket's address can be.
    let directory = try scratch.open()
    let path = BytePath("/proc/self/fd/\(directory.descriptor.rawValue)/s")
    let listener = try UnixSocket.listen(at: path)
    let client = try UnixSocket.connect(to: path)
    let server = try UnixSocket.accept(listener)
    try client.sendAll([42])
    let buffer = AlignedBuffer(byteCount: 8)
    let count = try server.read(into: buffer.bytes)
    #expect(count == 1 && buffer.bytes[0] == 42)
    let taken = try systemError { _ = try UnixSocket.listen(at: path) }
    #expect(taken.errno == Errno(rawValue: EADDRINUSE))
    let long = BytePath("/tmp/" + String(repeating: "x", count: 120))
    #expect(try systemError { _ = try UnixSocket.listen(at: long) }.errno == .nameTooLong)
    #expect(
      try systemError { _ = try UnixSocket.connect(to: scratch.path.appending("none")) }.errno
        == .noSuchFile)
  }

  #if DEBUG
    @Test("A poll that a signal ends is called again for the rest of its time")
    func pollInterrupted() throws {
      try FileDescriptor.pipe().split { reading, writing in
        let clock = SystemClock()
        let start = clock.monotonic()
        let number = reading.rawValue
        let events = try Interposer.with([.init("poll", count: 5, .fail(.interrupted))]) { _ in
          try Poller.wait([(number, .readable)], timeout: .milliseconds(30))
        }
        #expect(events == [[]])
        #expect(clock.monotonic() - start >= .milliseconds(30))
        try writing.close()
      }
    }
  #endif

  @Test("A blocked signal waits in its queue until it is asked for")
  func signals() throws {
    let outcome = Monitor<[Signal?]>([])
    // A thread of its own, since the block stays with the thread.
    let thread = try Thread(name: "signals") {
      guard let queue = try? SignalQueue([Signal(rawValue: SIGUSR1)]) else { return }
      let before = try? queue.next(timeout: .milliseconds(5))
      pthread_kill(pthread_self(), SIGUSR1)
      let after = try? queue.next(timeout: .seconds(10))
      outcome.update { $0 = [before ?? nil, after ?? nil] }
    }
    thread.join()
    #expect(outcome.read { $0 } == [nil, Signal(rawValue: SIGUSR1)])
    #expect(Signal.terminate.description == "SIGTERM")
  }

  @Test("Open descriptors, threads and memory are counted")
  func resources() throws {
    let held = try (0..<64).map { _ in try FileDescriptor.open("/", .readOnly).release() }
    #expect(try Resources.openDescriptorCount() >= 64 + 3)
    for number in held { _ = FileDescriptor(owning: number) }
    #expect(try Resources.threadCount() >= 1)
    let resident = try Resources.residentBytes()
    #expect(resident > 1 << 20)
    #expect(try Resources.peakResidentBytes() >= resident / 2)
  }
}
