import CommandLineKit
import FaultFS
import FaultModel
import Glibc
import SystemIO
import Wire

/// How many schedules a rig takes in a minute, beside the bounds that exploration needs: with a
/// small engine in this process, with the shipped worker judged, and the time of one reset.
///
/// Wall time counts on an idle machine. Everything is bound to one core, where processor time is
/// what wall time would be without the neighbours: both are shown.
struct ScheduleBench {
  private let settings: Bench.Settings

  /// At least so many schedules a minute of the small engine on one core.
  static let smallBound = 80_000.0
  /// At least so many schedules a minute of the shipped worker on 20 files of 64 KiB, one pinned
  /// rig a core, on two cores.
  static let workerBound = 6_000.0
  /// At most so long for one reset of a rig with 20 files.
  static let resetBound = Duration.microseconds(300)
  private static let cardCount = 20
  private static let cardFileByteCount = 64 << 10
  static let errnos = ["EIO", "ENOSPC", "EDQUOT", "ESTALE", "EINTR"]

  init(_ settings: Bench.Settings) {
    self.settings = settings
  }

  /// The small engine, and a reset.
  func small(tell: (String) -> Void) throws(BenchError) -> JSON {
    try inFolder { (root) throws(BenchError) in
      .object([
        .init("small", try small(root, tell)), .init("reset", try reset(root, tell)),
      ])
    }
  }

  /// The shipped worker.
  func worker(tell: (String) -> Void) throws(BenchError) -> JSON {
    try inFolder { (root) throws(BenchError) in try worker(root, tell) }
  }

  /// Very many of the shipped worker, with an eye on what they leave.
  func soak(tell: (String) -> Void) throws(BenchError) -> JSON {
    try inFolder { (root) throws(BenchError) in try SoakBench(settings).run(root, tell) }
  }

  private func inFolder(
    _ body: (BytePath) throws(BenchError) -> JSON
  ) throws(BenchError) -> JSON {
    let name = BytePath("custody-bench-\(RandomID())")
    let root = try system { () throws(SystemError) in
      try FileSystem.makeDirectories(settings.folder)
      let folder = try PinnedDirectory.open(try FileSystem.resolve(settings.folder))
      return try folder.makeDirectory(name, tolerant: false)
    }
    let outcome: Result<JSON, BenchError>
    do throws(BenchError) {
      outcome = .success(try body(root.path))
    } catch {
      outcome = .failure(error)
    }
    try system { () throws(SystemError) in
      let folder = try PinnedDirectory.open(root.path.parent ?? "/")
      try BenchTree.remove(name, from: folder)
    }
    return try outcome.get()
  }

  // MARK: The small engine

  private func small(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    let results = try onThread { () throws(BenchError) in
      try withRig(root) { (rig) throws(RigError) in
        let plan = try SmallPlan(rig, errnos: Self.errnos)
        var taken: [Measurement] = []
        var round = SmallPlan.Round()
        for _ in 0..<settings.rounds {
          round = SmallPlan.Round()
          taken.append(try Self.measured { () throws(RigError) in try plan.run(rig, &round) })
        }
        return (plan: plan.operationCount, round: round, taken: taken)
      }
    }
    tell(
      "schedules of the small engine: \(SmallEngine.fileCount) files of 4 KiB, \(results.plan) "
        + "operations x \(Self.errnos.count) errnos, in one process on one core")
    tell("  \(results.round.text)")
    let count = Double(results.round.count)
    return Self.rates(results.taken.map { ($0, count) }, bound: Self.smallBound, cores: 1, tell)
  }

  // MARK: Reset

  private func reset(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    let count = 2000
    let taken = try onThread { () throws(BenchError) in
      try withRig(root) { (rig) throws(RigError) in
        let size = Self.cardFileByteCount >> 10
        let script = try Self.script(
          (1...Self.cardCount).map { "IMG_\($0).JPG" }, size: "\(size)KiB", rules: [])
        _ = try rig.load(script, caseIndex: 0)
        var taken: [Measurement] = []
        for _ in 0..<settings.rounds {
          taken.append(
            try Self.measured { () throws(RigError) in
              for _ in 0..<count { try rig.reset(arming: []) }
            })
        }
        return taken
      }
    }
    let ratio = Ratio(taken.map { $0.processor.seconds * 1e6 / Double(count) })
    let wall = Ratio(taken.map { $0.wall.seconds * 1e6 / Double(count) })
    let bound = Self.resetBound.seconds * 1e6
    tell("reset of a rig with \(Self.cardCount) files of 64 KiB, in microseconds")
    tell("  wall \(wall?.text ?? "-"), processor \(ratio?.text ?? "-"), at most \(Int(bound))")
    return .object([
      .init("wallMicroseconds", wall?.json ?? .null),
      .init("cpuMicroseconds", ratio?.json ?? .null), .init("bound", .number(bound)),
    ])
  }

  // MARK: The shipped worker

  private func worker(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    var taken: [(Measurement, Double)] = []
    let folder = root.appending("worker")
    let script = folder.appending("schedules.fault")
    try system { () throws(SystemError) in
      try FileSystem.makeDirectories(folder)
      let file = try FileDescriptor.open(
        script, .writeOnly, options: [.create, .truncate], mode: 0o644)
      try file.writeAll(Array(Self.workerScript.utf8))
      try file.close()
    }
    for round in 0..<settings.rounds {
      let report = folder.appending(BytePath("report-\(round)"))
      let tool = Tool(
        try harness(),
        [
          "fault", script, "--explore", "--schedules", BytePath("\(settings.scheduleCount)"),
          "--jobs", BytePath("\(settings.jobs)"), "--custody", settings.custody, "--quiet",
          "--report", report,
        ])
      var one = Measurement()
      try tool.run(adding: &one)
      let coverage = try Self.coverage(report)
      one.wall = coverage.wall
      taken.append((one, coverage.count))
    }
    tell(
      "schedules of \(settings.custody.lastComponent.escaped) serve: \(Self.cardCount) files of "
        + "64 KiB, judged, one pinned rig on each of \(settings.jobs) cores")
    return Self.rates(taken, bound: Self.workerBound, cores: settings.jobs, tell)
  }

  /// How many schedules ran, and how long that took without the recording before.
  static func coverage(
    _ report: BytePath
  ) throws(BenchError) -> (count: Double, wall: Duration) {
    let bytes = try system { () throws(SystemError) in
      try FileSystem.contents(of: report.appending("report.json"))
    }
    guard let json = try? JSON.parse(bytes), let coverage = json["exploration"],
      let count = coverage["run"]?.int, let rate = coverage["perMinute"]?.double, rate > 0
    else { throw .unreadable(report) }
    return (Double(count), .seconds(Double(count) * 60 / rate))
  }

  private static var workerScript: String {
    let files = (1...cardCount).map { "  given src \"DCIM/IMG_\($0).JPG\" bytes 64KiB\n" }
    return """
      custody-fault 1
      card   empty
      volume src persona ext4 capacity 64MiB
      volume dst persona ext4 capacity 64MiB
      modes  standard
      seed   20260711

      case "a card"
      \(files.joined())  expect verified

      """
  }

  // MARK: Parts

  /// A case whose rules strike one after another, each when it is armed.
  static func script(
    _ files: [String], size: String, rules: [String]
  ) throws(RigError) -> Script {
    var text = """
      custody-fault 1
      card   empty
      volume src persona ext4 capacity 64MiB
      volume dst persona ext4 capacity 64MiB
      modes  standard
      seed   20260711

      case "small files"

      """
    for file in files { text += "  given src \"\(file)\" bytes \(size)\n" }
    for rule in rules { text += "  \(rule)\n" }
    text += "  expect sound\n"
    do throws(ScriptError) {
      return try ScriptParser.parse(text, name: "bench")
    } catch {
      throw RigError("\(error)")
    }
  }

  func harness() throws(BenchError) -> BytePath {
    try system { () throws(SystemError) in try FileSystem.readLink("/proc/self/exe") }
  }

  private func withRig<Value>(
    _ root: BytePath, _ body: (RigClient) throws(RigError) -> Value
  ) throws(BenchError) -> Value {
    let harness = try harness()
    do throws(RigError) {
      let rig = try RigClient.startHere(
        harness: harness, workFolder: root.appending("rig"), cards: [])
      let value = try body(rig)
      try rig.shutdown()
      return value
    } catch {
      throw .rig(error)
    }
  }

  /// On a thread that is bound to one core, as are those that it starts.
  func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(BenchError) -> Value
  ) throws(BenchError) -> Value {
    let result = Monitor<Result<Value, BenchError>?>(nil)
    let thread = try system { () throws(SystemError) in
      try Thread(name: "bench") {
        let made = Result { () throws(BenchError) in
          try system { () throws(SystemError) in try Thread.bindCurrent(turn: 0) }
          // Whoever else is busy on the core gets little of it; only root may ask for that.
          _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -20)
          return try body()
        }
        result.update { $0 = made }
      }
    }
    thread.join()
    guard let made = result.read({ $0 }) else {
      preconditionFailure("A thread that was joined has a result")
    }
    return try made.get()
  }

  private static func measured(
    _ body: () throws(RigError) -> Void
  ) throws(RigError) -> Measurement {
    let clock = SystemClock()
    let start = (clock.monotonic(), Resources.processorTime())
    try body()
    return Measurement(
      wall: clock.monotonic() - start.0, processor: Resources.processorTime() - start.1)
  }

  private static func rates(
    _ taken: [(Measurement, Double)], bound: Double, cores: Int, _ tell: (String) -> Void
  ) -> JSON {
    let wall = Ratio(taken.map { $1 * 60 / $0.wall.seconds })
    let processor = Ratio(taken.map { $1 * 60 * Double(cores) / $0.processor.seconds })
    func text(_ ratio: Ratio?) -> String {
      guard let ratio else { return "-" }
      return [ratio.minimum, ratio.median, ratio.maximum].map { String(Int($0)) }
        .joined(separator: " / ")
    }
    tell("  a minute by the clock: \(text(wall)), at least \(Int(bound))")
    tell("  a minute of each core's own time: \(text(processor))")
    return .object([
      .init("perMinute", wall?.json ?? .null),
      .init("perProcessorMinute", processor?.json ?? .null),
      .init("bound", .number(bound)), .init("rounds", .array(taken.map(\.0.json))),
    ])
  }
}
