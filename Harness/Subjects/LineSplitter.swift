/// Cuts a stream into lines of bounded length.
struct LineSplitter {
  private var pending: [UInt8] = []
  private var isSkipping = false
  private let lengthLimit: Int

  enum Line {
    case whole([UInt8])
    /// A line above the limit; its bytes are gone.
    case overlong
  }

  init(lengthLimit: Int) {
    self.lengthLimit = lengthLimit
  }

  /// Adds bytes and returns the lines that they end.
  mutating func add(_ bytes: UnsafeRawBufferPointer) -> [Line] {
    var lines: [Line] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      lines.append(take())
      rest = rest[(end + 1)...]
    }
    append(rest)
    return lines
  }

  /// The last line, when it has no newline; nil when there is none.
  mutating func finish() -> Line? {
    pending.isEmpty && !isSkipping ? nil : take()
  }

  private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if isSkipping || bytes.isEmpty { return }
    if pending.count + bytes.count > lengthLimit {
      isSkipping = true
      pending = []
    } else {
      pending.append(contentsOf: bytes)
    }
  }

  private mutating func take() -> Line {
    defer {
      pending = []
      isSkipping = false
    }
    return isSkipping ? .overlong : .whole(pending)
  }
}
