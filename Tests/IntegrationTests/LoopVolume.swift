import Glibc
import SystemIO
import Testing

/// A file system in an image file on a loop device, mounted by its real driver.
final class LoopVolume {
  /// The kinds that tests ask for.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case ext4, xfs, btrfs, exfat

    var testDescription: String { rawValue }

    /// The program that makes one, with the options that small images need.
    var maker: (program: BytePath, options: [BytePath]) {
      switch self {
      case .ext4: ("mkfs.ext4", ["-q", "-F"])
      case .xfs: ("mkfs.xfs", ["-q", "-f"])
      case .btrfs: ("mkfs.btrfs", ["-q", "-f"])
      case .exfat: ("mkfs.exfat", [])
      }
    }

    /// How it is mounted: exFAT by its FUSE driver, the others by the kernel.
    var mounter: BytePath { self == .exfat ? "mount.exfat-fuse" : "mount" }

    /// The smallest size that the maker takes, with room for a card.
    var byteCount: Int { (self == .xfs ? 320 : 256) << 20 }

    /// Why it cannot be used here; nil when it can.
    var blocker: String? {
      if getuid() != 0 { return "\(rawValue): loop devices need root" }
      if access("/dev/loop-control", R_OK | W_OK) != 0 {
        return "\(rawValue): no /dev/loop-control"
      }
      if self == .exfat && access("/dev/fuse", R_OK | W_OK) != 0 { return "exfat: no /dev/fuse" }
      for tool in [maker.program, mounter, "losetup", "umount"] where Tool.find(tool) == nil {
        return "\(rawValue): \(tool) is not installed (Harness/setup)"
      }
      let known = (try? FileSystem.contents(of: "/proc/filesystems")) ?? []
      let driver = self == .exfat ? "fuseblk" : rawValue
      return String(decoding: known, as: UTF8.self).contains("\t\(driver)\n")
        ? nil : "\(rawValue): the kernel has no driver \(driver)"
    }
  }

  let kind: Kind
  /// Where the volume is mounted.
  let path: BytePath
  /// The loop device.
  let device: BytePath
  private let image: BytePath
  private var isMounted = false
  private var isAttached = true

  /// Makes and mounts a volume; files are below a scratch folder.
  init(_ kind: Kind, in scratch: Scratch, byteCount: Int? = nil) throws {
    self.kind = kind
    let name = BytePath("\(kind.rawValue)-\(RandomID().text.prefix(8))")
    image = scratch.path.appending(BytePath("\(name).img"))
    path = try scratch.folder(name)
    let file = try FileDescriptor.open(image, .writeOnly, options: .exclusiveCreate)
    try #require(ftruncate(file.rawValue, byteCount ?? kind.byteCount) == 0)
    try file.close()
    let maker = kind.maker
    try Tool.must(try #require(Tool.find(maker.program)), maker.options + [image])
    let attached = try Tool.must(try #require(Tool.find("losetup")), ["-f", "--show", image])
    device = BytePath(attached)
    try mount()
  }

  deinit {
    // Also after a failed test: no mount and no loop device of ours stays.
    if isMounted { unmountLazily() }
    if isAttached, let losetup = Tool.find("losetup") {
      _ = try? Tool.run(losetup, ["-d", device])
    }
  }

  /// Unmounts, so that every cache of the volume is gone, and mounts again.
  func remount() throws {
    try unmount()
    try mount()
  }

  /// Unmounts; what the driver had in memory is on the image then.
  func unmount() throws {
    try Tool.must(try #require(Tool.find("umount")), [path])
    isMounted = false
  }

  private func mount() throws {
    try Tool.must(try #require(Tool.find(kind.mounter)), [device, path])
    isMounted = true
  }

  private func unmountLazily() {
    guard let umount = Tool.find("umount") else { return }
    if let done = try? Tool.run(umount, [path]), done.status.isSuccess { return }
    _ = try? Tool.run(umount, ["-l", path])
  }
}
