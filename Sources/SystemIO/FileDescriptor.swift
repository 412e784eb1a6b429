import CLinuxShims
import Glibc

/// An open descriptor that is closed exactly once.
///
/// Every call blocks; run it on a thread of your own (`ThreadPool`). EINTR is retried, except by
/// `close`. Dropping the value closes it and loses the error: a file that was written must be
/// closed by `close()`.
public struct FileDescriptor: ~Copyable, Sendable {
  /// The number; -1 once retired.
  public private(set) var rawValue: CInt
  private let isOwned: Bool
  private let base: BytePath?
  private let name: BytePath?

  /// Takes over an open descriptor.
  public init(owning rawValue: CInt, path: BytePath? = nil) {
    self.init(owning: rawValue, base: nil, name: path)
  }

  /// Uses a descriptor that somebody else closes, such as the standard ones.
  public init(unowned rawValue: CInt, path: BytePath? = nil) {
    self.rawValue = rawValue
    isOwned = false
    base = nil
    name = path
  }

  /// Takes over a descriptor of `name` in `base`, joined only when an error needs the path.
  init(owning rawValue: CInt, base: BytePath?, name: BytePath?) {
    self.rawValue = rawValue
    isOwned = true
    self.base = base
    self.name = name
  }

  deinit {
    if isOwned && rawValue >= 0 { _ = Glibc.close(rawValue) }
  }

  /// The path it was opened by, for messages only.
  public var path: BytePath? {
    guard let base else { return name }
    return name.map { base.appending($0) } ?? base
  }

  /// Opens a file by path.
  ///
  /// - Parameter mode: permissions of a created file, before the umask.
  /// - Throws: the errno of open(2).
  public static func open(
    _ path: BytePath, _ access: FileAccess, options: OpenOptions = [], mode: UInt16 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    let flags = options.flags(access)
    let fd = try systemCall("openat", path: path) {
      path.withCString { ls_openat(ls_at_fdcwd, $0, flags, UInt32(mode)) }
    }
    return FileDescriptor(owning: fd, path: path)
  }

  /// Closes and reports the error; the descriptor is gone in any case (man 2 close).
  ///
  /// EINTR is an error here, not retried: offload decision 22.
  public consuming func close() throws(SystemError) {
    let fd = rawValue
    let place = path
    let owned = isOwned
    rawValue = -1
    guard owned else { return }
    _ = try systemCall("close", retrying: false, path: place) { Glibc.close(fd) }
  }

  /// Gives the number away; the caller closes it.
  public consuming func release() -> CInt {
    let fd = rawValue
    rawValue = -1
    return fd
  }

  /// A second descriptor of the same open file: both share its offset.
  public borrowing func duplicate() throws(SystemError) -> FileDescriptor {
    let fd = rawValue
    let place = path
    let copy = try systemCall("fcntl", path: place) { ls_duplicate(fd) }
    return FileDescriptor(owning: copy, path: place)
  }
}

extension FileDescriptor {
  /// Reads from the file's own offset; 0 at the end.
  public borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    let fd = rawValue
    let count = transferLength("read", path: path, buffer.count)
    return try systemCall("read", path: path) { Glibc.read(fd, buffer.baseAddress, count) }
  }

  /// Reads at an offset with pread(2); may be short, 0 at the end.
  public borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    let fd = rawValue
    let count = transferLength("pread", path: path, buffer.count)
    return try systemCall("pread", path: path, offset: offset) {
      Glibc.pread(fd, buffer.baseAddress, count, Int(offset))
    }
  }

  /// Reads at an offset until the buffer is full or the file ends; returns the bytes read.
  public borrowing func readAll(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try read(into: rest, at: offset + Int64(done))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads whole blocks at an offset until the buffer is full or the file ends, for direct I/O.
  ///
  /// A read that ends within a sector has met the end of the file: going on from there is no
  /// aligned read any more.
  public borrowing func readBlocks(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    let sector = 512
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try read(into: rest, at: offset + Int64(done))
      done += count
      if count == 0 || count % sector != 0 { break }
    }
    return done
  }

  /// Writes at the file's own offset; may be short.
  public borrowing func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    let fd = rawValue
    let count = transferLength("write", path: path, bytes.count)
    return try systemCall("write", path: path) { Glibc.write(fd, bytes.baseAddress, count) }
  }

  /// Writes at an offset with one pwrite(2); may be short.
  public borrowing func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    let fd = rawValue
    let count = transferLength("pwrite", path: path, bytes.count)
    return try systemCall("pwrite", path: path, offset: offset) {
      Glibc.pwrite(fd, bytes.baseAddress, count, Int(offset))
    }
  }

  /// Writes all bytes at an offset and continues short writes; a write of 0 bytes is EIO.
  public borrowing func writeAll(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let place = offset + Int64(done)
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: place)
      if count <= 0 { throw nothingWritten("pwrite", at: place) }
      done += count
    }
  }

  /// Writes all bytes at the file's own offset; a write of 0 bytes is EIO.
  public borrowing func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[done...]))
      if count <= 0 { throw nothingWritten("write", at: nil) }
      done += count
    }
  }

  /// Writes all bytes of an array at the file's own offset.
  public borrowing func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    let count = bytes.count
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) {
        try writeAll(UnsafeRawBufferPointer(start: buffer.baseAddress, count: count))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private borrowing func nothingWritten(_ call: String, at offset: Int64?) -> SystemError {
    SystemError(
      call: call, errno: .inputOutput, path: path, offset: offset, detail: "wrote 0 bytes")
  }
}
