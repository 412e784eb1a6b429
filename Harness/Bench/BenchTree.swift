import SystemIO

/// Trees that are copied and removed: content from a seed, so that nothing compresses or repeats.
struct BenchTree {
  let name: String
  let fileCount: Int
  let byteCount: Int64
  private let filesPerFolder = 1000
  private let fileByteCount: Int64

  /// One file.
  static func large(_ byteCount: Int64) -> BenchTree {
    BenchTree(name: "large", fileCount: 1, byteCount: byteCount, fileByteCount: byteCount)
  }

  /// Many files of 16 KiB, a thousand a folder.
  static func small(_ count: Int) -> BenchTree {
    let size: Int64 = 16 << 10
    return BenchTree(
      name: "small", fileCount: count, byteCount: Int64(count) * size, fileByteCount: size)
  }

  private init(name: String, fileCount: Int, byteCount: Int64, fileByteCount: Int64) {
    self.name = name
    self.fileCount = fileCount
    self.byteCount = byteCount
    self.fileByteCount = fileByteCount
  }

  /// Writes the tree as folder `name` of `root`.
  func make(in root: borrowing PinnedDirectory) throws(SystemError) {
    var random = SeededRandom(seed: 20_260_711)
    let buffer = AlignedBuffer(byteCount: 1 << 20)
    let tree = try root.makeDirectory(BytePath(name))
    for first in stride(from: 0, to: fileCount, by: filesPerFolder) {
      let folder = try tree.makeDirectory(BytePath("\(100 + first / filesPerFolder)CUSTO"))
      for index in first..<min(fileCount, first + filesPerFolder) {
        let file = try folder.openFile(
          BytePath("C\(10_000 + index).MXF"), .writeOnly, options: .exclusiveCreate, mode: 0o644)
        var offset: Int64 = 0
        while offset < fileByteCount {
          let count = Int(min(Int64(buffer.byteCount), fileByteCount - offset))
          let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count])
          random.fill(part)
          try file.writeAll(UnsafeRawBufferPointer(part), at: offset)
          offset += Int64(count)
        }
        try file.close()
      }
    }
  }

  /// Checks that a copy of the tree is whole, by names and sizes.
  func check(in directory: borrowing PinnedDirectory, after command: String) throws(BenchError) {
    let found = try system { () throws(SystemError) in try Self.totals(directory) }
    guard found.files == fileCount, found.bytes == byteCount else {
      throw .incomplete(
        command: command,
        found: "\(found.files) of \(fileCount) files, \(found.bytes) of \(byteCount) bytes")
    }
  }

  private static func totals(
    _ directory: borrowing PinnedDirectory
  ) throws(SystemError) -> (files: Int, bytes: Int64) {
    var total = (files: 0, bytes: Int64(0))
    for entry in try directory.list() {
      if entry.kind == .directory {
        // Evidence that a copier leaves beside the files is not the copy.
        if entry.name == "Reports" { continue }
        let inner = try totals(try directory.descend(entry.name))
        total = (total.files + inner.files, total.bytes + inner.bytes)
      } else {
        total = (total.files + 1, total.bytes + (try directory.metadata(of: entry.name)).byteCount)
      }
    }
    return total
  }

  /// Removes an entry with everything below it.
  static func remove(
    _ name: BytePath, from parent: borrowing PinnedDirectory
  ) throws(SystemError) {
    guard let found = try parent.metadataIfPresent(of: name) else { return }
    guard found.kind == .directory else { return try parent.unlink(name) }
    let inner = try parent.descend(name)
    for entry in try inner.list() { try remove(entry.name, from: inner) }
    try parent.removeDirectory(name)
  }
}
