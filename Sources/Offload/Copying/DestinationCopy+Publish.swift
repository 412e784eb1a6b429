import SystemIO

extension DestinationCopy {
  /// Gives proven bytes their final name, or takes the marker off it.
  ///
  /// The folder is synced later, once for many files; until then the row is not final.
  func publish() {
    guard isAlive else { return }
    switch kind {
    case .temporary(let temporary): publishLink(temporary)
    case .marked(let marker): publishMarked(marker)
    case .reused: step("") { () throws(SystemError) in try checkFinalName() }
    }
    reader = nil
    lockHolder = nil
  }

  /// True when the name was taken before the link: the temporary file is still there.
  var hasLostName: Bool {
    guard case .temporary = kind, let error = failure?.error else { return false }
    return error.call == "linkat" && error.errno == .fileExists
  }

  /// Turns from the own bytes to those that have the name.
  func takeWhatIsThere() {
    removeOrName(currentName)
    retryAsReused()
    do throws(Failure) {
      if try !takeExisting() { throw conflict("the name came and went") }
    } catch {
      fail(error)
    }
  }

  private func publishLink(_ temporary: BytePath) {
    do throws(SystemError) {
      try giveName(temporary)
    } catch {
      fail(Failure(error, "the final name cannot be given"))
      return
    }
    destination.markDirty(directory)
    step("") { () throws(SystemError) in try checkFinalName() }
    if isAlive { checkListedName() }
    removeOrName(temporary)
  }

  /// Links the very file that was read back, whatever has its temporary name by now; by that name
  /// where the kernel cannot link a descriptor.
  private func giveName(_ temporary: BytePath) throws(SystemError) {
    // Quick mode reads nothing back: the writer is closed.
    guard reader != nil else { return try linkByName(temporary) }
    do throws(SystemError) {
      try reader?.link(into: handle.directory, as: name)
    } catch {
      // No /proc, or the file has lost its name to another one, which must not get the final one.
      guard error.errno == .noSuchFile else { throw error }
      try linkByName(temporary)
    }
  }

  private func linkByName(_ temporary: BytePath) throws(SystemError) {
    guard isProven(try handle.directory.metadata(of: temporary)) else {
      throw SystemError(
        call: "linkat", errno: .stale, path: place, detail: "another file has taken the name")
    }
    try handle.directory.link(temporary, to: handle.directory, name)
  }

  private func publishMarked(_ marker: MarkerFile) {
    step("") { () throws(SystemError) in try checkFinalName() }
    guard isAlive else { return }
    if let holder = lockHolder.take() {
      do throws(SystemError) {
        try holder.close()
      } catch {
        fail(Failure(error))
        return
      }
    }
    destination.markDirty(directory)
    do throws(SystemError) {
      try marker.remove()
    } catch {
      destination.leaveBehind(destination.place(directory, marker.name))
      destination.leaveBehind(place)
      kind = .reused
      fail(Failure(error, "the status marker cannot be removed"))
    }
  }

  /// True for the file that was read. While that is open its number holds on every file system;
  /// after quick mode's close only where numbers last.
  private func isProven(_ found: Metadata) -> Bool {
    let isOpen = reader != nil || lockHolder != nil
    let isSame = found.identity == identity || !(isOpen || destination.facts.inodesLast)
    return isSame && found.byteCount == byteCount && found.kind == .regular
  }

  /// The final name must stand for the file that was read.
  private func checkFinalName() throws(SystemError) {
    guard isProven(try handle.directory.metadata(of: name)) else {
      throw SystemError(
        call: "statx", errno: .stale, path: place, detail: "another file has taken the name")
    }
  }

  /// Lists a name back that the file system may have changed.
  private func checkListedName() {
    guard NameRule.mayBeChanged(name) else { return }
    step("the name cannot be listed back") { () throws(SystemError) in
      if try DirectoryListing(handle.directory).firstIndex(of: name) != nil { return }
      // The link just made is ours: it leads to the file that is still open.
      removeOrName(name)
      throw SystemError(
        call: "linkat", errno: .invalid, path: place, detail: NameRule.changedDetail)
    }
  }
}
