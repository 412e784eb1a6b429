import CommandLineKit
import FaultFS
import SystemIO
import Wire

/// Very many schedules in a row in one run of the harness: nothing may stay behind, and nothing may
/// grow on the way.
///
/// Every process of the run that lives through most of it (runner, rigs, watchdogs, workers) is
/// looked at twice a second. Between the second fifth of the run and its last fifth descriptors,
/// threads and children may not grow at all, and memory by so many bytes a schedule.
struct SoakBench {
  private let settings: Bench.Settings

  /// A leak of the smallest object in each schedule is more.
  static let bytesPerSchedule = 64.0
  /// What malloc may need more by chance in a short run.
  static let spareBytes = 1 << 20
  private static let interval = Duration.milliseconds(500)

  init(_ settings: Bench.Settings) {
    self.settings = settings
  }

  /// One process of the run.
  private struct Member {
    /// `fault`, `rig`, `watchdog` or `serve`.
    let role: String
    var samples: [(time: Duration, sample: ProcessSample)] = []
  }

  func run(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    .object([
      .init("rig", try rig(root, tell)), .init("harness", try whole(root, tell)),
    ])
  }

  // MARK: A rig alone

  /// The small engine on one rig, which is a process of its own here.
  private func rig(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    let bench = ScheduleBench(settings)
    let harness = try bench.harness()
    let settings = settings
    let growth = try bench.onThread { () throws(BenchError) in
      do throws(RigError) {
        let rig = try RigClient.start(
          harness: harness, workFolder: root.appending("rig"), cards: [])
        let plan = try SmallPlan(rig, errnos: ScheduleBench.errnos)
        var round = SmallPlan.Round()
        // So that every table has its size.
        for _ in 0..<3 { try plan.run(rig, &round) }
        let warm = round.count
        let before = ProcessSample(process: rig.pid)
        while round.count < warm + settings.scheduleCount { try plan.run(rig, &round) }
        let after = ProcessSample(process: rig.pid)
        let schedules = round.count - warm
        let members = [rig.pid: Member(role: "rig"), rig.watchdogPID: Member(role: "watchdog")]
        try rig.shutdown()
        let growth = Growth(
          before: before.map { [$0] } ?? [], after: after.map { [$0] } ?? [], schedules: schedules)
        return (growth: growth, schedules: schedules, left: Self.leftBehind(members))
      } catch {
        throw .rig(error)
      }
    }
    guard let grown = growth.growth else { throw .leaks(["the rig cannot be seen in /proc"]) }
    tell("soak: \(growth.schedules) schedules of the small engine on one rig")
    tell(
      "  descriptors \(grown.descriptorText), threads \(grown.threadText), "
        + "memory \(grown.memoryText), \(grown.rateText) bytes a schedule")
    let problems = grown.problems + growth.left
    if !problems.isEmpty { throw .leaks(problems) }
    return grown.json("rig")
  }

  // MARK: The whole harness

  private func whole(_ root: BytePath, _ tell: (String) -> Void) throws(BenchError) -> JSON {
    let folder = root.appending("soak")
    let script = folder.appending("soak.fault")
    let report = folder.appending("report")
    try system { () throws(SystemError) in
      try FileSystem.makeDirectories(folder)
      let file = try FileDescriptor.open(
        script, .writeOnly, options: [.create, .truncate], mode: 0o644)
      try file.writeAll(Array(Self.script.utf8))
      try file.close()
    }
    let harness = try system { () throws(SystemError) in
      try FileSystem.readLink("/proc/self/exe")
    }
    let tool = Tool(
      harness,
      [
        "fault", script, "--explore", "--no-prune", "--schedules",
        BytePath("\(settings.scheduleCount)"), "--jobs", BytePath("\(settings.jobs)"),
        "--custody", settings.custody, "--quiet", "--report", report,
      ])
    let (members, seconds) = try follow(tool)
    let count = try ScheduleBench.coverage(report).count
    tell(
      "soak: \(Int(count)) schedules in \(Int(seconds)) s, \(settings.jobs) rigs at once; "
        + "growth between the second and the last fifth of the run")
    var problems = Self.leftBehind(members)
    var table = TextTable(
      header: ["process", "descriptors", "threads", "memory", "bytes a schedule"],
      alignments: [.left, .right, .right, .right, .right])
    var rows: [JSON] = []
    for (process, member) in members.sorted(by: { $0.key < $1.key }) {
      guard let growth = Growth(member.samples, seconds: seconds, schedules: count) else {
        continue
      }
      let name = "\(member.role) \(process)"
      table.add([
        name, growth.descriptorText, growth.threadText, growth.memoryText,
        growth.rateText,
      ])
      problems += growth.problems.map { "\(name): \($0)" }
      rows.append(growth.json(name))
    }
    for line in table.lines { tell("  " + line) }
    for role in ["fault", "rig", "serve"]
    where !rows.contains(where: { $0["process"]?.text?.hasPrefix(role) == true }) {
      problems.append("no process '\(role)' lived through the run")
    }
    if !problems.isEmpty { throw .leaks(problems) }
    tell("  nothing is left behind")
    return .object([
      .init("schedules", .number(count)), .init("seconds", .number(seconds)),
      .init("processes", .array(rows)),
    ])
  }

  // MARK: Following

  private func follow(
    _ tool: Tool
  ) throws(BenchError) -> (members: [Int32: Member], seconds: Double) {
    let clock = SystemClock()
    let start = clock.monotonic()
    var members: [Int32: Member] = [:]
    let status = try system { () throws(SystemError) in
      let nothing = try FileDescriptor.open("/dev/null", .writeOnly)
      var child = try ChildProcess.spawn(
        ChildProcess.Command(tool.executable, tool.arguments),
        descriptors: [(nothing.rawValue, 1)])
      while true {
        let events = try Poller.wait([(child.endDescriptor, .readable)], timeout: Self.interval)
        if !events[0].isEmpty { break }
        Self.look(at: child.pid, clock.monotonic() - start, &members)
      }
      return try child.wait()
    }
    // A schedule that fails is no leak: the report tells of it.
    guard let status, status.isSuccess || status == .exited(1) || status == .exited(3) else {
      throw .failed(command: tool.text, status: status.map { "\($0)" } ?? "nothing", lastWords: "")
    }
    return (members, (clock.monotonic() - start).seconds)
  }

  /// The process and everything below it. Rigs and watchdogs are children of the runner's threads.
  private static func look(
    at process: Int32, _ time: Duration, _ members: inout [Int32: Member]
  ) {
    guard let sample = ProcessSample(process: process) else { return }
    if members[process] == nil {
      guard let line = try? FileSystem.contents(of: BytePath("/proc/\(process)/cmdline")) else {
        return
      }
      let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      members[process] = Member(role: words.count > 1 ? words[1] : "?")
    }
    members[process]?.samples.append((time, sample))
    for child in sample.children { look(at: child, time, &members) }
  }

  /// Processes that still run and mounts that still stand.
  private static func leftBehind(_ members: [Int32: Member]) -> [String] {
    var problems = members.filter { ProcessSample(process: $0.key) != nil }
      .map { "process \($0.key) (\($0.value.role)) is still there" }
    let table = try? MountTable.current()
    for entry in table?.entries ?? [] {
      let parts = entry.source.escaped.split(separator: ":")
      guard parts.count == 3, parts[0] == "custody", let owner = Int32(parts[1]),
        members[owner] != nil
      else { continue }
      problems.append("a mount is still there: \(entry.mountPoint.escaped)")
    }
    return problems
  }

  /// Small files on several personas in all modes: many short schedules.
  private static var script: String {
    let files = (1...6).map { "  given src \"CLIP/C\($0).MP4\" bytes 4KiB\n" }.joined()
    let cases = ["ext4", "exfat-linux", "fat32", "ntfs-posix"].map { persona in
      "case \"on \(persona)\"\n  volume dst persona \(persona) capacity 64MiB\n"
        + "\(files)  expect sound\n"
    }
    return """
      custody-fault 1
      card   empty
      volume src persona ext4 capacity 64MiB
      volume dst persona ext4 capacity 64MiB
      modes  standard thorough paranoid
      seed   20260711

      \(cases.joined(separator: "\n"))
      """
  }
}
