import SystemIO

extension DestinationCopy {
  /// Finds out what is in the way, and makes the file that the bytes go into.
  func prepare() {
    guard isAlive else { return }
    do throws(Failure) {
      if !destination.isNew(directory), try takeExisting() { return }
      try makeFile()
    } catch {
      fail(error)
    }
  }

  /// Looks at what has the final name: true when it may be the same file, to be proven.
  ///
  /// - Throws: a conflict; what is there stays as it is (offload contract 70, 71).
  func takeExisting() throws(Failure) -> Bool {
    let found: Metadata?
    do throws(SystemError) {
      found = try handle.directory.metadataIfPresent(of: name)
    } catch {
      // A name that cannot be looked up cannot be made either: the create will tell.
      if [.invalid, .nameTooLong, .illegalSequence].contains(error.errno) { return false }
      throw Failure(error)
    }
    guard let found else { return false }
    guard found.kind == .regular else { throw conflict("a \(found.kind.rawValue) is there") }
    guard context.mode.verifies else { throw conflict("a file of that name is there") }
    guard found.byteCount == byteCount else {
      throw conflict("a file of \(found.byteCount) bytes is there")
    }
    kind = .reused
    return true
  }

  func conflict(_ what: String) -> Failure {
    Failure(
      "conflict: \(what), and it stays as it is",
      reason: name.isAppleDouble ? .companionConflict : nil)
  }

  private func makeFile() throws(Failure) {
    do throws(SystemError) {
      let device = try deviceOfFolder()
      switch destination.linkSupport(device) {
      case .works: try makeTemporary()
      case .absent: break
      case nil:
        try makeTemporary()
        if linksAreAbsent(device) { dropTemporary() }
      }
    } catch {
      throw Failure(error, "the copy cannot be begun")
    }
    if writer == nil { try makeMarked() }
  }

  private func deviceOfFolder() throws(SystemError) -> UInt64 {
    if let identity = destination.tree.identity(directory) { return identity.device }
    return try handle.directory.metadata().device
  }

  private func makeTemporary() throws(SystemError) {
    let temporary = OwnName.temporary(context.ids.next())
    do throws(SystemError) {
      let made = try handle.directory.openFile(temporary, .readWrite, options: .exclusiveCreate)
      // Tells the sweep of another run that this one lives; without locks nothing is ever swept.
      _ = try? made.tryLock(exclusive: false)
      kind = .temporary(temporary)
      writer = consume made
    } catch {
      // It may have been made all the same, with the answer lost.
      removeOrName(temporary)
      throw error
    }
  }

  /// Asks with a second temporary name whether the file system has hard links, once for each.
  private func linksAreAbsent(_ device: UInt64) -> Bool {
    let second = OwnName.temporary(context.ids.next())
    do throws(SystemError) {
      try handle.directory.link(currentName, to: handle.directory, second)
    } catch {
      if error.errno.mayMeanNoHardLinks {
        destination.setLinkSupport(.absent, device)
        return true
      }
      // Any other answer is about this moment: the publication will meet it again.
      removeOrName(second)
      return false
    }
    destination.setLinkSupport(.works, device)
    removeOrName(second)
    return false
  }

  private func dropTemporary() {
    removeOrName(currentName)
    // Nothing was written through it, so its close has nothing to report.
    writer = nil
    kind = .reused
  }

  /// Makes the final name itself, under a marker that is durable before it.
  private func makeMarked() throws(Failure) {
    let markerName = OwnName.marker(context.ids.next())
    let marker = StatusMarker(
      name: name, byteCount: byteCount, run: context.runID,
      created: context.clock.now().iso8601)
    let markerFile: MarkerFile
    do throws(SystemError) {
      markerFile = try MarkerFile.create(marker, markerName, in: handle) {
        destination.leaveBehind(destination.place(directory, $0))
      }
    } catch {
      throw Failure(error, "the status marker cannot be written")
    }
    do throws(Failure) {
      try destination.sync(directory)
    } catch {
      removeOrName(markerName)
      throw error
    }
    do throws(SystemError) {
      let made = try handle.directory.openFile(name, .readWrite, options: .exclusiveCreate)
      _ = try? made.tryLock()
      kind = .marked(markerFile)
      writer = consume made
    } catch {
      try abandon(markerName, error)
      return
    }
    try checkName(markerName)
  }

  /// The final name could not be made under the marker.
  private func abandon(_ marker: BytePath, _ error: SystemError) throws(Failure) {
    let failure = Failure(error, "the file cannot be made")
    if handle.directory.mayHold(name), error.errno != .fileExists, !failure.isAboutName {
      // Made perhaps, with the answer lost: the marker goes on saying that it is incomplete.
      for left in [name, marker] { destination.leaveBehind(destination.place(directory, left)) }
      throw failure
    }
    removeOrName(marker)
    guard error.errno == .fileExists else { throw failure }
    // Another run's file, or another spelling of the name in this file system's eyes.
    if try takeExisting() { return }
    throw conflict("a file of that name is there")
  }

  /// Lists a name back that the file system may have changed.
  private func checkName(_ marker: BytePath) throws(Failure) {
    guard NameRule.mayBeChanged(name) else { return }
    do throws(SystemError) {
      if try DirectoryListing(handle.directory).firstIndex(of: name) != nil { return }
      throw SystemError(
        call: "openat", errno: .invalid, path: place, detail: NameRule.changedDetail)
    } catch {
      // Nothing is in it yet, and the exclusive create made it ours.
      writer = nil
      kind = .reused
      removeOrName(name)
      removeOrName(marker)
      throw Failure(error, "the file cannot be made")
    }
  }

  /// Removes a name of ours, or has the report name it.
  func removeOrName(_ own: BytePath) {
    do throws(SystemError) {
      try handle.directory.remove(own)
      destination.markDirty(directory)
    } catch {
      destination.markDirty(directory)
      let path = destination.place(directory, own)
      destination.leaveBehind(path)
      destination.warn("could not be removed: \(path.escaped): \(error.errno)")
    }
  }
}
