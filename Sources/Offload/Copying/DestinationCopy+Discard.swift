import SystemIO

extension DestinationCopy {
  /// Cleans up after a failure: no name is left that could be taken for a copy, and what cannot be
  /// removed is named in the report.
  ///
  /// Bytes that differ are kept under a name that says so; bytes that could not be read back stay
  /// under their marker (offload decision 19).
  func discard() {
    guard let failure else { return }
    switch kind {
    case .reused: break
    case .temporary(let temporary):
      dispose(of: temporary, failure)
    case .marked(let marker): discardMarked(marker, failure)
    }
    kind = .reused
    writer = nil
    reader = nil
    lockHolder = nil
  }

  private func discardMarked(_ marker: MarkerFile, _ failure: Failure) {
    switch ownership() {
    case .unknown:
      leave(name, marker.name)
    case .foreign:
      // Somebody else's file now: only the marker is ours.
      removeOrName(marker.name)
    case .own where hasReadError:
      leave(name, marker.name)
    case .own, .gone:
      dispose(of: name, failure)
      // What could not be removed stays under its marker: it must not pass for a copy.
      guard isGone(name) else { return leave(name, marker.name) }
      do throws(Failure) {
        // The name must be gone for good before nothing says any more that it is incomplete.
        try destination.sync(directory)
        removeOrName(marker.name)
      } catch {
        leave(marker.name)
      }
    }
  }

  private func leave(_ names: BytePath...) {
    for name in names { destination.leaveBehind(destination.place(directory, name)) }
  }

  /// Known to have no entry any more.
  private func isGone(_ name: BytePath) -> Bool {
    do throws(SystemError) {
      return try handle.directory.metadataIfPresent(of: name) == nil
    } catch {
      return false
    }
  }

  private enum Ownership { case own, foreign, gone, unknown }

  /// Whether the final name still stands for the file that this copy wrote.
  private func ownership() -> Ownership {
    do throws(SystemError) {
      guard let found = try handle.directory.metadataIfPresent(of: name) else { return .gone }
      return found.identity == (try openIdentity()) ? .own : .foreign
    } catch {
      return .unknown
    }
  }

  /// The identity by a descriptor that is still open.
  private func openIdentity() throws(SystemError) -> FileIdentity? {
    if let found = try writer?.metadata() { return found.identity }
    if let found = try reader?.metadata() { return found.identity }
    if let found = try lockHolder?.metadata() { return found.identity }
    return identity
  }

  private func dispose(of current: BytePath, _ failure: Failure) {
    if failure.outcome == .checksumMismatch, keepBytes(under: current) { return }
    removeOrName(current)
  }

  /// Renames bytes that differ to `NAME.custody-failed`, never over anything (contract 67).
  ///
  /// - Returns: true when they are kept, or when the name stands for another file: false lets the
  ///   caller remove it.
  private func keepBytes(under current: BytePath) -> Bool {
    let kept = OwnName.failed(name)
    do throws(SystemError) {
      let before = try handle.directory.metadata(of: current).identity
      guard before == (try openIdentity()) else {
        leave(current)
        return true
      }
      try rename(current, kept)
      destination.markDirty(directory)
      if try handle.directory.metadata(of: kept).identity != before {
        // Not what was read: it goes back to where it was.
        try handle.directory.rename(
          kept, to: handle.directory, current, options: .noReplace)
        leave(current)
        return true
      }
      leave(kept)
      return true
    } catch {
      destination.warn(
        "the bytes of \(place.escaped) that differ could not be kept: \(error)")
      return false
    }
  }

  private func rename(_ current: BytePath, _ kept: BytePath) throws(SystemError) {
    do throws(SystemError) {
      try handle.directory.rename(current, to: handle.directory, kept, options: .noReplace)
    } catch {
      guard [.invalid, .notImplemented, .notSupported].contains(error.errno) else { throw error }
      // Without that promise the name is claimed first, by a file of our own.
      let claim = try handle.directory.openFile(kept, .writeOnly, options: .exclusiveCreate)
      do throws(SystemError) {
        try claim.close()
        try handle.directory.rename(current, to: handle.directory, kept)
      } catch {
        removeOrName(kept)
        throw error
      }
    }
  }
}
