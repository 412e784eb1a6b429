import Glibc
public import SystemIO

/// What a run needs of the machine, checked before anything is started.
public enum Machine {
  /// Memory that a rig may fill with its volumes.
  public static let memoryByteCount: UInt64 = 1 << 30
  /// Disk for the run's folder.
  static let diskByteCount: UInt64 = 256 << 20

  /// A requirement that is missing: the run is blocked (exit code 3).
  public struct Missing: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// Checks /dev/fuse, free memory for `jobs` rigs and free space at `folder`.
  public static func check(jobs: Int, folder: BytePath) throws(Missing) {
    if let problem = fuseProblem { throw Missing(description: problem) }
    let needed = memoryByteCount * UInt64(jobs)
    if let free = availableMemory, free < needed {
      throw Missing(
        description: "\(free >> 20) MiB of memory are available, \(needed >> 20) MiB are needed "
          + "for \(jobs) rigs: end other programs, or lower --jobs")
    }
    if let free = freeSpace(at: folder), free < diskByteCount {
      throw Missing(
        description: "\(folder.escaped) has \(free >> 20) MiB free, "
          + "\(diskByteCount >> 20) MiB are needed: make room, or name another folder by --report")
    }
  }

  /// Why FUSE mounts cannot be made; nil when they can.
  public static var fuseProblem: String? {
    do throws(SystemError) {
      let device = try FileDescriptor.open("/dev/fuse", .readWrite)
      try device.close()
      return nil
    } catch {
      switch error.errno {
      case .noSuchFile, .noDevice:
        return "/dev/fuse is missing: load the fuse module (modprobe fuse), or give the "
          + "container the device (--device /dev/fuse --cap-add SYS_ADMIN)"
      case .permissionDenied, .notPermitted:
        return "/dev/fuse may not be opened by this user: run Harness/setup as root once "
          + "(it sets mode 0666)"
      default: return "\(error)"
      }
    }
  }

  /// Bytes that programs can still get (MemAvailable of /proc/meminfo).
  public static var availableMemory: UInt64? {
    guard let text = try? FileSystem.contents(of: "/proc/meminfo", limit: 1 << 16) else {
      return nil
    }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.first == "MemAvailable:", words.count > 1 {
        return UInt64(words[1]).map { $0 << 10 }
      }
    }
    return nil
  }

  /// Bytes that a user may still write below a folder.
  public static func freeSpace(at folder: BytePath) -> UInt64? {
    do throws(SystemError) {
      let place = try FileDescriptor.open(folder, .readOnly, options: .directory)
      return try place.statistics().availableBytes
    } catch {
      return nil
    }
  }

  /// True for the user whom no mode bars.
  static var isRoot: Bool { geteuid() == 0 }

  /// The path of an outside tool: the first of `PATH`'s folders that has it; nil when none does.
  public static func tool(_ name: String) -> BytePath? { Captured.tool(name) }

  /// `Linux 6.1.0-18-amd64 x86_64`.
  public static var kernel: String {
    func line(_ path: BytePath) -> String {
      let text = (try? FileSystem.contents(of: path, limit: 4096)) ?? []
      return String(decoding: text.prefix { $0 != 0x0a }, as: UTF8.self)
    }
    #if arch(x86_64)
      let architecture = "x86_64"
    #elseif arch(arm64)
      let architecture = "aarch64"
    #else
      let architecture = "unknown"
    #endif
    return "\(line("/proc/sys/kernel/ostype")) \(line("/proc/sys/kernel/osrelease")) "
      + architecture
  }
}
