import CommandLineKit
import Hashing
import SystemIO
import Wire

/// Our streaming hashes in one pass over memory: how many bytes a second each takes.
enum HashBench {
  private static let chunkByteCount = 4 << 20
  private static let chunkCount = 256

  static func run(tell: (String) -> Void) throws(BenchError) -> JSON {
    let pool = BufferPool(count: 8, byteCount: chunkByteCount)
    var table = TextTable(
      header: ["hash", "MiB/s", "MiB per processor second"], alignments: [.left, .right, .right])
    var members: [JSON.Member] = []
    func add(_ name: String, _ taken: Measurement) {
      let size = Double(chunkCount * chunkByteCount >> 20)
      let speeds = [taken.wall, taken.processor].map { size / max($0.seconds, 1e-9) }
      table.add([name] + speeds.map { String(Int($0)) })
      members.append(.init(name, taken.json))
    }
    do throws(HashingError) {
      for algorithm in HashAlgorithm.allCases {
        add(algorithm.rawValue, try alone([algorithm], pool))
      }
      let usual: [HashAlgorithm] = [.sha256, .md5, .xxh128]
      add("sha256+md5+xxh128, one thread", try alone(usual, pool))
      add("sha256+md5+xxh128, threads", try together(usual, pool))
    } catch {
      throw .hashing("\(error)")
    }
    tell("hash: 1 GiB of memory in 4 MiB chunks")
    for line in table.lines { tell("  " + line) }
    return .object(members)
  }

  private static func alone(
    _ algorithms: [HashAlgorithm], _ pool: BufferPool
  ) throws(HashingError) -> Measurement {
    var digest = try MultiDigest(algorithms)
    let chunk = pool.take()
    chunk.count = chunkByteCount
    return measured {
      for _ in 0..<chunkCount { digest.update(chunk.bytes) }
      _ = digest.finish()
    }
  }

  private static func together(
    _ algorithms: [HashAlgorithm], _ pool: BufferPool
  ) throws(HashingError) -> Measurement {
    var digest = try ParallelDigest(algorithms)
    return measured {
      for _ in 0..<chunkCount {
        let chunk = pool.take()
        chunk.count = chunkByteCount
        digest.update(chunk)
      }
      _ = digest.finish()
    }
  }

  private static func measured(_ body: () -> Void) -> Measurement {
    let clock = SystemClock()
    let start = (clock.monotonic(), Resources.processorTime())
    body()
    return Measurement(
      wall: clock.monotonic() - start.0, processor: Resources.processorTime() - start.1)
  }
}
