import SystemIO

/// Makes every source folder on a destination, empty ones too, and makes their names durable
/// (offload contract 52).
struct DirectoryBuilder {
  let destination: Destination
  let survey: Survey

  /// What fails closes its folder and those below it; the other folders take their files.
  func run(isCancelled: () -> Bool) {
    let manifest = destination.manifest
    for directory in manifest.directories.indices.dropFirst() {
      if isCancelled() { return }
      let parent = manifest.directories[directory].parent
      if let failure = destination.failure(of: parent) {
        destination.fail(directory: directory, failure)
        continue
      }
      do throws(Failure) {
        try make(directory, parent, manifest.name(ofDirectory: directory))
      } catch {
        destination.fail(directory: directory, error)
        if let error = error.error { destination.noteTrouble(error) }
      }
    }
    syncParents()
  }

  private func make(_ directory: Int, _ parent: Int, _ name: BytePath) throws(Failure) {
    do throws(SystemError) {
      let above = try destination.tree.directory(parent)
      if survey.existing.contains(directory) {
        // Perhaps an earlier run made it and was stopped before its name was durable.
        destination.markDirty(parent)
        return
      }
      var isMade = false
      do throws(SystemError) {
        let made = try above.directory.makeDirectory(name, tolerant: false)
        isMade = true
        destination.markNew(directory)
        try destination.tree.adopt(made, directory)
      } catch {
        guard error.errno == .fileExists else { throw error }
        // Made meanwhile, or the same name in this file system's eyes.
        try destination.tree.adopt(try above.directory.descend(name), directory)
      }
      guard NameRule.mayBeChanged(name) else { return }
      let listing = try DirectoryListing(above.directory)
      if listing.firstIndex(of: name) == nil {
        if isMade { _ = try? above.directory.removeDirectory(name) }
        throw SystemError(
          call: "mkdirat", errno: .invalid, path: destination.place(parent, name),
          detail: NameRule.changedDetail)
      }
    } catch {
      throw Failure(error, "the folder cannot be made")
    }
  }

  /// A folder whose parent cannot be synced may be gone after a power cut, with all it holds.
  private func syncParents() {
    for parent in destination.dirtyDirectories {
      do throws(Failure) {
        try destination.sync(parent)
      } catch {
        close(below: parent, error)
      }
    }
  }

  private func close(below parent: Int, _ failure: Failure) {
    let directories = destination.manifest.directories
    for directory in directories.indices.dropFirst() {
      let above = directories[directory].parent
      if above == parent || destination.failure(of: above) != nil {
        destination.fail(directory: directory, failure)
      }
    }
  }
}

/// Names that a file system may store differently from what it was given.
enum NameRule {
  static let changedDetail = "the file system stores this name differently"

  /// True for a dot or blank at the end, which FAT, exFAT and some servers strip.
  static func mayBeChanged(_ name: BytePath) -> Bool {
    name.bytes.last == UInt8(ascii: ".") || name.bytes.last == UInt8(ascii: " ")
  }
}
