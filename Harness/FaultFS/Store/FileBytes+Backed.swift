import FaultModel
import SystemIO

/// Bytes whose place is a file of a backing folder.
extension FileBytes {
  /// The file was written up to here.
  mutating func extend(to end: UInt64) {
    byteCount = max(byteCount, end)
    blocks = Self.blocks(of: byteCount)
  }

  /// The same bytes for the durable layer: what the file holds now, whatever is written later.
  var kept: FileBytes {
    var copy = self
    if copy.goesThrough {
      copy.goesThrough = false
      copy.pages = [:]
    }
    return copy
  }

  /// Saves what the file holds of a range before it is overwritten.
  mutating func keep(_ range: ByteRange) {
    guard file != nil, !goesThrough, range.offset < byteCount else { return }
    let end = min(range.offset + range.count, byteCount)
    forEachPart(range.offset, Int(end - range.offset)) { number, _, _, _ in
      guard pages[number] == nil else { return }
      change(number) { _ in }
    }
  }

  /// Brings the file to these bytes and returns them as the volatile layer's.
  func writtenBack() -> FileBytes {
    guard let file, !goesThrough else { return self }
    var through = FileBytes(file, byteCount: byteCount)
    let room = UnsafeMutableRawPointer.allocate(byteCount: Page.byteCount, alignment: 16)
    defer { room.deallocate() }
    for (number, page) in pages {
      page.load(room, count: Page.byteCount, at: 0)
      through.write(
        UnsafeRawBufferPointer(start: room, count: Page.byteCount), at: number * Self.pageSize)
    }
    through.truncate(to: byteCount)
    return through
  }

  /// The file emptied: nothing of it was durable.
  var cut: FileBytes {
    var bytes = self
    bytes.truncate(to: 0)
    return bytes
  }

  func through(_ body: (BackingFile) throws(SystemError) -> Void) {
    guard let file else { return }
    do throws(SystemError) {
      try body(file)
    } catch {
      file.note(error)
    }
  }
}
