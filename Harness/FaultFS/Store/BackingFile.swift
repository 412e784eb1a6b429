import SystemIO

/// One file of a backing folder: opened when its bytes are wanted, under the name it has then.
final class BackingFile {
  private unowned let folder: BackingFolder
  private var descriptor: FileDescriptor?
  /// Kept open, since its name is gone or about to go.
  private var isPinned = false
  /// Where the file has a name now, below the folder's root.
  var locate: () -> BytePath? = { nil }

  init(in folder: BackingFolder) {
    self.folder = folder
  }

  /// Lets the descriptor go; the next use opens the file again.
  func rest() {
    if !isPinned { descriptor = nil }
  }

  /// Opens the file for as long as it is known, before its name goes.
  func pin() throws(SystemError) {
    try use { _ throws(SystemError) in }
    isPinned = true
  }

  /// The bytes are in this file from now on.
  func become(_ descriptor: consuming FileDescriptor) {
    self.descriptor = consume descriptor
    isPinned = false
    folder.opened(self)
  }

  func use<Value>(
    _ body: (borrowing FileDescriptor) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    if descriptor == nil {
      guard let path = locate() else {
        throw SystemError(call: "openat", errno: .stale, path: folder.path)
      }
      descriptor = try folder.openFile(path)
      folder.opened(self)
    }
    switch descriptor {
    case .some(let open): return try body(open)
    case .none: throw SystemError(call: "openat", errno: .stale, path: folder.path)
    }
  }

  /// Gives the file a name, or another file with the same bytes if its last name is gone.
  func appear(at path: BytePath, byteCount: UInt64) throws(SystemError) {
    let parent = try folder.folder(path.parent ?? "")
    do throws(SystemError) {
      try use { open throws(SystemError) in
        try parent.link(descriptor: open, as: path.lastComponent)
      }
    } catch {
      guard error.errno == .noSuchFile else { throw error }
      let copy = try parent.openFile(path.lastComponent, .readWrite, options: .exclusiveCreate)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
      defer { buffer.deallocate() }
      var offset: UInt64 = 0
      while offset < byteCount {
        let count = try read(buffer, at: offset)
        if count == 0 { break }
        try copy.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: Int64(offset))
        offset += UInt64(count)
      }
      become(copy)
    }
  }

  /// How many bytes there were; what is beyond the end is left as it is.
  func read(
    _ target: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(SystemError) -> Int {
    try use { open throws(SystemError) in try open.readAll(into: target, at: Int64(offset)) }
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
    try use { open throws(SystemError) in try open.writeAll(source, at: Int64(offset)) }
  }

  func truncate(to byteCount: UInt64) throws(SystemError) {
    try use { open throws(SystemError) in try open.truncate(to: Int64(byteCount)) }
  }

  func sync() throws(SystemError) {
    try use { open throws(SystemError) in try open.fdatasync() }
  }

  /// Notes an error of a call whose answer cannot carry it.
  func note(_ error: SystemError) { folder.note(error) }
}
