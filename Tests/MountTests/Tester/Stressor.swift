/// A stressor of stress-ng and what the tests do with it: the table of docs/tester.md as data.
struct Stressor {
  let name: String
  let use: Use

  enum Use: Equatable {
    /// Until so many bogo operations; 0 for one that counts only when its time is over.
    case run(operations: Int, options: [String])
    /// Only when there is time: one operation is thousands of requests.
    case runLong
    /// Not run, and why.
    case excluded(String)
  }

  /// How long those run that count by time, in seconds.
  static let seconds = 2

  /// All of the class `filesystem` of stress-ng 0.15, then those of other classes that work on
  /// files. The counts take a fraction of a second each.
  static let all: [Stressor] = [
    run("access", 1), excluded("bind-mount", "stress-ng itself refuses it without --pathological"),
    excluded("binderfs", "mounts binderfs, and nothing of it reaches the volume"),
    run("chattr", 2), run("chdir", 1, "--chdir-dirs", "64"), run("chmod", 3), run("chown", 30),
    run("copy-file", 5), run("dentry", 40, "--dentries", "64"), run("dir", 30), run("dirdeep", 4),
    run("dirmany", 30), run("dnotify", 4), run("dup", 20),
    excluded("eventfd", "works on event descriptors alone: no request came"),
    run("fallocate", 1, "--fallocate-bytes", "16M"),
    excluded("fanotify", "counts the events of every mount of the machine, whoever causes them"),
    run("fcntl", 50), excluded("fiemap", "FIEMAP does not pass FUSE: stress-ng skips it"),
    run("file-ioctl", 50), run("filename", 1), run("flock", 1000), run("fpunch", 0),
    run("fsize", 4), run("fstat", 200), run("getdent", 1000), run("handle", 500),
    run("hdd", 100, "--hdd-bytes", "4M"),
    excluded("inode-flags", "counts no operation on any file system here, ext4 and tmpfs included"),
    run("inotify", 1), run("io", 20), run("iomix", 100, "--iomix-bytes", "4M"), run("ioprio", 1),
    run("lease", 20), long("link"), run("locka", 500), run("lockf", 200), run("lockofd", 500),
    run("mknod", 10), run("open", 200),
    excluded("procfs", "reads /proc alone: no request came"), run("rename", 30),
    long("symlink"), run("sync-file", 2, "--sync-file-bytes", "1M"), run("touch", 50),
    run("utime", 20),
    excluded("verity", "fs-verity does not pass FUSE: stress-ng skips it"), long("xattr"),
    run("aio", 200), run("aiol", 10), run("fault", 10),
    excluded("io-uring", "its STATX fails on ext4 and tmpfs as well; fio has the ring in its jobs"),
    run("mmap", 1, "--mmap-file", "--mmap-bytes", "256K"),
    run("msync", 10, "--msync-bytes", "1M"), run("msyncmany", 1),
    run("readahead", 10, "--readahead-bytes", "1M"), run("revio", 200, "--revio-bytes", "4M"),
    run("rmap", 1), run("seek", 20, "--seek-size", "4M"), run("sendfile", 100),
  ]

  private static func run(_ name: String, _ operations: Int, _ options: String...) -> Stressor {
    Stressor(name: name, use: .run(operations: operations, options: options))
  }

  private static func long(_ name: String) -> Stressor { Stressor(name: name, use: .runLong) }

  private static func excluded(_ name: String, _ reason: String) -> Stressor {
    Stressor(name: name, use: .excluded(reason))
  }

  /// The row of docs/tester.md.
  var row: String {
    switch use {
    case .run: "| `\(name)` | run | |"
    case .runLong: "| `\(name)` | run at length | one operation of it is thousands of requests |"
    case .excluded(let reason): "| `\(name)` | excluded | \(reason) |"
    }
  }

  /// The command line of `names`, one worker each.
  ///
  /// - Parameter seconds: run each for so long instead of by its count.
  static func arguments(
    _ names: Set<String>, at place: String, report: String, seconds: Int? = nil
  ) -> [String] {
    var words = ["--temp-path", place, "--verify", "--metrics", "--yaml", report, "--oom-avoid"]
    var isTimed = false
    for stressor in all where names.contains(stressor.name) {
      guard let operations = stressor.operations else { continue }
      let options = if case .run(_, let options) = stressor.use { options } else { [String]() }
      words += ["--\(stressor.name)", "1"] + options
      isTimed = isTimed || operations == 0
      if seconds == nil, operations > 0 {
        words += ["--\(stressor.name)-ops", "\(operations)"]
      }
    }
    // A count that is not reached within it is seen by the counts, and by the waiting.
    return words + ["--timeout", "\(seconds ?? (isTimed ? Self.seconds : 60))"]
  }

  /// nil for one that is excluded.
  var operations: Int? {
    switch use {
    case .run(let operations, _): operations
    case .runLong: 0
    case .excluded: nil
    }
  }

  var isLong: Bool { use == .runLong }
}
