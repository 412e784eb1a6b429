import Glibc

/// Calls that glibc shows only with _GNU_SOURCE or that are variadic, found in the running library.
enum HiddenCalls {
  private typealias CopyRange =
    @convention(c) (
      CInt, UnsafeMutablePointer<Int64>?, CInt, UnsafeMutablePointer<Int64>?, Int, CUnsignedInt
    ) -> Int
  private typealias Allocate = @convention(c) (CInt, CInt, Int64, Int64) -> CInt
  private typealias Control = @convention(c) (CInt, CUnsignedLong, CLong) -> CInt

  static let oTemporary: CInt = 0x40_0000
  static let keepSize: CInt = 1
  static let punchHole: CInt = 2
  static let collapse: CInt = 8
  static let zeroRange: CInt = 16
  static let whiteout: UInt32 = 4
  static let clone: CUnsignedLong = 0x4004_9409

  /// copy_file_range(2) from and to the start; -1 with errno set.
  static func copyRange(from: CInt, to: CInt, count: Int) -> Int {
    guard let call = find("copy_file_range", CopyRange.self) else { return -1 }
    var (fromOffset, toOffset): (Int64, Int64) = (0, 0)
    return call(from, &fromOffset, to, &toOffset, count, 0)
  }

  /// fallocate(2); -1 with errno set.
  static func allocate(_ file: CInt, mode: CInt, offset: Int64, count: Int64) -> CInt {
    find("fallocate", Allocate.self)?(file, mode, offset, count) ?? -1
  }

  /// ioctl(2) with FICLONE; -1 with errno set.
  static func cloneFile(from: CInt, to: CInt) -> CInt {
    find("ioctl", Control.self)?(to, clone, CLong(from)) ?? -1
  }

  private static func find<Call>(_ name: String, _ type: Call.Type) -> Call? {
    guard let symbol = dlsym(nil, name) else {
      errno = ENOSYS
      return nil
    }
    return unsafeBitCast(symbol, to: type)
  }
}
