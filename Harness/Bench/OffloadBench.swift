import CommandLineKit
import SystemIO
import Wire

/// `custody copy` against the two ways people copy and check by hand: every contender copies,
/// makes the copy durable, and reads both sides again from a cold cache.
struct OffloadBench {
  private let settings: Bench.Settings

  /// Peak memory that the engine may use: this, and so much for each file.
  private static let residentBytes: Int64 = 64 << 20
  private static let residentBytesPerFile: Int64 = 200

  init(_ settings: Bench.Settings) {
    self.settings = settings
  }

  /// One way to copy and check.
  private enum Contender: String, CaseIterable {
    case custody, cp, rsync

    var title: String {
      switch self {
      case .custody: return "custody copy --mode standard"
      case .cp: return "cp -a, sync -f, xxh128sum of both"
      case .rsync: return "rsync -a, sync -f, rsync -ac"
      }
    }
  }

  func run(tell: (String) -> Void) throws(BenchError) -> JSON {
    let name = BytePath("custody-bench-\(RandomID())")
    let root = try system { () throws(SystemError) in
      try FileSystem.makeDirectories(settings.folder)
      let folder = try PinnedDirectory.open(try FileSystem.resolve(settings.folder))
      return try folder.makeDirectory(name, tolerant: false)
    }
    let outcome: Result<JSON, BenchError>
    do throws(BenchError) {
      outcome = .success(try measure(root, tell))
    } catch {
      outcome = .failure(error)
    }
    try system { () throws(SystemError) in
      let folder = try PinnedDirectory.open(root.path.parent ?? "/")
      try BenchTree.remove(name, from: folder)
    }
    return try outcome.get()
  }

  private func measure(
    _ root: borrowing PinnedDirectory, _ tell: (String) -> Void
  ) throws(BenchError) -> JSON {
    let path = root.path
    let cold = ColdCache(folder: path, dropsAll: settings.dropsAllCaches)
    let mount = try system { () throws(SystemError) in try MountTable.current() }
      .entry(containing: path)
    tell("offload: on \(mount?.type ?? "unknown") at \(path.escaped), cold by \(cold.method)")
    var results: [JSON.Member] = [
      .init("fileSystem", .text(mount?.type ?? "unknown")), .init("cold", .text(cold.method)),
    ]
    for tree in [BenchTree.large(settings.largeByteCount), .small(settings.smallCount)] {
      try system { () throws(SystemError) in try tree.make(in: root) }
      results.append(.init(tree.name, try compete(tree, root, cold, tell)))
      try system { () throws(SystemError) in
        try BenchTree.remove(BytePath(tree.name), from: root)
      }
    }
    return .object(results)
  }

  /// All contenders in every round, each round with another one first.
  private func compete(
    _ tree: BenchTree, _ root: borrowing PinnedDirectory, _ cold: ColdCache,
    _ tell: (String) -> Void
  ) throws(BenchError) -> JSON {
    let size = ByteCount.text(UInt64(tree.byteCount / Int64(max(1, tree.fileCount))))
    tell("")
    tell("\(tree.name): \(tree.fileCount) x \(size), \(settings.rounds) rounds")
    var taken: [Contender: [Measurement]] = [:]
    let keeps = try keepsCopies(tree, root)
    for round in 0..<settings.rounds {
      for place in Contender.allCases.indices {
        let contender = Contender.allCases[(round + place) % Contender.allCases.count]
        let copy = BytePath("copy-\(contender.rawValue)-\(round)")
        let one = try run(contender, tree, root, copy, cold)
        if !keeps {
          try system { () throws(SystemError) in try BenchTree.remove(copy, from: root) }
        }
        taken[contender, default: []].append(one)
        tell(
          "  round \(round + 1): \(contender.rawValue) \(Ratio.twoPlaces(one.wall.seconds)) s, "
            + "\(Ratio.twoPlaces(one.processor.seconds)) s of processor")
      }
    }
    try system { () throws(SystemError) in
      for entry in try root.list() where entry.name != BytePath(tree.name) {
        try BenchTree.remove(entry.name, from: root)
      }
    }
    for line in Self.table(taken) { tell("  " + line) }
    let peak = (taken[.custody] ?? []).map(\.peakResidentBytes).max() ?? 0
    let limit = Self.residentBytes + Self.residentBytesPerFile * Int64(tree.fileCount)
    tell(
      "  custody's peak memory: \(ByteCount.text(UInt64(peak))) of "
        + "\(ByteCount.text(UInt64(limit))) allowed" + (peak > limit ? ": TOO MUCH" : ""))
    return Self.json(taken, tree, peak: peak, limit: limit)
  }

  /// Many copies are kept to the end where there is room: for a minute ext4 steps over each inode
  /// that was just freed, and whoever makes files then pays for what was removed before.
  private func keepsCopies(
    _ tree: BenchTree, _ root: borrowing PinnedDirectory
  ) throws(BenchError) -> Bool {
    let free = try system { () throws(SystemError) in try root.statistics().availableBytes }
    let copies = Int64(settings.rounds * Contender.allCases.count)
    return tree.fileCount > 1 && UInt64(tree.byteCount * copies * 2) < free
  }

  private static func table(_ taken: [Contender: [Measurement]]) -> [String] {
    var table = TextTable(
      header: ["custody to", "wall min / median / max", "processor min / median / max"],
      alignments: [.left, .right, .right])
    for rival in Contender.allCases where rival != .custody {
      let (wall, processor) = ratios(taken, rival)
      table.add([rival.title, wall?.text ?? "-", processor?.text ?? "-"])
    }
    return table.lines
  }

  /// Ratios of the same round, so that what slows the machine for a while slows both.
  private static func ratios(
    _ taken: [Contender: [Measurement]], _ rival: Contender
  ) -> (wall: Ratio?, processor: Ratio?) {
    let pairs = zip(taken[.custody] ?? [], taken[rival] ?? [])
    return (
      Ratio(pairs.map { $0.wall.seconds / $1.wall.seconds }),
      Ratio(pairs.map { $0.processor.seconds / $1.processor.seconds })
    )
  }

  private static func json(
    _ taken: [Contender: [Measurement]], _ tree: BenchTree, peak: Int64, limit: Int64
  ) -> JSON {
    var members: [JSON.Member] = [
      .init("files", JSON(tree.fileCount)), .init("bytes", JSON(tree.byteCount)),
      .init("peakResidentBytes", JSON(peak)), .init("allowedResidentBytes", JSON(limit)),
    ]
    for contender in Contender.allCases {
      let (wall, processor) = ratios(taken, contender)
      members.append(
        .init(
          contender.rawValue,
          .object([
            .init("wallRatio", wall?.json ?? .null), .init("cpuRatio", processor?.json ?? .null),
            .init("rounds", .array((taken[contender] ?? []).map(\.json))),
          ])))
    }
    return .object(members)
  }

  private func run(
    _ contender: Contender, _ tree: BenchTree, _ root: borrowing PinnedDirectory,
    _ copy: BytePath, _ cold: ColdCache
  ) throws(BenchError) -> Measurement {
    let source = root.path.appending(BytePath(tree.name))
    let target = root.path.appending(copy)
    let directory = try system { () throws(SystemError) in
      try root.makeDirectory(copy, tolerant: false)
    }
    var total = Measurement()
    for step in try steps(contender, source, target) {
      try cold.make()
      for tool in step { try tool.run(adding: &total) }
    }
    try tree.check(in: directory, after: contender.title)
    return total
  }

  /// Commands in steps; the cache is emptied before each step and not between its commands.
  private func steps(
    _ contender: Contender, _ source: BytePath, _ target: BytePath
  ) throws(BenchError) -> [[Tool]] {
    let sync = try Tool(named: "sync", ["-f", target])
    let inner = source.appending(".")
    let slashed = source.appending("")
    switch contender {
    case .custody:
      return [[Tool(settings.custody, ["copy", source, "--to", target, "--mode", "standard"])]]
    case .cp:
      let copy = try Tool(named: "cp", ["-a", "--reflink=never", inner, target])
      let sum = try Tool(
        named: "find",
        [source, target, "-type", "f", "-exec", "xxh128sum", "{}", "+"])
      return [[copy, sync], [sum]]
    case .rsync:
      let copy = try Tool(named: "rsync", ["-a", slashed, target])
      let check = try Tool(named: "rsync", ["-ac", slashed, target])
      return [[copy, sync], [check]]
    }
  }
}
