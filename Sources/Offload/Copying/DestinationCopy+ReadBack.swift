import SystemIO

extension DestinationCopy {
  /// Has reading the copy ask the medium, past the page cache or after taking the copy out of it,
  /// and says how far that is proven.
  func evict() {
    guard isAlive else { return }
    do throws(SystemError) {
      guard let device = identity?.device else { return }
      readsDirectly =
        reader?.begin(destination.direct, device: device, byteCount: byteCount) == true
      if !readsDirectly, let found = try reader?.evicted(alreadySynced: true) {
        level = min(found, destination.facts.bestLevel)
        // Somebody holds pages of the file: direct reads pass them by.
        if level == .cached, destination.facts.bestLevel.provesMedium {
          readsDirectly = reader?.readsDirectly() == true
        }
      }
      if readsDirectly { level = min(.direct, destination.facts.bestLevel) }
      // The facts are the root's: of a volume mounted further down nothing is known.
      if device != destination.root.metadata.identity.device { level = .cached }
    } catch {
      // Reading goes on, as what it is.
      level = .cached
    }
  }

  /// Has the copy read back together with others.
  func readBack(by ahead: ReadAhead) {
    guard isAlive, readsDirectly else { return }
    self.ahead = reader?.read(by: ahead, byteCount: byteCount)
  }

  /// A copy is proven no better than the source's second read, which it was compared with.
  func limitLevel(bySource level: VerificationLevel) {
    sourceLevel = level
    self.level = min(self.level, level)
  }

  /// Why the level proves nothing, for the row.
  var weakness: String {
    sourceLevel.provesMedium
      ? "read back, but the destination (\(destination.facts.type)) proves no medium"
      : "read back, but the source's second read proves no medium"
  }

  /// Reads the bytes of a range into a buffer; fails the copy when it ends early or goes on behind
  /// its end.
  ///
  /// - Returns: nil after a failure.
  func readBack(
    _ count: Int, at offset: Int64, into buffer: AlignedBuffer
  ) -> UnsafeRawBufferPointer? {
    guard isAlive else { return nil }
    if let bytes = ahead?.bytes(count, at: offset) { return bytes }
    do throws(SystemError) {
      let length = readsDirectly ? AlignedBuffer.aligned(count) : count
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
      let found =
        readsDirectly
        ? try reader?.readBlocks(into: space, at: offset)
        : try reader?.readAll(into: space, at: offset)
      guard found == count else {
        return readError(Failure("the copy has another length than the source"))
      }
      return buffer.prefix(count)
    } catch {
      return readError(Failure(error, "the copy cannot be read back"))
    }
  }

  /// Checks that nothing is behind the last byte, and that the file is as it was when opened.
  func finishReadBack(_ buffer: AlignedBuffer) {
    guard isAlive else { return }
    do throws(SystemError) {
      let length = readsDirectly ? AlignedBuffer.alignment : 1
      let space = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<length])
      let offset = readsDirectly ? Int64(AlignedBuffer.aligned(Int(byteCount))) : byteCount
      guard let found = try reader?.read(into: space, at: offset),
        let metadata = try reader?.metadata()
      else { return }
      if found != 0 || metadata.byteCount != byteCount || metadata.identity != identity
        || !isUntouched(metadata)
      {
        _ = readError(Failure("the copy changed while it was read back"))
      }
    } catch {
      _ = readError(Failure(error, "the copy cannot be read back"))
    }
  }

  /// False when somebody wrote to the file behind what was read already (offload contract 74).
  /// Where ctime is not real the times may move by themselves, by no more than their step.
  private func isUntouched(_ metadata: Metadata) -> Bool {
    guard let opened = readerTimes else { return true }
    guard destination.facts.changeTimeIsReal else {
      return metadata.modification.isNear(opened.modification)
    }
    // Another run that publishes an existing file moves its ctime when it unlinks its temporary.
    return metadata.modification == opened.modification
      && (isReused || metadata.change == opened.change)
  }

  private func readError(_ failure: Failure) -> UnsafeRawBufferPointer? {
    hasReadError = true
    fail(failure)
    return nil
  }
}

extension FileDescriptor {
  /// Takes the file out of the page cache: `evicted` when that is proven, else `cached`.
  borrowing func evicted(alreadySynced: Bool) throws(SystemError) -> VerificationLevel {
    switch try PageCache.evict(self, alreadySynced: alreadySynced) {
    case .proven: return .evicted
    case .resident, .unprovable: return .cached
    }
  }
}
