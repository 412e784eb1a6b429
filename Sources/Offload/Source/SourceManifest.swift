import Hashing
import SystemIO

/// What the source held when it was walked: directories and files, sorted by path, in a few blocks
/// of memory (about 60 bytes and its name for each file).
struct SourceManifest: Sendable {
  struct Directory: Sendable {
    /// Index of the parent; 0, the root, is its own.
    let parent: Int
    let nameStart: UInt32
    let nameLength: UInt16
    let identity: FileIdentity
    /// First file of the directory itself, then by `File.next`; none is `noIndex`.
    var firstFile: UInt32 = noIndex
    var lastFile: UInt32 = noIndex
  }

  struct File: Sendable {
    let directory: UInt32
    /// The next file of the same directory in the order of names.
    var next: UInt32 = noIndex
    let nameStart: UInt32
    let nameLength: UInt16
    let mode: UInt16
    let byteCount: Int64
    let modificationSeconds: Int64
    let changeSeconds: Int64
    let modificationNanoseconds: Int32
    let changeNanoseconds: Int32
    let inode: UInt64

    var modification: Timestamp {
      Timestamp(seconds: modificationSeconds, nanoseconds: modificationNanoseconds)
    }

    var change: Timestamp {
      Timestamp(seconds: changeSeconds, nanoseconds: changeNanoseconds)
    }
  }

  static let noIndex = UInt32.max

  private(set) var names: [UInt8] = []
  private(set) var directories: [Directory] = []
  private(set) var files: [File] = []
  private(set) var byteCount: Int64 = 0
  /// Entries that a copy leaves out by rule: links, devices, system folders of the card.
  private(set) var skipped = SkippedEntries()

  /// Adds the root, or a directory below one that is there.
  mutating func addDirectory(_ name: BytePath, parent: Int, _ identity: FileIdentity) -> Int {
    let start = store(name)
    directories.append(
      Directory(
        parent: parent, nameStart: start, nameLength: UInt16(name.bytes.count),
        identity: identity))
    return directories.count - 1
  }

  /// Adds a file; false when the sum of all sizes overflows.
  mutating func addFile(_ name: BytePath, directory: Int, _ metadata: Metadata) -> Bool {
    let (sum, overflow) = byteCount.addingReportingOverflow(metadata.byteCount)
    if overflow || metadata.byteCount < 0 { return false }
    byteCount = sum
    let index = UInt32(files.count)
    let start = store(name)
    files.append(
      File(
        directory: UInt32(directory), nameStart: start, nameLength: UInt16(name.bytes.count),
        mode: metadata.mode, byteCount: metadata.byteCount,
        modificationSeconds: metadata.modification.seconds,
        changeSeconds: metadata.change.seconds,
        modificationNanoseconds: metadata.modification.nanoseconds,
        changeNanoseconds: metadata.change.nanoseconds, inode: metadata.inode))
    let last = directories[directory].lastFile
    if last == Self.noIndex {
      directories[directory].firstFile = index
    } else {
      files[Int(last)].next = index
    }
    directories[directory].lastFile = index
    return true
  }

  mutating func skip(_ path: BytePath, _ why: SkippedEntries.Reason) {
    skipped.add(path, why)
  }

  private mutating func store(_ name: BytePath) -> UInt32 {
    let start = UInt32(names.count)
    names += name.bytes
    return start
  }
}

extension SourceManifest {
  func name(ofFile index: Int) -> BytePath {
    let file = files[index]
    return name(file.nameStart, file.nameLength)
  }

  func name(ofDirectory index: Int) -> BytePath {
    let directory = directories[index]
    return name(directory.nameStart, directory.nameLength)
  }

  private func name(_ start: UInt32, _ length: UInt16) -> BytePath {
    BytePath(Array(names[Int(start)..<(Int(start) + Int(length))])) ?? ""
  }

  /// The path of a file below the root.
  func path(ofFile index: Int) -> BytePath {
    path(ofDirectory: Int(files[index].directory)).appending(name(ofFile: index))
  }

  /// The path of a directory below the root; empty for the root.
  func path(ofDirectory index: Int) -> BytePath {
    if index == 0 { return "" }
    return path(ofDirectory: directories[index].parent).appending(name(ofDirectory: index))
  }

  /// Calls `body` with each file of one directory in the order of names.
  func forEachFile(in directory: Int, _ body: (Int) -> Void) {
    var index = directories[directory].firstFile
    while index != Self.noIndex {
      body(Int(index))
      index = files[Int(index)].next
    }
  }

  /// The directories right below each directory.
  func childDirectories() -> [[Int]] {
    var children = [[Int]](repeating: [], count: directories.count)
    for index in directories.indices.dropFirst() {
      children[directories[index].parent].append(index)
    }
    return children
  }

  /// SHA-256 over each file's path, size and modification time, each with its length before it, so
  /// that no two different lists give the same bytes.
  func fingerprint() throws(HashingError) -> Digest? {
    var digest = try MultiDigest([.sha256])
    var block: [UInt8] = []
    func append(_ value: UInt64) {
      withUnsafeBytes(of: value.littleEndian) { block.append(contentsOf: $0) }
    }
    for index in files.indices {
      let path = path(ofFile: index).bytes
      append(UInt64(path.count))
      block += path
      append(UInt64(bitPattern: files[index].byteCount))
      append(UInt64(bitPattern: files[index].modificationSeconds))
      append(UInt64(bitPattern: Int64(files[index].modificationNanoseconds)))
      if block.count >= 64 * 1024 {
        block.withUnsafeBytes { digest.update($0) }
        block.removeAll(keepingCapacity: true)
      }
    }
    block.withUnsafeBytes { digest.update($0) }
    return digest.finish()[.sha256]
  }
}

/// What the walk left out, so that nothing is dropped silently.
struct SkippedEntries: Sendable {
  enum Reason: String, Sendable {
    case symlink = "a symbolic link"
    case special = "a pipe, socket or device"
    case systemFolder = "a system folder of the card"
  }

  /// More are counted, not listed.
  static let listedBound = 200

  private(set) var listed: [(path: BytePath, reason: Reason)] = []
  private(set) var count = 0

  mutating func add(_ path: BytePath, _ reason: Reason) {
    count += 1
    if listed.count < Self.listedBound { listed.append((path, reason)) }
  }

  /// One line for each entry that is listed, and one for the rest.
  var warnings: [String] {
    var lines = listed.map { "not copied, \($0.reason.rawValue): \($0.path.escaped)" }
    if count > listed.count { lines.append("not copied: \(count - listed.count) more") }
    return lines
  }
}
