import CLinuxShims
import Glibc

extension FileDescriptor {
  /// Flushes data and metadata to the device (man 2 fsync).
  public borrowing func fsync() throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fsync", path: path) { Glibc.fsync(fd) }
  }

  /// Flushes data, and what is needed to read it back (man 2 fdatasync).
  public borrowing func fdatasync() throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fdatasync", path: path) { Glibc.fdatasync(fd) }
  }

  /// Flushes the whole file system that holds the file (man 2 syncfs); Linux 5.8 and later report
  /// writeback errors.
  public borrowing func syncFileSystem() throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("syncfs", path: path) { ls_syncfs(fd) }
  }

  /// Starts writeback of a range and does not wait: no durability, only an early start.
  public borrowing func startWriteback(
    offset: Int64, byteCount: Int64
  ) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("sync_file_range", path: path, offset: offset) {
      ls_start_writeback(fd, offset, byteCount)
    }
  }

  /// Sets the length.
  public borrowing func truncate(to byteCount: Int64) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("ftruncate", path: path) { ftruncate(fd, Int(byteCount)) }
  }

  /// Reserves space for a range (man 3 posix_fallocate would write zeros where the file system
  /// cannot; this does not: ENOTSUP instead).
  public borrowing func allocate(offset: Int64, byteCount: Int64) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fallocate", path: path, offset: offset) {
      ls_allocate(fd, offset, byteCount)
    }
  }

  /// Sets the modification time, and the access time to what is given, or to now.
  public borrowing func setTimes(
    modification: Timestamp, access: Timestamp? = nil
  ) throws(SystemError) {
    let fd = rawValue
    // UTIME_NOW of man 2 utimensat, not UTIME_OMIT: drivers on libfuse's high-level interface drop
    // a call that sets one of the two times (seen with exfat-fuse 1.3), and call it done.
    let now = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)
    let times = (access.map { $0.timespec } ?? now, modification.timespec)
    _ = try systemCall("futimens", path: path) {
      withUnsafeBytes(of: times) {
        $0.withMemoryRebound(to: timespec.self) { futimens(fd, $0.baseAddress) }
      }
    }
  }

  /// Turns direct I/O on or off; EINVAL where the file system has none. While it is on, buffers,
  /// offsets and lengths must be whole blocks, save for what the end of the file cuts off a read.
  public borrowing func setDirect(_ isOn: Bool) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fcntl", path: path, detail: "O_DIRECT") { ls_set_direct(fd, isOn ? 1 : 0) }
  }

  /// Turns direct I/O on if the first block can be read so; false, and off again, if it cannot:
  /// a file system may take the flag and refuse the reads, over sectors larger than a page.
  public borrowing func readsDirectly() -> Bool {
    let block = AlignedBuffer(byteCount: AlignedBuffer.alignment)
    do throws(SystemError) {
      try setDirect(true)
      _ = try read(into: block.bytes, at: 0)
      return true
    } catch {
      _ = try? setDirect(false)
      return false
    }
  }

  /// Sets the permission bits.
  public borrowing func setMode(_ mode: UInt16) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fchmod", path: path) { fchmod(fd, mode_t(mode)) }
  }

  /// What the kernel knows of the file, birth time and mount included (man 2 statx).
  public borrowing func metadata() throws(SystemError) -> Metadata {
    let fd = rawValue
    var raw = ls_metadata()
    _ = try systemCall("statx", path: path) { ls_statx(fd, "", 1, &raw) }
    return Metadata(raw)
  }

  /// Facts of the file system that holds the file.
  public borrowing func statistics() throws(SystemError) -> FileSystemStatistics {
    let fd = rawValue
    var raw = ls_statistics()
    _ = try systemCall("fstatfs", path: path) { ls_fstatfs(fd, &raw) }
    return FileSystemStatistics(raw)
  }

  /// Offset of the next data at or after `offset`; nil when only a hole follows (ENXIO).
  public borrowing func seekData(from offset: Int64) throws(SystemError) -> Int64? {
    try seek(offset, ls_seek_data)
  }

  /// Offset of the next hole at or after `offset`, the end of the file at the latest; nil beyond
  /// the end (ENXIO).
  public borrowing func seekHole(from offset: Int64) throws(SystemError) -> Int64? {
    try seek(offset, ls_seek_hole)
  }

  private borrowing func seek(_ offset: Int64, _ whence: CInt) throws(SystemError) -> Int64? {
    let fd = rawValue
    do throws(SystemError) {
      let place = try systemCall("lseek", path: path, offset: offset) {
        lseek(fd, Int(offset), whence)
      }
      return Int64(place)
    } catch {
      if error.errno == .noSuchAddress { return nil }
      throw error
    }
  }
}

extension FileDescriptor {
  /// Drops clean pages of a range from the cache; byte count 0 reaches to the end. Dirty pages
  /// stay: `PageCache.evict` proves what this only asks.
  public borrowing func adviseDontNeed(
    offset: Int64 = 0, byteCount: Int64 = 0
  ) throws(SystemError) {
    try advise(POSIX_FADV_DONTNEED, offset, byteCount)
  }

  /// Doubles the read-ahead window.
  public borrowing func adviseSequential() throws(SystemError) {
    try advise(POSIX_FADV_SEQUENTIAL, 0, 0)
  }

  /// Starts reading a range into the cache and does not wait for it.
  public borrowing func startReadahead(offset: Int64, byteCount: Int64) throws(SystemError) {
    try advise(POSIX_FADV_WILLNEED, offset, byteCount)
  }

  private borrowing func advise(
    _ advice: CInt, _ offset: Int64, _ byteCount: Int64
  ) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("posix_fadvise", path: path, offset: offset) {
      setErrno(posix_fadvise(fd, Int(offset), Int(byteCount), advice))
    }
  }

  /// Has the kernel copy the first bytes of this file to the start of another (man 2
  /// copy_file_range); may be short.
  public borrowing func copyRange(
    to other: borrowing FileDescriptor, byteCount: Int64
  ) throws(SystemError) -> Int64 {
    let (from, to) = (rawValue, other.rawValue)
    return try systemCall("copy_file_range", path: other.path) {
      ls_copy_file_range(from, to, UInt64(clamping: byteCount))
    }
  }

  /// Takes an advisory lock without waiting (man 2 flock); false when another holds it.
  public borrowing func tryLock(exclusive: Bool = true) throws(SystemError) -> Bool {
    let fd = rawValue
    do throws(SystemError) {
      _ = try systemCall("flock", path: path) { ls_flock(fd, exclusive ? 1 : 0) }
      return true
    } catch {
      if error.errno == .wouldBlock { return false }
      throw error
    }
  }

  /// Flushes and drops a block device's buffers (BLKFLSBUF of man 2 ioctl; needs root).
  public borrowing func flushBlockDevice() throws(SystemError) {
    let fd = rawValue
    let flushBuffers: UInt64 = 0x1261
    _ = try systemCall("ioctl", path: path, detail: "BLKFLSBUF") {
      ls_ioctl_none(fd, flushBuffers)
    }
  }
}

/// Turns the answer of a call that returns its errno into -1 with `errno` set.
@inline(__always)
func setErrno(_ code: CInt) -> CInt {
  if code == 0 { return 0 }
  errno = code
  return -1
}
