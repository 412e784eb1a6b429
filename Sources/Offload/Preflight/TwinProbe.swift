import SystemIO

/// Asks a destination whether it keeps two names apart, with the names themselves: in a folder of
/// our own that is removed again (offload decision 12).
struct TwinProbe {
  let root: DirectoryHandle
  let ids: IDSource

  enum Answer {
    case keepsApart
    case collide(NameTwins)
    /// The destination would not say: both kinds are refused then.
    case unknown(SystemError)
    /// The same, and our folder could not be removed.
    case leftBehind(BytePath, SystemError)
  }

  func ask(_ twins: [NameTwins]) -> Answer {
    let name = OwnName.temporary(ids.next())
    let folder: PinnedDirectory
    do throws(SystemError) {
      folder = try root.directory.makeDirectory(name, mode: 0o700, tolerant: false)
    } catch {
      return .unknown(error)
    }
    // Held while the probe runs, so that no other run takes the folder for litter.
    _ = try? folder.descriptor.tryLock(exclusive: false)
    var answer: Answer
    do throws(SystemError) {
      answer = try ask(twins, in: folder)
    } catch {
      answer = .unknown(error)
    }
    do throws(SystemError) {
      try root.directory.removeDirectory(name)
    } catch {
      answer = .leftBehind(root.directory.path.appending(name), error)
    }
    return answer
  }

  private func ask(
    _ twins: [NameTwins], in folder: borrowing PinnedDirectory
  ) throws(SystemError) -> Answer {
    for pair in twins {
      do throws(SystemError) {
        let file = try folder.openFile(pair.first, .writeOnly, options: .exclusiveCreate)
        try file.close()
      } catch {
        // A name that cannot be stored here meets no other; it fails by itself later.
        if [.invalid, .noSuchFile, .nameTooLong, .illegalSequence].contains(error.errno) {
          continue
        }
        throw error
      }
      let other: Metadata?
      do throws(SystemError) {
        other = try folder.metadataIfPresent(of: pair.second)
      } catch {
        _ = try? folder.unlink(pair.first)
        if [.invalid, .nameTooLong, .illegalSequence].contains(error.errno) { continue }
        throw error
      }
      try folder.unlink(pair.first)
      if other != nil { return .collide(pair) }
    }
    return .keepsApart
  }
}
