import Hashing
import SystemIO

/// Brings files from the source to every destination: one read feeds all copies, three witnesses
/// judge each, and only proven bytes get their final name.
struct FileTransfer {
  let context: RunContext
  let source: SourceSide
  let destinations: [Destination]
  let ledger: RunLedger
  let lanes: Lanes
  let progress: ProgressMeter
  let isCancelled: @Sendable () -> Bool

  private var algorithms: [HashAlgorithm] { context.mode.algorithms }

  /// Runs a batch of files to their end on every destination and fills their cells. Blocks.
  ///
  /// Each step is done for all files before the next one begins: what they ask of a disk at the
  /// same time it does together. A large file is a batch of its own, on lanes.
  func run(_ files: [Int], _ bench: Workbench) {
    let batch = files.map { Passage($0, begin($0)) }
    if let only = batch.first, isLarge(only), !bench.isAlone {
      lanes.copy { copy(batch, .lane($0)) }
      if only.copied != nil { lanes.verify { verify(batch, .lane($0)) } }
    } else {
      copy(batch, .bench(bench))
      sync(batch)
      verify(batch, .bench(bench))
    }
    for passage in batch {
      publish(passage, bench)
      for copy in passage.copies { record(copy) }
      progress.countVerified()
    }
  }

  private func isLarge(_ passage: Passage) -> Bool {
    context.manifest.files[passage.file].byteCount >= Lanes.largeByteCount
      && !passage.copies.isEmpty
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
  private func copy(_ batch: [Passage], _ means: Means) {
    for passage in batch where passage.isAlive {
      do throws(Failure) {
        _ = try passage.open(source)
      } catch {
        failAll(passage.copies, error)
      }
    }
    readAhead(means) { ahead in
      for passage in batch { passage.source?.read(by: ahead) }
    }
    for passage in batch where !passage.copies.isEmpty {
      do throws(Failure) {
        if let opened = passage.takeSource() { try copy(passage, opened, means) }
      } catch {
        failAll(passage.copies, error)
      }
      progress.countCopied()
    }
  }

  private func copy(
    _ passage: Passage, _ opened: SourceFile, _ means: Means
  ) throws(Failure) {
    let copies = passage.copies
    for copy in copies { copy.prepare() }
    guard passage.isAlive else { return }
    let hashes = try hashSinks(means)
    var sinks: [any ChunkSink] = hashes
    for copy in copies where copy.isAlive && !copy.isReused {
      if means.isLane { copy.writeDirectly() }
      sinks.append(WriteSink(copy, syncsAlone: means.isLane))
    }
    let writing = sinks.count - hashes.count
    try run(pump(copies) { progress.addCopied($0 * writing) }, opened, sinks, means)
    try opened.check()
    passage.copied = Digests.joining(hashes.compactMap(\.digests), as: algorithms)
  }

  /// Makes the copies of a batch durable. The disks are given all bytes first, so that each sync
  /// finds most of its work under way.
  private func sync(_ batch: [Passage]) {
    let copies = batch.flatMap(\.alive)
    if copies.count > 1 {
      for copy in copies { copy.startWriteback(byteCount: copy.byteCount) }
    }
    for copy in copies { copy.sync() }
  }

  /// Reads the small files of a batch together, before they are needed one by one.
  private func readAhead(_ means: Means, _ plan: (ReadAhead) -> Void) {
    guard case .bench(let bench) = means else { return }
    bench.ahead.clear()
    plan(bench.ahead)
    bench.ahead.run()
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
  private func verify(_ batch: [Passage], _ means: Means) {
    let proving = batch.filter { $0.copied != nil }
    for passage in proving { openAgain(passage) }
    readAhead(means) { ahead in
      for passage in proving {
        passage.source?.read(by: ahead)
        for copy in passage.copies { copy.readBack(by: ahead) }
      }
    }
    for passage in proving {
      let alive = passage.alive
      guard let copied = passage.copied, !alive.isEmpty else { continue }
      do throws(Failure) {
        try verify(passage, alive, copied, means)
      } catch {
        failAll(alive, error)
      }
    }
  }

  /// Opens the copies and the source for the readings that have to come from their media.
  private func openAgain(_ passage: Passage) {
    for copy in passage.copies {
      copy.openForReadBack()
      copy.evict()
    }
    if !passage.isAlive || context.readsSourceOnce { return }
    do throws(Failure) {
      let opened = try passage.open(source)
      let evicted = opened.evict()
      // As for the destination: the facts are those of the root's volume.
      let isOnRoot = opened.identity.device == source.root.metadata.identity.device
      passage.sourceLevel = isOnRoot ? evicted : .cached
    } catch {
      failAll(passage.alive, error)
    }
  }

  private func verify(
    _ passage: Passage, _ copies: [DestinationCopy], _ copied: Digests, _ means: Means
  ) throws(Failure) {
    let sinks = try readBackSinks(copies, means)
    if context.readsSourceOnce {
      for sink in sinks {
        sink.readAlone(progress: { progress.addVerified($0) }, isCancelled: isCancelled)
      }
      return judge(sinks, copied, reread: copied)
    }
    guard let opened = passage.takeSource() else {
      throw Failure("the source was not opened again")
    }
    let hashes = try hashSinks(means)
    let count = copies.count
    try run(
      pump(copies) { progress.addVerified($0 * count) }, opened, hashes + sinks, means)
    try opened.check()
    guard let reread = Digests.joining(hashes.compactMap(\.digests), as: algorithms) else {
      throw Failure("the source's second read gave no digest")
    }
    for copy in copies where copy.isAlive { copy.limitLevel(bySource: passage.sourceLevel) }
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
  private func publish(_ passage: Passage, _ bench: Workbench) {
    let digests = passage.copied
    if let digests { ledger.setDigests(passage.file, digests) }
    for copy in passage.alive {
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
