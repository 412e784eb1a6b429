import Testing

@testable import SystemIO

@Suite(.timeLimit(.minutes(1))) struct ThreadingTests {
  @Test("A pool runs as many blocking jobs at once as it has threads")
  func parallel() async throws {
    let pool = try ThreadPool(name: "pool", threadCount: 8)
    // Each job waits for all the others: fewer threads would never come to an end.
    let running = Monitor(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await pool.run {
            running.update { $0 += 1 }
            running.waitUntil { $0 == 8 }
          }
        }
      }
    }
    pool.shutdown()
  }

  @Test("run returns what the job returns and throws what it throws")
  func results() async throws {
    let pool = try ThreadPool(name: "pool", threadCount: 2)
    #expect(await pool.run { 41 + 1 } == 42)
    let failure = SystemError(call: "x", errno: .inputOutput)
    do throws(SystemError) {
      _ = try await pool.run { () throws(SystemError) -> Int in throw failure }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == failure)
    }
    pool.shutdown()
  }

  @Test("shutdown runs what waits, joins, and later jobs are refused")
  func shutdown() throws {
    let pool = try ThreadPool(name: "pool", threadCount: 1)
    let done = Monitor(0)
    for _ in 0..<100 { pool.submit { done.update { $0 += 1 } } }
    pool.shutdown()
    #expect(done.read { $0 } == 100)
    #expect(!pool.submit { done.update { $0 += 1 } })
    #expect(done.read { $0 } == 100)
  }

  @Test("submit blocks at its bound until a job is taken, run does not count for it")
  func bound() async throws {
    let pool = try ThreadPool(name: "pool", threadCount: 1)
    let gate = Monitor(false)
    let submitted = Monitor(0)
    pool.submit { gate.waitUntil { $0 } }
    let thread = try Thread(name: "submitter") {
      for _ in 0..<(ThreadPool.queueBound + 10) {
        pool.submit {}
        submitted.update { $0 += 1 }
      }
    }
    submitted.waitUntil { $0 >= ThreadPool.queueBound - 1 }
    #expect(!submitted.waitUntil(timeout: .milliseconds(50)) { $0 > ThreadPool.queueBound })
    async let last = pool.run { 1 }
    gate.update { $0 = true }
    thread.join()
    #expect(await last == 1)
    #expect(submitted.read { $0 } == ThreadPool.queueBound + 10)
    pool.shutdown()
  }

  @Test("A queue keeps order, blocks when full, and ends after close when empty")
  func queue() throws {
    let queue = BoundedQueue<Int>(bound: 3)
    let thread = try Thread(name: "producer") {
      for number in 0..<10_000 { queue.push(number) }
      queue.close()
      #expect(!queue.push(-1))
    }
    var received: [Int] = []
    while let number = queue.pop() {
      received.append(number)
      #expect(queue.count <= 3)
    }
    thread.join()
    #expect(received == Array(0..<10_000))
    #expect(queue.pop() == nil)
    #expect(queue.tryPop() == nil)
  }

  @Test("tryPush refuses at the bound, tryPop gives nil when empty")
  func tries() {
    let queue = BoundedQueue<Int>(bound: 2)
    #expect(queue.tryPop() == nil)
    #expect(queue.tryPush(1) && queue.tryPush(2))
    #expect(!queue.tryPush(3))
    #expect(queue.tryPop() == 1)
    #expect(queue.tryPush(3))
    queue.close()
    #expect(!queue.tryPush(4))
    #expect(queue.pop() == 2 && queue.pop() == 3)
  }

  @Test("close wakes a blocked producer and a blocked consumer")
  func closeWakes() throws {
    let full = BoundedQueue<Int>(bound: 1)
    full.push(1)
    let empty = BoundedQueue<Int>(bound: 1)
    let answers = Monitor<[Bool]>([])
    let producer = try Thread(name: "producer") {
      let answer = full.push(2)
      answers.update { $0.append(answer) }
    }
    let consumer = try Thread(name: "consumer") {
      let answer = empty.pop() != nil
      answers.update { $0.append(answer) }
    }
    SystemClock().sleep(.milliseconds(20))
    full.close()
    empty.close()
    producer.join()
    consumer.join()
    #expect(answers.read { $0 } == [false, false])
  }

  @Test("A timed wait ends with nil when nobody comes, and at once when the value is there")
  func timedWait() {
    let monitor = Monitor(0)
    let clock = SystemClock()
    let start = clock.monotonic()
    #expect(monitor.wait(timeout: .milliseconds(30)) { $0 == 1 ? true : nil } == nil)
    #expect(clock.monotonic() - start >= .milliseconds(30))
    monitor.update { $0 = 1 }
    #expect(monitor.wait(timeout: .seconds(50)) { $0 == 1 ? true : nil } == true)
  }

  @Test("Memory of a pool is lent, comes back by itself, and is never lent twice")
  func buffers() throws {
    let pool = BufferPool(count: 2, byteCount: 100)
    var first: Chunk? = pool.take()
    let second = pool.take()
    #expect(pool.tryTake() == nil)
    #expect(first?.buffer !== second.buffer)
    let address = first?.buffer
    first = nil
    let third = try #require(pool.tryTake())
    #expect(third.buffer === address)
    #expect(third.count == 0)
  }

  @Test("A sleep on the manual clock moves it and takes no time")
  func manualClock() {
    let clock = ManualClock(now: Timestamp(seconds: 100))
    clock.sleep(.seconds(3600))
    clock.advance(by: .milliseconds(500))
    #expect(clock.now() == Timestamp(seconds: 3700, nanoseconds: 500_000_000))
    #expect(clock.monotonic() == .milliseconds(3_600_500))
  }

  @Test("The system clock sleeps at least as long as asked")
  func systemClock() {
    let clock = SystemClock()
    let start = clock.monotonic()
    clock.sleep(.milliseconds(20))
    #expect(clock.monotonic() - start >= .milliseconds(20))
    #expect(clock.now() > Timestamp(seconds: 1_600_000_000))
  }

  @Test("Threads have names that ps shows, cut to 15 bytes")
  func names() throws {
    let name = Monitor<[UInt8]?>(nil)
    let thread = try Thread(name: "a-very-long-thread-name") {
      let bytes = try? FileSystem.contents(of: "/proc/thread-self/comm")
      name.update { $0 = bytes }
    }
    thread.join()
    thread.join()
    #expect(name.read { $0 } == Array("a-very-long-thr\n".utf8))
  }

  @Test("A bound thread and what it starts run on one core", arguments: [0, 1, 1000])
  func binding(turn: Int) throws {
    let output = Monitor<[UInt8]>([])
    let thread = try Thread(name: "bound") {
      do throws(SystemError) {
        try Thread.bindCurrent(turn: turn)
        let pipe = try FileDescriptor.pipe()
        var child = try ChildProcess.spawn(
          ChildProcess.Command("/usr/bin/nproc"), descriptors: [(pipe.writing.rawValue, 1)])
        guard try child.wait()?.isSuccess == true else { return }
        let buffer = AlignedBuffer(byteCount: 64)
        let count = try pipe.reading.read(into: buffer.bytes)
        output.update { $0 = Array(buffer.bytes.prefix(count)) }
      } catch {
        output.update { $0 = Array("\(error)".utf8) }
      }
    }
    thread.join()
    #expect(output.read { $0 } == Array("1\n".utf8))
  }
}
