import SystemIO

/// One file of a backing folder: opened when its bytes are wanted, under the name it has then.
final class BackingFile {
  private let folder: BackingFolder
  private var descriptor: FileDescriptor?
  /// Kept open, since its name is gone or about to go.
  private var isPinned = false
  /// Where the file has a name now, below the folder's root.
  var locate: () -> BytePath? = { nil }
  /// The files opened before and after it, among those that the folder may close. They leave the
  /// list before they go, so that neither is ever gone.
  fileprivate unowned(unsafe) var older: BackingFile?
  fileprivate unowned(unsafe) var newer: BackingFile?
  fileprivate var isListed = false

  init(in folder: BackingFolder) {
    self.folder = folder
  }

  deinit { folder.openFiles.remove(self) }

  /// Lets the descriptor go; the next use opens the file again.
  func rest() {
    if isPinned { return }
    descriptor = nil
    folder.openFiles.remove(self)
  }

  /// Opens the file for as long as it is known, before its name goes.
  func pin() throws(SystemError) {
    try use { _ throws(SystemError) in }
    isPinned = true
    folder.openFiles.remove(self)
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
  func appear(
    as name: BytePath, in parent: borrowing PinnedDirectory, byteCount: UInt64
  ) throws(SystemError) {
    do throws(SystemError) {
      try use { open throws(SystemError) in try parent.link(descriptor: open, as: name) }
    } catch {
      guard error.errno == .noSuchFile else { throw error }
      let copy = try parent.openFile(name, .readWrite, options: .exclusiveCreate)
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

/// The open files that have a name, the one opened last at the end. Beyond a limit the first ones
/// rest.
struct OpenFiles {
  private let limit: Int
  private(set) var count = 0
  private unowned(unsafe) var oldest: BackingFile?
  private unowned(unsafe) var newest: BackingFile?

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ file: BackingFile) {
    remove(file)
    file.isListed = true
    file.older = newest
    newest?.newer = file
    newest = file
    if oldest == nil { oldest = file }
    count += 1
  }

  mutating func remove(_ file: BackingFile) {
    guard file.isListed else { return }
    file.isListed = false
    if let older = file.older { older.newer = file.newer } else { oldest = file.newer }
    if let newer = file.newer { newer.older = file.older } else { newest = file.older }
    file.older = nil
    file.newer = nil
    count -= 1
  }

  /// The file that is to rest, while there are too many.
  var excess: BackingFile? { count > limit ? oldest : nil }
}
