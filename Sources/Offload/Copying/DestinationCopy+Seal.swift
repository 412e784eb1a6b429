import SystemIO

extension DestinationCopy {
  /// Writes a chunk behind the ones before it.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard isAlive else { return }
    do throws(SystemError) {
      let tail = bytes.count % AlignedBuffer.alignment
      if writesDirectly, tail > 0 {
        // The end of the file: whole blocks first, the rest through the cache.
        let whole = bytes.count - tail
        try writeBlocks(UnsafeRawBufferPointer(rebasing: bytes[..<whole]), at: offset)
        try endDirectWriting()
        let rest = UnsafeRawBufferPointer(rebasing: bytes[whole...])
        try writer?.writeAll(rest, at: offset + Int64(whole))
      } else {
        try writeBlocks(bytes, at: offset)
      }
    } catch {
      fail(Failure(error))
    }
  }

  /// Writes directly where that works. EINVAL may mean blocks larger than ours, or a short write
  /// that ended within one: the cache takes what direct I/O does not.
  private func writeBlocks(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    do throws(SystemError) {
      try writer?.writeAll(bytes, at: offset)
    } catch {
      guard writesDirectly, error.errno == .invalid else { throw error }
      try endDirectWriting()
      try writer?.writeAll(bytes, at: offset)
    }
  }

  /// Bypasses the page cache from here on, where the destination's facts and the kernel allow it:
  /// a copy through the cache costs more than hashing.
  func writeDirectly() {
    guard destination.facts.bestLevel == .direct else { return }
    writesDirectly = writer != nil && (try? writer?.setDirect(true)) != nil
  }

  private func endDirectWriting() throws(SystemError) {
    try writer?.setDirect(false)
    writesDirectly = false
  }

  /// Has the kernel begin to write a range to the medium. Nothing depends on it.
  func startWriteback(offset: Int64 = 0, byteCount: Int64) {
    if writesDirectly || !isAlive { return }
    _ = try? writer?.startWriteback(offset: offset, byteCount: byteCount)
  }

  /// Sets mode and time, so that the sync makes them durable with the bytes (offload contract 54).
  func complete() {
    guard isAlive, !isReused else { return }
    step("the mode cannot be set") { () throws(SystemError) in try setMode() }
    let time = context.manifest.files[file].modification
    step("the time cannot be set") { () throws(SystemError) in
      try writer?.setTimes(modification: time)
    }
  }

  /// Makes the bytes durable, with their length, mode and time.
  func sync() {
    guard isAlive, !isReused else { return }
    let time = context.manifest.files[file].modification
    step("the bytes could not be made durable") { () throws(SystemError) in
      try writer?.fsync()
    }
    step("") { () throws(SystemError) in
      guard let written = try writer?.metadata() else { return }
      identity = written.identity
      modification = written.modification
      if written.byteCount != byteCount {
        throw SystemError(
          call: "statx", errno: .inputOutput, path: place,
          detail: "\(written.byteCount) bytes instead of \(byteCount)")
      }
      compareTimes(written.modification, time)
    }
  }

  /// Permissions of the source, with which the owner can always read and write. File systems
  /// without modes may say so.
  private func setMode() throws(SystemError) {
    let mode = context.manifest.files[file].mode & 0o777 | 0o600
    do throws(SystemError) {
      try writer?.setMode(mode)
    } catch {
      let hasNoModes = [.notPermitted, .notSupported, .notImplemented].contains(error.errno)
      if !hasNoModes { throw error }
    }
  }

  /// A time that the file system keeps differently is worth a warning, never a failure.
  private func compareTimes(_ kept: Timestamp, _ wanted: Timestamp) {
    if kept == wanted { return }
    if kept.isNear(wanted) {
      destination.countCoarseTime()
    } else {
      destination.warn(
        "\(place.escaped): the modification time \(wanted.iso8601) is kept as \(kept.iso8601)")
    }
  }

  /// Opens the bytes again under the name they have now, proves that it is the same file, and only
  /// then closes the writer (offload decision 13).
  func openForReadBack() {
    guard isAlive else { return }
    // What was read ahead was read by another descriptor.
    ahead = nil
    do throws(SystemError) {
      let opened = try handle.directory.openFile(
        currentName, .readOnly, options: .nonBlocking)
      let found = try opened.metadata()
      if isReused {
        try take(opened, found)
      } else {
        try compare(opened, found)
      }
    } catch {
      fail(Failure(error, "the copy cannot be opened again"))
    }
    if isAlive { closeWriter() }
  }

  /// An existing file: whoever is still writing it holds a lock.
  private func take(
    _ opened: consuming FileDescriptor, _ found: Metadata
  ) throws(SystemError) {
    guard found.kind == .regular, found.byteCount == byteCount else {
      fail(conflict("it changed meanwhile"))
      return
    }
    if (try? opened.tryLock(exclusive: false)) == false {
      fail(conflict("another run is writing that file"))
      return
    }
    // Perhaps an earlier run wrote it and was stopped before it was durable.
    try opened.fsync()
    destination.markDirty(directory)
    identity = found.identity
    // After the sync, which may be what gives the times of an earlier writer their last value.
    let synced = try opened.metadata()
    readerTimes = (synced.modification, synced.change)
    modification = synced.modification
    reader = consume opened
  }

  private func compare(
    _ opened: consuming FileDescriptor, _ found: Metadata
  ) throws(SystemError) {
    // Both are open, so the numbers compare on every file system.
    guard found.identity == identity, found.byteCount == byteCount, found.kind == .regular else {
      throw SystemError(
        call: "openat", errno: .stale, path: destination.place(directory, currentName),
        detail: "another file has taken the name")
    }
    if case .temporary = kind { _ = try? opened.tryLock(exclusive: false) }
    readerTimes = (found.modification, found.change)
    reader = consume opened
  }

  /// An error of close fails the copy: it may be the only sign of lost bytes (field case C06).
  func closeWriter() {
    guard let open = writer.take() else { return }
    do throws(SystemError) {
      if case .marked = kind { lockHolder = try open.duplicate() }
      try open.close()
    } catch {
      fail(Failure(error))
    }
  }
}
