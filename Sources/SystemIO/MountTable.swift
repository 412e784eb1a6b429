/// The mounts this process sees (man 5 proc, /proc/pid/mountinfo).
public struct MountTable: Sendable {
  /// One mount.
  public struct Entry: Hashable, Sendable {
    /// As in `Metadata.mountID`.
    public let id: UInt64
    public let parent: UInt64
    public let deviceMajor: UInt32
    public let deviceMinor: UInt32
    /// The directory of the file system that is mounted.
    public let root: BytePath
    public let mountPoint: BytePath
    /// Options of this mount: `rw,noatime`.
    public let options: [String]
    /// `ext4`, `exfat`, `fuse.sshfs`.
    public let type: String
    /// A device's path, or any text of the file system.
    public let source: BytePath
    /// Options of the file system.
    public let superOptions: [String]

    /// As in `Metadata.device`.
    public var device: UInt64 { UInt64(deviceMajor) << 32 | UInt64(deviceMinor) }
    public var isReadOnly: Bool { options.contains("ro") || superOptions.contains("ro") }
  }

  /// The mounts in the kernel's order; a later one may cover an earlier one.
  public let entries: [Entry]

  /// Reads the table of this process.
  public static func current() throws(SystemError) -> MountTable {
    MountTable(parsing: try FileSystem.contents(of: "/proc/self/mountinfo"))
  }

  /// Parses the text of mountinfo; lines that do not follow the manual are left out.
  public init(parsing bytes: [UInt8]) {
    entries = bytes.split(separator: UInt8(ascii: "\n")).compactMap { Self.entry($0) }
  }

  /// The mount with an id of statx(2).
  public func entry(id: UInt64) -> Entry? {
    entries.first { $0.id == id }
  }

  /// The uppermost mount at exactly this path.
  public func entry(at mountPoint: BytePath) -> Entry? {
    entries.last { $0.mountPoint == mountPoint }
  }

  /// The mount that holds a path: the deepest mount point above it, the last of equals.
  public func entry(containing path: BytePath) -> Entry? {
    let wanted = path.components
    var best: (depth: Int, entry: Entry)?
    for entry in entries {
      let point = entry.mountPoint.components
      guard wanted.starts(with: point), point.count >= best?.depth ?? 0 else { continue }
      best = (point.count, entry)
    }
    return best?.entry
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard fields.count >= 10, let dash = fields.firstIndex(of: [UInt8(ascii: "-")]), dash >= 6,
      fields.count >= dash + 4, let id = UInt64(text(fields[0])),
      let parent = UInt64(text(fields[1]))
    else { return nil }
    let device = text(fields[2]).split(separator: ":")
    guard device.count == 2, let major = UInt32(device[0]), let minor = UInt32(device[1]) else {
      return nil
    }
    return Entry(
      id: id, parent: parent, deviceMajor: major, deviceMinor: minor, root: path(fields[3]),
      mountPoint: path(fields[4]), options: options(fields[5]), type: text(fields[dash + 1]),
      source: path(fields[dash + 2]), superOptions: options(fields[dash + 3]))
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: field, as: UTF8.self)
  }

  private static func options(_ field: ArraySlice<UInt8>) -> [String] {
    text(field).split(separator: ",").map(String.init)
  }

  /// Undoes the kernel's octal escapes of space, tab, newline and backslash.
  private static func path(_ field: ArraySlice<UInt8>) -> BytePath {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      let isOctal = digits.count == 3 && digits.allSatisfy { (0x30...0x37).contains($0) }
      if byte == UInt8(ascii: "\\"), isOctal {
        bytes.append(digits.reduce(0) { ($0 &<< 3) | ($1 & 7) })
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return BytePath(unchecked: bytes)
  }
}
