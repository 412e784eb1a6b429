public import SystemIO

/// Many digests in one pass, with a thread for each slow hash; the fast ones run on the caller.
///
/// Chunks are shared, not copied: each goes back to its pool when the slowest hash has read it.
/// The queues are short, so a slow hash holds the caller back. Worth its threads from a few
/// megabytes on; small files are faster with `MultiDigest`.
public struct ParallelDigest: ~Copyable, Sendable {
  /// Chunks that wait for one hash before the caller blocks.
  public static let queueBound = 4

  /// The hashes in the order they were asked for, doubles left out.
  public let algorithms: [HashAlgorithm]
  private var fast: MultiDigest
  private let workers: [SlowHash]

  /// Starts the threads.
  ///
  /// - Throws: `unavailable` for a hash that the crypto library does not offer; `thread` when no
  ///   thread can be started.
  public init(_ algorithms: [HashAlgorithm]) throws(HashingError) {
    var wanted: [HashAlgorithm] = []
    var families: [[HashAlgorithm]] = []
    for algorithm in algorithms where !wanted.contains(algorithm) {
      wanted.append(algorithm)
      guard let name = algorithm.openSSLName else { continue }
      if let index = families.firstIndex(where: { $0.first?.openSSLName == name }) {
        families[index].append(algorithm)
      } else {
        families.append([algorithm])
      }
    }
    var workers: [SlowHash] = []
    for family in families { workers.append(try SlowHash(family)) }
    let fast = try MultiDigest(wanted.filter { !$0.isSlow })
    self.init(wanted, fast, workers)
  }

  private init(
    _ algorithms: [HashAlgorithm], _ fast: consuming MultiDigest, _ workers: [SlowHash]
  ) {
    self.algorithms = algorithms
    self.fast = fast
    self.workers = workers
  }

  /// Takes the next chunk; blocks while a hash is `queueBound` chunks behind.
  ///
  /// The chunk's bytes must not change after this.
  public mutating func update(_ chunk: Chunk) {
    for worker in workers { worker.push(.chunk(chunk)) }
    fast.update(chunk.bytes)
  }

  /// The digests of all bytes since the start, and a new start; waits for every hash.
  public mutating func finish() -> Digests {
    for worker in workers { worker.push(.finish) }
    var all = fast.finish()
    for worker in workers { all = all.joined(with: worker.answer()) }
    return all.ordered(as: algorithms)
  }

  /// Forgets the bytes so far.
  public mutating func reset() {
    for worker in workers { worker.push(.reset) }
    fast.reset()
  }
}

/// A slow hash with its thread, which ends when nobody holds the hash any more.
private final class SlowHash: Sendable {
  enum Message: Sendable {
    case chunk(Chunk)
    case finish, reset
  }

  private let messages = BoundedQueue<Message>(bound: ParallelDigest.queueBound)
  private let answers = BoundedQueue<Digests>(bound: 1)
  private let thread: Thread

  init(_ algorithms: [HashAlgorithm]) throws(HashingError) {
    let work = Work(try MultiDigest(algorithms))
    let name = "hash-\(algorithms.first?.rawValue ?? "")"
    do throws(SystemError) {
      thread = try Thread(name: name) { [messages, answers] in
        while let message = messages.pop() {
          switch message {
          case .chunk(let chunk): work.digest.update(chunk.bytes)
          case .finish: answers.push(work.digest.finish())
          case .reset: work.digest.reset()
          }
        }
      }
    } catch {
      throw .thread(error)
    }
  }

  deinit {
    messages.close()
    thread.join()
  }

  func push(_ message: Message) {
    messages.push(message)
  }

  func answer() -> Digests {
    guard let digests = answers.pop() else {
      preconditionFailure("The queue of answers is never closed")
    }
    return digests
  }

  /// What the thread works on.
  // @unchecked: made before the thread, then touched by the thread alone.
  private final class Work: @unchecked Sendable {
    var digest: MultiDigest

    init(_ digest: consuming MultiDigest) {
      self.digest = digest
    }
  }
}
