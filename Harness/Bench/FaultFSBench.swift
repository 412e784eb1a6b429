import CommandLineKit
import FaultFS
import FaultModel
import Glibc
import SystemIO
import Wire

/// A rig's mounts without rules against a plain pass-through file system in C: the same calls of
/// the same client, over the same tmpfs, in pairs, all on one core.
///
/// One core, since a request is a sleep and a wake-up on both sides: on two, the time that a
/// halted core takes to wake hides everything else.
struct FaultFSBench {
  private let settings: Bench.Settings

  /// A backed volume takes no more than so many times what the plain one takes.
  static let bound = 1.10

  init(_ settings: Bench.Settings) {
    self.settings = settings
  }

  func run(tell: (String) -> Void) throws(BenchError) -> JSON {
    let name = BytePath("custody-bench-\(RandomID())")
    let folder = try place(name)
    let outcome: Result<JSON, BenchError>
    do throws(BenchError) {
      outcome = .success(
        try onOneCore(tell) { tell throws(BenchError) in
          try measure(in: folder, tell)
        })
    } catch {
      outcome = .failure(error)
    }
    try system { () throws(SystemError) in
      let parent = try PinnedDirectory.open(folder.parent ?? "/")
      try BenchTree.remove(name, from: parent)
    }
    return try outcome.get()
  }

  private func place(_ name: BytePath) throws(BenchError) -> BytePath {
    let above = settings.memoryFolder
    let type = try system { () throws(SystemError) in try MountTable.current() }
      .entry(containing: above)?.type
    guard type == "tmpfs" else { throw .notInMemory(above) }
    return try system { () throws(SystemError) in
      let parent = try PinnedDirectory.open(try FileSystem.resolve(above))
      return try parent.makeDirectory(name, tolerant: false).path
    }
  }

  /// On a thread that is bound to the second of our cores, as everything is that it starts.
  private func onOneCore(
    _ tell: (String) -> Void, _ body: ((String) -> Void) throws(BenchError) -> JSON
  ) throws(BenchError) -> JSON {
    let outcome = Monitor<Result<JSON, BenchError>?>(nil)
    try withoutActuallyEscaping(tell) { tell throws(BenchError) in
      try withoutActuallyEscaping(body) { body throws(BenchError) in
        // Only the new thread calls them until it has ended, and it is waited for.
        nonisolated(unsafe) let (body, tell) = (body, tell)
        try system { () throws(SystemError) in
          let thread = try Thread(name: "bench") {
            let result: Result<JSON, BenchError>
            do throws(BenchError) {
              try system { () throws(SystemError) in try Thread.bindCurrent(turn: 1) }
              // Whoever else is busy on the core gets little of it; only root may ask for that.
              _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -20)
              result = .success(try body(tell))
            } catch {
              result = .failure(error)
            }
            outcome.update { $0 = result }
          }
          thread.join()
        }
      }
    }
    guard let result = outcome.read({ $0 }) else { return .null }
    return try result.get()
  }

  // MARK: Measuring

  private func measure(in folder: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    tell(
      "faultfs: on tmpfs at \(folder.escaped), client and server on one core, "
        + "\(settings.rounds) pairs")
    var members: [JSON.Member] = []
    for policy in [CachePolicy.none, .kernel] {
      let times = try compete(policy, in: folder.appending(BytePath(policy.rawValue)))
      tell("")
      tell("cache policy \(policy.rawValue): times of the plain file system in C")
      for line in Self.table(times) { tell("  " + line) }
      for group in MountStep.Group.allCases { tell("  " + Self.verdict(group, times)) }
      members.append(.init(policy.rawValue, Self.json(times)))
    }
    let (lines, resets) = try MountCycles.measure(
      harness: settings.harness, in: folder.appending("cycles"), rounds: settings.rounds * 10)
    tell("")
    for line in lines { tell(line) }
    members.append(.init("cycles", resets))
    return .object(members)
  }

  typealias Times = [MountContenders.Name: [[MountStep: MountTime]]]

  /// Every round has another one first.
  private func compete(_ policy: CachePolicy, in folder: BytePath) throws(BenchError) -> Times {
    let contenders = try MountContenders.start(
      harness: settings.harness, in: folder, policy: policy)
    var times: Times = [:]
    let outcome: Result<Void, BenchError>
    do throws(BenchError) {
      for round in 0..<settings.rounds {
        var taken: [MountContenders.Name: [MountStep: MountTime]] = [:]
        for step in MountStep.allCases {
          for place in 0..<3 {
            let name = MountContenders.Name.allCases[(round + place) % 3]
            taken[name, default: [:]][step] = try contenders.run(
              name, step, mebibytes: settings.mountMebibytes, files: settings.mountFiles)
          }
        }
        for (name, steps) in taken { times[name, default: []].append(steps) }
      }
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try contenders.end()
    try outcome.get()
    return times
  }

  // MARK: Telling

  /// The ratios of the rounds, of one step or of several together.
  private static func ratio(
    _ name: MountContenders.Name, _ steps: [MountStep], _ times: Times,
    _ part: (MountTime) -> UInt64
  ) -> Ratio? {
    func sum(_ taken: [MountStep: MountTime]) -> Double {
      Double(part(steps.reduce(MountTime()) { $0 + (taken[$1] ?? MountTime()) }))
    }
    return Ratio(
      zip(times[name] ?? [], times[.twin] ?? []).map { sum($0) / max(1, sum($1)) })
  }

  private static func table(_ times: Times) -> [String] {
    var table = TextTable(
      header: [
        "", "backed, time", "backed, processor", "memory, time", "plain: µs a call",
      ], alignments: [.left, .right, .right, .right, .right])
    for group in MountStep.Group.allCases {
      let steps = MountStep.allCases.filter { $0.group == group }
      for row in steps.map({ [$0] }) + [steps] {
        let title = row.count == 1 ? row[0].title : "\(group.rawValue), all"
        let ratios = [
          ratio(.backed, row, times, \.wall), ratio(.backed, row, times, \.processor),
          ratio(.memory, row, times, \.wall),
        ]
        table.add([title] + ratios.map { $0?.text ?? "-" } + [plain(row, times)])
      }
    }
    return table.lines
  }

  private static func plain(_ steps: [MountStep], _ times: Times) -> String {
    guard steps.count == 1, let taken = times[.twin]?.compactMap({ $0[steps[0]] }),
      let median = Ratio(taken.map { Double($0.wall) / Double(max(1, $0.count)) / 1000 })
    else { return "" }
    return Ratio.twoPlaces(median.median)
  }

  static func verdict(_ group: MountStep.Group, _ times: Times) -> String {
    let steps = MountStep.allCases.filter { $0.group == group }
    guard let ratio = ratio(.backed, steps, times, \.wall) else { return "" }
    let text =
      "\(group.rawValue): a backed volume takes \(Ratio.twoPlaces(ratio.median)) of "
      + "\(Ratio.twoPlaces(bound)) allowed"
    return text + (ratio.median > bound ? ": TOO MUCH" : "")
  }

  static func json(_ times: Times) -> JSON {
    var members: [JSON.Member] = []
    for group in MountStep.Group.allCases {
      let steps = MountStep.allCases.filter { $0.group == group }
      for row in steps.map({ [$0] }) + [steps] {
        let name = row.count == 1 ? row[0].rawValue : group.rawValue
        members.append(
          .init(
            name,
            .object(
              [MountContenders.Name.backed, .memory].map { contender in
                .init(
                  contender.rawValue,
                  .object([
                    .init("wallRatio", ratio(contender, row, times, \.wall)?.json ?? .null),
                    .init("cpuRatio", ratio(contender, row, times, \.processor)?.json ?? .null),
                  ]))
              })))
      }
    }
    return .object(members)
  }
}
