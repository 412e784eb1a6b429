import SystemIO

extension FileCopy {
  /// Compares the copy as the medium has it with what was read first and with the source as it
  /// reads now.
  func verify(
    _ folder: borrowing PinnedDirectory, _ name: BytePath, _ copied: NaiveDigest
  ) throws(SystemError) -> String {
    try verify(reading: try folder.openFile(name, .readOnly), copied)
  }

  /// The same for a copy that is open.
  func verify(
    reading reader: borrowing FileDescriptor, _ copied: NaiveDigest
  ) throws(SystemError) -> String {
    if copier.order.mode == .quick { return "not read" }
    let level = try coldLevel(of: reader)
    if defect != .skipsReadBack, try stream(from: reader) != copied {
      throw mismatch("the copy reads differently")
    }
    if defect != .skipsSourceReread {
      let source = try openSource()
      _ = try PageCache.evict(source)
      if try stream(from: source, isSource: true) != copied {
        throw mismatch("the source reads differently now")
      }
    }
    return level
  }

  /// The level that the next read of the copy has, once its pages are gone.
  func coldLevel(of reader: borrowing FileDescriptor) throws(SystemError) -> String {
    let allowed = copier.order.level(of: root)
    if defect == .claimsProof { return "evicted" }
    if defect == .verifiesFromPageCache { return allowed }
    guard try PageCache.evict(reader, alreadySynced: true) == .proven else { return "cached" }
    return allowed
  }

  func openSource() throws(SystemError) -> FileDescriptor {
    let folder = try PinnedDirectory.open(copier.order.source).descend(file.path.parent ?? "")
    return try folder.openFile(file.path.lastComponent, .readOnly)
  }

  /// How long a call of the impatient may take.
  private static let patience = Duration.seconds(1)

  /// Reads a file to its end, hands each block on and returns the digest of all.
  func stream(
    from reader: borrowing FileDescriptor, isSource: Bool = false,
    _ body: (UnsafeRawBufferPointer, Int64) throws(SystemError) -> Void = { _, _ in }
  ) throws(SystemError) -> NaiveDigest {
    let digest = NaiveDigest.Builder()
    var offset: Int64 = 0
    while !(defect == .trustsSize && offset >= file.metadata.byteCount) {
      if copier.isInterrupted { throw mismatch("interrupted") }
      let start = SystemClock().monotonic()
      let count = try read(reader, at: offset, isSource: isSource)
      if count == 0 { break }
      digest.add(buffer.prefix(count))
      try body(buffer.prefix(count), offset)
      offset += Int64(count)
      if defect == .isImpatient, SystemClock().monotonic() - start > Self.patience {
        throw mismatch("a call took too long")
      }
      if defect == .takesShortReadForEnd, count < buffer.bytes.count { break }
    }
    if offset != file.metadata.byteCount {
      throw mismatch("\(offset) of \(file.metadata.byteCount) bytes can be read")
    }
    return digest.finish()
  }

  private func read(
    _ reader: borrowing FileDescriptor, at offset: Int64, isSource: Bool
  ) throws(SystemError) -> Int {
    var room = buffer.bytes.count
    if defect == .trustsSize { room = min(room, Int(file.metadata.byteCount - offset)) }
    if defect == .trustsHoles, isSource, offset < file.metadata.byteCount {
      let data = try reader.seekData(from: offset) ?? file.metadata.byteCount
      let hole = min(room, Int(data - offset))
      buffer.bytes[..<hole].initializeMemory(as: UInt8.self, repeating: 0)
      if hole > 0 { return hole }
    }
    return try reader.read(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<room]), at: offset)
  }
}
