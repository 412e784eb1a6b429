import Glibc

/// What this process holds right now, from /proc/self: for leak checks and reports.
public enum Resources {
  /// The number of open descriptors, without those that count them.
  public static func openDescriptorCount() throws(SystemError) -> Int {
    let file = try FileDescriptor.open("/proc/self/fd", .readOnly, options: .directory)
    let directory = PinnedDirectory(descriptor: file, path: "/proc/self/fd")
    return try directory.list().count - 2
  }

  /// How many descriptors this process may have open (RLIMIT_NOFILE of man 2 getrlimit).
  public static var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of threads.
  public static func threadCount() throws(SystemError) -> Int {
    Int(try status("Threads:"))
  }

  /// Bytes of memory in use now.
  public static func residentBytes() throws(SystemError) -> Int64 {
    try status("VmRSS:") * 1024
  }

  /// The most bytes of memory that were ever in use.
  public static func peakResidentBytes() throws(SystemError) -> Int64 {
    try status("VmHWM:") * 1024
  }

  /// User and system time of all threads so far.
  public static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }

  /// A number of /proc/self/status (man 5 proc).
  private static func status(_ field: String) throws(SystemError) -> Int64 {
    let path: BytePath = "/proc/self/status"
    let text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    for line in text.split(separator: "\n") where line.hasPrefix(field) {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if words.count > 1, let number = Int64(words[1]) { return number }
    }
    throw SystemError(call: "read", errno: .noData, path: path, detail: "no \(field)")
  }
}
