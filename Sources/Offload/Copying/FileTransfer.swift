import Hashing
import SystemIO

/// Brings one file from the source to every destination: one read feeds all copies, three
/// witnesses judge each, and only proven bytes get their final name.
struct FileTransfer {
  let context: RunContext
  let source: SourceSide
  let destinations: [Destination]
  let ledger: RunLedger
  let lanes: Lanes
  let progress: ProgressMeter
  let isCancelled: @Sendable () -> Bool

  private var algorithms: [HashAlgorithm] { context.mode.algorithms }

  /// Runs the file to its end on every destination and fills its cells. Blocks.
  func run(_ file: Int, _ bench: Workbench) {
    let copies = begin(file)
    if !copies.isEmpty {
      let isLarge =
        !bench.isAlone && context.manifest.files[file].byteCount >= Lanes.largeByteCount
      let digests =
        isLarge
        ? lanes.copy { copy(file, copies, .lane($0)) } : copy(file, copies, .bench(bench))
      progress.countCopied()
      if let digests {
        if isLarge {
          lanes.verify { verify(file, copies, digests, .lane($0)) }
        } else {
          verify(file, copies, digests, .bench(bench))
        }
      }
      publish(file, copies, digests, bench)
      for copy in copies { record(copy) }
    }
    progress.countVerified()
  }

  private enum Means {
    case bench(Workbench), lane(Lane)

    var isLane: Bool {
      if case .lane = self { return true }
      return false
    }
  }

  /// One copy for each destination that can take the file.
  private func begin(_ file: Int) -> [DestinationCopy] {
    var copies: [DestinationCopy] = []
    for destination in destinations {
      do throws(Failure) {
        if let lost = source.lost { throw lost }
        copies.append(try DestinationCopy(context, destination, file: file))
      } catch {
        ledger.fail(file, destination.index, error)
      }
    }
    return copies
  }

  private func failAll(_ copies: [DestinationCopy], _ failure: Failure) {
    source.noteTrouble(failure)
    for copy in copies { copy.fail(failure) }
  }

  private func pump(_ copies: [DestinationCopy], _ count: @escaping (Int) -> Void) -> ChunkPump {
    ChunkPump(
      progress: count, isCancelled: isCancelled,
      isWanted: { copies.contains { $0.isAlive } })
  }

  private func run(
    _ pump: ChunkPump, _ opened: SourceFile, _ sinks: [any ChunkSink], _ means: Means
  ) throws(Failure) {
    switch means {
    case .bench(let bench): try pump.run(opened, sinks, buffer: bench.chunk)
    case .lane(let lane): try pump.run(opened, sinks, pool: lane.chunks)
    }
  }
}

/// The copy pass: the first witness.
extension FileTransfer {
  /// - Returns: what the bytes hashed to while they were copied; nil in quick mode and when the
  ///   source failed.
  private func copy(_ file: Int, _ copies: [DestinationCopy], _ means: Means) -> Digests? {
    do throws(Failure) {
      let opened = try source.open(file)
      for copy in copies { copy.prepare() }
      guard copies.contains(where: { $0.isAlive }) else { return nil }
      let hashes = try hashSinks(means)
      var sinks: [any ChunkSink] = hashes
      for copy in copies where copy.isAlive && !copy.isReused {
        if means.isLane { copy.writeDirectly() }
        sinks.append(WriteSink(copy, startsWriteback: means.isLane))
      }
      let writing = sinks.count - hashes.count
      try run(pump(copies) { progress.addCopied($0 * writing) }, opened, sinks, means)
      try opened.check()
      return Digests.joining(hashes.compactMap(\.digests), as: algorithms)
    } catch {
      failAll(copies, error)
      return nil
    }
  }

  /// One sink for all hashes; on a lane each slow hash has its own thread.
  private func hashSinks(_ means: Means) throws(Failure) -> [HashSink] {
    if algorithms.isEmpty { return [] }
    do throws(HashingError) {
      guard case .lane = means else { return [try HashSink(algorithms)] }
      var sinks: [HashSink] = []
      for algorithm in algorithms { sinks.append(try HashSink([algorithm])) }
      return sinks
    } catch {
      throw Failure("\(error)")
    }
  }
}

/// The verification pass: the second and the third witness, side by side.
extension FileTransfer {
  private func verify(
    _ file: Int, _ copies: [DestinationCopy], _ copied: Digests, _ means: Means
  ) {
    for copy in copies {
      copy.openForReadBack()
      copy.evict()
    }
    let alive = copies.filter(\.isAlive)
    guard !alive.isEmpty else { return }
    do throws(Failure) {
      let sinks = try readBackSinks(alive, means)
      if context.readsSourceOnce {
        for sink in sinks {
          sink.readAlone(progress: { progress.addVerified($0) }, isCancelled: isCancelled)
        }
        judge(sinks, copied, reread: copied)
      } else {
        try rereadSource(file, alive, sinks, copied, means)
      }
    } catch {
      failAll(alive, error)
    }
  }

  private func rereadSource(
    _ file: Int, _ copies: [DestinationCopy], _ sinks: [ReadBackSink], _ copied: Digests,
    _ means: Means
  ) throws(Failure) {
    let opened = try source.open(file)
    let evicted = opened.evict()
    // As for the destination: the facts are those of the root's volume.
    let isOnRoot = opened.identity.device == source.root.metadata.identity.device
    let level = isOnRoot ? evicted : .cached
    let hashes = try hashSinks(means)
    let count = copies.count
    try run(
      pump(copies) { progress.addVerified($0 * count) }, opened, hashes + sinks, means)
    try opened.check()
    guard let reread = Digests.joining(hashes.compactMap(\.digests), as: algorithms) else {
      throw Failure("the source's second read gave no digest")
    }
    for copy in copies where copy.isAlive { copy.limitLevel(bySource: level) }
    judge(sinks, copied, reread: reread)
  }

  private func readBackSinks(
    _ copies: [DestinationCopy], _ means: Means
  ) throws(Failure) -> [ReadBackSink] {
    var sinks: [ReadBackSink] = []
    for copy in copies {
      do throws(HashingError) {
        switch means {
        case .bench(let bench):
          sinks.append(
            try ReadBackSink(
              copy, algorithms, buffer: bench.readBack, comparesBytes: comparesBytes))
        case .lane(let lane):
          sinks.append(
            try ReadBackSink(
              copy, algorithms, spare: lane.spares.take(), comparesBytes: comparesBytes))
        }
      } catch {
        throw Failure("\(error)")
      }
    }
    return sinks
  }

  private var comparesBytes: Bool { context.mode.comparesBytes && !context.readsSourceOnce }

  private func judge(_ sinks: [ReadBackSink], _ copied: Digests, reread: Digests) {
    for sink in sinks where sink.copy.isAlive {
      let verdict = WitnessVerdict(
        copied: copied, reread: context.readsSourceOnce ? nil : reread, found: sink.digests,
        foundDifference: sink.foundDifference)
      if let failure = verdict.failure(isReused: sink.copy.isReused, sink.copy) {
        sink.copy.fail(failure)
      }
    }
  }
}

/// Publication and the record.
extension FileTransfer {
  private func publish(
    _ file: Int, _ copies: [DestinationCopy], _ digests: Digests?, _ bench: Workbench
  ) {
    if let digests { ledger.setDigests(file, digests) }
    for copy in copies where copy.isAlive {
      if isCancelled() {
        copy.fail(.interrupted)
        continue
      }
      if !context.mode.verifies { copy.closeWriter() }
      copy.publish()
      if copy.hasLostName, context.mode.verifies, let digests { prove(copy, digests, bench) }
    }
  }

  /// The name was taken while the copy was under way, or the answer of a link that was made got
  /// lost: what is there counts only if it is proven like any existing file (contract 66).
  private func prove(_ copy: DestinationCopy, _ digests: Digests, _ bench: Workbench) {
    let sourceLevel = copy.sourceLevel
    copy.takeWhatIsThere()
    copy.openForReadBack()
    copy.evict()
    guard copy.isAlive else { return }
    do throws(HashingError) {
      let sink = try ReadBackSink(
        copy, algorithms, buffer: bench.readBack, comparesBytes: false)
      sink.readAlone(progress: { _ in }, isCancelled: isCancelled)
      copy.limitLevel(bySource: sourceLevel)
      judge([sink], digests, reread: digests)
    } catch {
      copy.fail(Failure("\(error)"))
    }
    copy.publish()
  }

  private func record(_ copy: DestinationCopy) {
    guard let failure = copy.failure else {
      let isProven = context.mode.verifies && copy.level.provesMedium
      ledger.succeed(
        copy.file, copy.destination.index, isProven ? .verified : .copiedUnverified,
        level: copy.level, isReused: copy.isReused, inode: copy.identity?.inode,
        modification: copy.modification,
        note: isProven || !context.mode.verifies ? "" : copy.weakness)
      return
    }
    copy.discard()
    ledger.fail(copy.file, copy.destination.index, failure, level: copy.level)
  }
}

extension Digests {
  /// The digests of several sinks as one; nil when there are none.
  fileprivate static func joining(
    _ parts: [Digests], as algorithms: [HashAlgorithm]
  ) -> Digests? {
    guard let first = parts.first else { return nil }
    return parts.dropFirst().reduce(first) { $0.joined(with: $1) }.ordered(as: algorithms)
  }
}
