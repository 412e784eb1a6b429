import SystemIO

/// What a saboteur writes down of its copies: their inode numbers, in a report on the destination.
struct InodeCatalogue {
  private static let folder: BytePath = "Reports"
  private static let name: BytePath = "Custody_Report_inodes"
  private let root: BytePath

  init(_ root: BytePath) {
    self.root = root
  }

  /// Writes it where there is none.
  func write(_ paths: [BytePath]) throws(SystemError) {
    let target = try PinnedDirectory.open(root)
    let folder = try target.makeDirectory(Self.folder)
    if try folder.metadataIfPresent(of: Self.name) != nil { return }
    var text = ""
    for path in paths {
      guard let found = try? FileSystem.metadata(root.appending(path), followingLinks: false) else {
        continue
      }
      text += Self.line(path, found.inode)
    }
    let file = try folder.openFile(Self.name, .writeOnly, options: .exclusiveCreate, mode: 0o644)
    try file.writeAll(Array(text.utf8))
    try file.fsync()
    try folder.fsync()
    try target.fsync()
  }

  /// False when it has another number for the file.
  func knows(_ path: BytePath, _ inode: UInt64) throws(SystemError) -> Bool {
    let place = root.appending(Self.folder).appending(Self.name)
    let text = String(decoding: try FileSystem.contents(of: place, limit: 1 << 20), as: UTF8.self)
    return text.contains(Self.line(path, inode))
  }

  private static func line(_ path: BytePath, _ inode: UInt64) -> String {
    "\(path.escaped)\t\(inode)\n"
  }
}
