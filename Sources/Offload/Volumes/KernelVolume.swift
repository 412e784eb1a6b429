import SystemIO

/// Facts of a mounted volume as the kernel tells them (offload decision 14).
enum KernelVolume {
  private struct TypeFacts {
    var inodesLast = true
    var changeTimeIsReal = true
    var grain: Int64 = 1
  }

  /// Types whose read-back can be proven, if a real block device is below. Everything else may
  /// answer from somebody's memory: network, FUSE, tmpfs, overlays.
  private static let provable: [String: TypeFacts] = [
    "ext2": TypeFacts(), "ext3": TypeFacts(), "ext4": TypeFacts(), "xfs": TypeFacts(),
    "btrfs": TypeFacts(), "f2fs": TypeFacts(), "udf": TypeFacts(grain: 1000),
    "ntfs3": TypeFacts(grain: 100),
    "exfat": TypeFacts(inodesLast: false, changeTimeIsReal: false, grain: 10_000_000),
    "vfat": TypeFacts(inodesLast: false, changeTimeIsReal: false, grain: 2_000_000_000),
  ]

  /// Names of block devices without a medium of their own here: a file, memory, another machine.
  private static let unprovableDevices = ["loop", "ram", "zram", "nbd", "rbd", "drbd", "fd"]

  /// Layers of device mapper and RAID that are followed down.
  private static let deepestStack = 8

  static func facts(_ mount: MountTable.Entry) -> VolumeFacts {
    guard let known = provable[mount.type] else { return unknown(type: mount.type) }
    let device = deviceName(mount)
    return VolumeFacts(
      type: mount.type, bestLevel: device.map { isProvable($0) } == true ? .direct : .cached,
      inodesLast: known.inodesLast, changeTimeIsReal: known.changeTimeIsReal,
      modificationGrainNanoseconds: known.grain,
      isRemovable: device.map { isRemovable($0) } ?? false)
  }

  /// What may be assumed of a volume of which nothing is known: nothing. tmpfs keeps its inodes.
  static func unknown(type: String) -> VolumeFacts {
    let isMemory = type == "tmpfs" || type == "ramfs"
    return VolumeFacts(
      type: type, bestLevel: .cached, inodesLast: isMemory, changeTimeIsReal: isMemory)
  }

  /// The device below a mount as /sys/class/block names it.
  private static func deviceName(_ mount: MountTable.Entry) -> BytePath? {
    let byNumber = BytePath("/sys/dev/block/\(mount.deviceMajor):\(mount.deviceMinor)")
    if let target = try? FileSystem.readLink(byNumber) { return target.lastComponent }
    // btrfs has a device number of its own: the mount's source names the block device.
    guard mount.source.isAbsolute, let node = try? FileSystem.resolve(mount.source) else {
      return nil
    }
    return exists(block(node.lastComponent)) ? node.lastComponent : nil
  }

  private static func isProvable(_ device: BytePath, depth: Int = 0) -> Bool {
    guard depth < deepestStack, exists(block(device)) else { return false }
    let letters = device.bytes.prefix { (0x61...0x7a).contains($0) }
    let kind = String(decoding: letters, as: UTF8.self)
    if unprovableDevices.contains(kind) { return false }
    guard let lower = try? names(block(device).appending("slaves")), !lower.isEmpty else {
      return true
    }
    return lower.allSatisfy { isProvable($0, depth: depth + 1) }
  }

  private static func isRemovable(_ device: BytePath) -> Bool {
    guard let place = try? FileSystem.readLink(block(device)) else { return false }
    if place.components.contains(where: { $0.bytes.starts(with: Array("usb".utf8)) }) {
      return true
    }
    // A partition has no such file; its disk, one folder up, has.
    return [block(device), block(device).appending("..")].contains { folder in
      (try? FileSystem.contents(of: folder.appending("removable")))?.first == UInt8(ascii: "1")
    }
  }

  private static func block(_ device: BytePath) -> BytePath {
    BytePath("/sys/class/block").appending(device)
  }

  private static func exists(_ path: BytePath) -> Bool {
    (try? FileSystem.metadata(path, followingLinks: true)) != nil
  }

  private static func names(_ folder: BytePath) throws(SystemError) -> [BytePath] {
    let directory = try PinnedDirectory.open(try FileSystem.resolve(folder))
    return try directory.list().map(\.name)
  }
}
