import Glibc
import SystemIO
import Testing

/// A file system in an image file on a loop device, mounted by its real driver. A tmpfs has neither.
final class LoopVolume {
  /// The kinds that tests ask for.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case ext4, xfs, btrfs, exfat, ntfs, tmpfs

    /// Those with a medium.
    static let disks = allCases.filter { $0 != .tmpfs }

    var testDescription: String { rawValue }

    /// The program that makes one, with the options that small images need; nil when mounting does.
    var maker: (program: BytePath, options: [BytePath])? {
      switch self {
      case .ext4:
        (
          "mkfs.ext4",
          [
            "-q", "-F", "-b", "4096", "-E", "hash_seed=00000000-0000-0000-0000-000000000001",
          ]
        )
      case .xfs: ("mkfs.xfs", ["-q", "-f"])
      case .btrfs: ("mkfs.btrfs", ["-q", "-f"])
      case .exfat: ("mkfs.exfat", [])
      case .ntfs: ("mkfs.ntfs", ["-q", "-F", "-f"])
      case .tmpfs: nil
      }
    }

    /// exFAT and NTFS are served through FUSE, the others by the kernel.
    var isFUSE: Bool { self == .exfat || self == .ntfs }

    var mounter: BytePath {
      switch self {
      case .exfat: "mount.exfat-fuse"
      case .ntfs: "ntfs-3g"
      default: "mount"
      }
    }

    /// The smallest size that the maker takes.
    var smallest: Int {
      switch self {
      case .xfs: 320 << 20
      case .btrfs: 128 << 20
      default: 16 << 20
      }
    }

    /// With room for a card.
    var byteCount: Int { max(smallest, 256 << 20) }

    /// Why it cannot be used here; nil when it can.
    var blocker: String? {
      if getuid() != 0 { return "\(rawValue): loop devices need root" }
      if access("/dev/loop-control", R_OK | W_OK) != 0 {
        return "\(rawValue): no /dev/loop-control"
      }
      if isFUSE && access("/dev/fuse", R_OK | W_OK) != 0 { return "\(rawValue): no /dev/fuse" }
      let tools = [maker?.program, mounter, "losetup", "umount"]
      for case let tool? in tools where Tool.find(tool) == nil {
        return "\(rawValue): \(tool) is not installed (Harness/setup)"
      }
      let known = (try? FileSystem.contents(of: "/proc/filesystems")) ?? []
      let driver = isFUSE ? "fuseblk" : rawValue
      return String(decoding: known, as: UTF8.self).contains("\t\(driver)\n")
        ? nil : "\(rawValue): the kernel has no driver \(driver)"
    }
  }

  let kind: Kind
  /// Where the volume is mounted.
  let path: BytePath
  /// The loop device; `tmpfs` for one in memory.
  let device: BytePath
  private let image: BytePath
  private var isMounted = false
  private let byteCount: Int
  private let options: [BytePath]

  /// Makes and mounts a volume; files are below a scratch folder.
  init(
    _ kind: Kind, in scratch: Scratch, byteCount: Int? = nil, options: [BytePath] = []
  ) throws {
    self.options = options
    self.kind = kind
    let name = BytePath("\(kind.rawValue)-\(RandomID().text.prefix(8))")
    self.byteCount = byteCount ?? kind.byteCount
    image = scratch.path.appending(BytePath("\(name).img"))
    path = try scratch.folder(name)
    if let maker = kind.maker {
      let file = try FileDescriptor.open(image, .writeOnly, options: .exclusiveCreate)
      try #require(ftruncate(file.rawValue, self.byteCount) == 0)
      try file.close()
      try Tool.must(try #require(Tool.find(maker.program)), maker.options + [image])
      let attached = try Tool.must(try #require(Tool.find("losetup")), ["-f", "--show", image])
      device = BytePath(attached)
    } else {
      device = "tmpfs"
    }
    try mount()
  }

  deinit {
    // Also after a failed test: no mount and no loop device of ours stays.
    if isMounted { unmountLazily() }
    if kind.maker != nil, let losetup = Tool.find("losetup") {
      _ = try? Tool.run(losetup, ["-d", device])
    }
  }

  /// Unmounts, so that every cache of the volume is gone, and mounts again. What is in memory only
  /// is kept: there is nothing to come back to.
  func remount() throws {
    if kind == .tmpfs { return }
    try unmount()
    try mount()
  }

  /// Unmounts; what the driver had in memory is on the image then.
  func unmount() throws {
    try Tool.must(try #require(Tool.find("umount")), [path])
    isMounted = false
    waitForDriver()
  }

  /// A driver on FUSE ends a little after the mount, and others may have a copy of the mount in
  /// their own namespace: until the device is free, another mount would meet the old state.
  private func waitForDriver() {
    if kind == .tmpfs { return }
    for _ in 0..<1000 {
      let open = device.withCString { Glibc.open($0, O_RDONLY | O_EXCL | O_CLOEXEC) }
      if open >= 0 {
        close(open)
        return
      }
      usleep(10_000)
    }
  }

  private func mount() throws {
    let size: [BytePath] =
      kind == .tmpfs ? ["-t", "tmpfs", "-o", BytePath("size=\(byteCount)")] : []
    try Tool.must(try #require(Tool.find(kind.mounter)), size + options + [device, path])
    isMounted = true
  }

  private func unmountLazily() {
    guard let umount = Tool.find("umount") else { return }
    if let done = try? Tool.run(umount, [path]), done.status.isSuccess { return }
    _ = try? Tool.run(umount, ["-l", path])
  }
}
