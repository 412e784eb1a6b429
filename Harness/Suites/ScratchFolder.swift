import SystemIO

/// A folder of the machine that is emptied before use and looked into afterwards.
enum ScratchFolder {
  /// Makes the folder, or empties it.
  static func renew(_ path: BytePath) throws(SystemError) {
    try FileSystem.makeDirectories(path)
    try empty(try PinnedDirectory.open(try FileSystem.resolve(path)))
  }

  /// Removes the folder with everything in it; links are not followed.
  static func remove(_ path: BytePath) throws(SystemError) {
    guard try FileSystem.metadataIfPresent(path, followingLinks: false) != nil else { return }
    try renew(path)
    guard let parent = path.parent else { return }
    let folder = try PinnedDirectory.open(try FileSystem.resolve(parent))
    try folder.removeDirectory(path.lastComponent)
  }

  private static func empty(_ folder: borrowing PinnedDirectory) throws(SystemError) {
    for entry in try entries(of: folder) {
      if entry.kind == .directory {
        try empty(try folder.descend(entry.name))
        try folder.removeDirectory(entry.name)
      } else {
        try folder.unlink(entry.name)
      }
    }
  }

  /// What lies in the folder, one path a line, folders with a slash at their end; the folders
  /// directly in it (HOME, TMPDIR and the working folder) are no litter.
  static func contents(_ path: BytePath) throws(SystemError) -> [String] {
    var found: [String] = []
    try collect(try PinnedDirectory.open(try FileSystem.resolve(path)), "", into: &found)
    return found.sorted()
  }

  private static func collect(
    _ folder: borrowing PinnedDirectory, _ prefix: BytePath, into found: inout [String]
  ) throws(SystemError) {
    for entry in try entries(of: folder) {
      let path = prefix.appending(entry.name)
      if entry.kind == .directory {
        if !prefix.bytes.isEmpty { found.append(path.escaped + "/") }
        try collect(try folder.descend(entry.name), path, into: &found)
      } else {
        found.append(path.escaped)
      }
    }
  }

  private static func entries(
    of folder: borrowing PinnedDirectory
  ) throws(SystemError) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    try folder.forEachEntry { entry in
      entries.append(entry)
      return true
    }
    return entries
  }
}
