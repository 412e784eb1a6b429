public import SystemIO
public import Wire

/// Comparisons of our engines with their peers, as ratios measured side by side.
public enum Bench {
  /// What to compare and where.
  public struct Settings: Sendable {
    /// The engines' command.
    public var custody: BytePath
    /// A folder for the work, on the file system to measure; everything in it is removed again.
    public var folder: BytePath
    /// How often each pair is measured.
    public var rounds: Int
    /// Size of the one large file.
    public var largeByteCount: Int64
    /// How many small files, of 16 KiB each.
    public var smallCount: Int
    /// Empties the machine's whole page cache between steps, as root; otherwise only that of the
    /// files at hand, which leaves directories and inodes warm.
    public var dropsAllCaches: Bool
    /// The `harness` executable, for what serves mounts and for their client.
    public var harness: BytePath
    /// A folder on a tmpfs, for what is mounted.
    public var memoryFolder: BytePath
    /// Size of the large file on a mount.
    public var mountMebibytes: Int
    /// How many files of 4 KiB are made on a mount.
    public var mountFiles: Int
    /// Schedules of the shipped worker in each round, and rigs at once.
    public var scheduleCount: Int
    public var jobs: Int

    public init(
      custody: BytePath, folder: BytePath, rounds: Int = 3, largeByteCount: Int64 = 2 << 30,
      smallCount: Int = 20_000, dropsAllCaches: Bool = true,
      harness: BytePath = "/proc/self/exe", memoryFolder: BytePath = "/dev/shm",
      mountMebibytes: Int = 1024, mountFiles: Int = 2000, scheduleCount: Int = 3000, jobs: Int = 2
    ) {
      self.custody = custody
      self.folder = folder
      self.rounds = rounds
      self.largeByteCount = largeByteCount
      self.smallCount = smallCount
      self.dropsAllCaches = dropsAllCaches
      self.harness = harness
      self.memoryFolder = memoryFolder
      self.mountMebibytes = mountMebibytes
      self.mountFiles = mountFiles
      self.scheduleCount = scheduleCount
      self.jobs = jobs
    }
  }

  /// The names that `run` takes.
  public static let names = ["offload", "hash", "faultfs", "schedules", "worker", "soak"]

  /// Runs one comparison, or all of them when `name` is nil. Blocks, for minutes.
  ///
  /// - Parameter tell: gets each line for people as soon as it is known.
  /// - Returns: the same numbers for programs.
  public static func run(
    _ name: String?, _ settings: Settings, tell: (String) -> Void
  ) throws(BenchError) -> JSON {
    if let name, !names.contains(name) { throw .unknown(name) }
    var results: [JSON.Member] = []
    if name == nil || name == "hash" {
      results.append(.init("hash", try HashBench.run(tell: tell)))
    }
    if name == nil || name == "offload" {
      results.append(.init("offload", try OffloadBench(settings).run(tell: tell)))
    }
    if name == nil || name == "faultfs" {
      results.append(.init("faultfs", try FaultFSBench(settings).run(tell: tell)))
    }
    if name == nil || name == "schedules" {
      results.append(.init("schedules", try ScheduleBench(settings).small(tell: tell)))
    }
    if name == nil || name == "worker" {
      results.append(.init("worker", try ScheduleBench(settings).worker(tell: tell)))
    }
    // Very long: only when it is asked for.
    if name == "soak" {
      results.append(.init("soak", try ScheduleBench(settings).soak(tell: tell)))
    }
    return .object(results)
  }
}
