/// Bytes as they stood at one moment. Whole pages are those of the file itself: whoever writes to
/// the file then makes a page of its own. The ends of the range are copies.
struct SharedBytes {
  let offset: UInt64
  let count: Int
  /// One for each page that the range touches.
  fileprivate let parts: [Part]

  fileprivate enum Part {
    case page(Page)
    case bytes([UInt8])
  }
}

extension FileBytes {
  /// Keeps what was just written.
  func shared(_ data: UnsafeRawBufferPointer, at offset: UInt64) -> SharedBytes {
    var parts: [SharedBytes.Part] = []
    forEachPart(offset, data.count) { number, _, done, length in
      if length == Page.byteCount, let page = page(number) {
        parts.append(.page(page))
      } else {
        parts.append(.bytes(Array(data[done..<done + length])))
      }
    }
    return SharedBytes(offset: offset, count: data.count, parts: parts)
  }

  /// Writes the first `count` of the bytes where they were.
  mutating func lay(_ shared: SharedBytes, count: Int) {
    var place = 0
    forEachPart(shared.offset, count) { number, _, done, length in
      let offset = shared.offset + UInt64(done)
      switch shared.parts[place] {
      case .page(let page) where length == Page.byteCount: replace(number, by: page)
      case .page(let page):
        withUnsafeTemporaryAllocation(byteCount: length, alignment: 16) { room in
          if let base = room.baseAddress { page.load(base, count: length, at: 0) }
          write(UnsafeRawBufferPointer(room), at: offset)
        }
      case .bytes(let bytes):
        bytes.withUnsafeBytes {
          write(UnsafeRawBufferPointer(rebasing: $0[..<length]), at: offset)
        }
      }
      place += 1
    }
  }
}
