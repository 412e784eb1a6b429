import Glibc
public import SystemIO

/// The run's folder cannot be made or written.
public enum RunError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The folder given to `--report` holds files that are no run of ours.
  case folderTaken(BytePath, holds: BytePath)
  case system(SystemError)

  public var description: String {
    switch self {
    case .folderTaken(let path, let name):
      "\(path.escaped) holds \(name.escaped), which no run made: name a new or empty folder"
    case .system(let error): error.description
    }
  }
}

extension Run {
  /// The folder of one run: `events.jsonl`, `report.json`, `junit.xml` and `cases/`.
  public struct Directory: Sendable {
    /// Absolute, without symbolic links.
    public let path: BytePath
    /// As it was asked for, for messages.
    public let shownPath: BytePath

    /// The file whose presence says that a folder is a run of ours.
    public static let eventsName: BytePath = "events.jsonl"
    /// Everything that a run writes into its folder.
    static let ownNames: Set<BytePath> = [
      eventsName, "report.json", "junit.xml", "report.html", "coverage.txt", "cases",
      "subject",
    ]

    /// Makes the folder.
    ///
    /// - `chosen`: `--report`; nil makes `custody-runs/<stamp>-<verb>` below the working folder and
    ///   points the link `latest` at it. A chosen folder must be absent, empty or an earlier run,
    ///   whose files are then replaced.
    /// - Throws: `folderTaken` when a chosen folder holds anything else; nothing is changed then.
    public static func create(
      verb: String, stamp: String, chosen: BytePath?
    ) throws(RunError) -> Directory {
      let foreign: BytePath?
      do throws(SystemError) {
        guard let chosen else { return try create(named: "\(stamp)-\(verb)") }
        let folder = try open(chosen)
        let names = try names(in: folder)
        let isRun = names.contains(eventsName)
        foreign = names.first { !isRun || !ownNames.contains($0) }
        if foreign == nil {
          for name in names { try remove(name, in: folder) }
          return Directory(path: folder.path, shownPath: chosen)
        }
      } catch {
        throw .system(error)
      }
      throw .folderTaken(chosen ?? "", holds: foreign ?? "")
    }

    /// Opens a folder, made with its parents where it is absent.
    private static func open(_ path: BytePath) throws(SystemError) -> PinnedDirectory {
      try FileSystem.makeDirectories(path)
      return try PinnedDirectory.open(try FileSystem.resolve(path))
    }

    private static func names(in folder: borrowing PinnedDirectory) throws(SystemError)
      -> [BytePath]
    {
      var names: [BytePath] = []
      try folder.forEachEntry { entry in
        names.append(entry.name)
        return true
      }
      return names.sorted()
    }

    private static func create(named name: String) throws(SystemError) -> Directory {
      let runs: BytePath = "custody-runs"
      let folder = try open(runs)
      var chosen = BytePath(name)
      for attempt in 2...1000 {
        if try folder.metadataIfPresent(of: chosen) == nil {
          _ = try folder.makeDirectory(chosen, tolerant: false)
          break
        }
        chosen = BytePath("\(name)-\(attempt)")
      }
      try pointLatest(at: chosen, in: folder)
      return Directory(
        path: folder.path.appending(chosen), shownPath: runs.appending(chosen))
    }

    /// `latest` is replaced only while it is absent or a symbolic link.
    private static func pointLatest(
      at name: BytePath, in folder: borrowing PinnedDirectory
    ) throws(SystemError) {
      let link: BytePath = "latest"
      if let present = try folder.metadataIfPresent(of: link), present.kind != .symlink { return }
      let temporary = BytePath(".latest-\(getpid())")
      if try folder.metadataIfPresent(of: temporary) != nil { try folder.unlink(temporary) }
      try folder.symlink(name, as: temporary)
      try folder.rename(temporary, to: folder, link)
    }

    /// Removes an own name with everything below it, links not followed.
    private static func remove(
      _ name: BytePath, in folder: borrowing PinnedDirectory
    ) throws(SystemError) {
      guard try folder.metadata(of: name).kind == .directory else {
        return try folder.unlink(name)
      }
      let child = try folder.descend(name)
      for name in try names(in: child) { try remove(name, in: child) }
      try folder.removeDirectory(name)
    }
  }
}

extension Run.Directory {
  /// Creates or replaces a file below the folder: temp, fsync, rename.
  public func write(_ bytes: [UInt8], to name: BytePath) throws(RunError) {
    do throws(SystemError) {
      let folder = try PinnedDirectory.open(path).descend(name.parent ?? "")
      let last = name.lastComponent
      let temporary = BytePath("." + "\(last.escaped).\(getpid())")
      let file = try folder.openFile(
        temporary, .writeOnly, options: [.create, .truncate], mode: 0o644)
      try file.writeAll(bytes)
      try file.fsync()
      try file.close()
      try folder.rename(temporary, to: folder, last)
    } catch {
      throw .system(error)
    }
  }

  /// Makes a folder below this one, with its parents.
  public func makeFolder(_ name: BytePath) throws(RunError) {
    do throws(SystemError) {
      var reached = try PinnedDirectory.open(path)
      for component in name.components { reached = try reached.makeDirectory(component) }
    } catch {
      throw .system(error)
    }
  }
}
