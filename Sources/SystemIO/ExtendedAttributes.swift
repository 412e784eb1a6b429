import CLinuxShims
import Glibc

extension FileDescriptor {
  /// The most that the kernel keeps of one attribute, and of the list of names (XATTR_SIZE_MAX).
  private static let attributeLimit = 64 * 1024

  /// The value of an extended attribute; nil when there is none of that name (ENODATA).
  public borrowing func extendedAttribute(_ name: BytePath) throws(SystemError) -> [UInt8]? {
    let fd = rawValue
    do throws(SystemError) {
      return try attributeBytes("fgetxattr") { buffer in
        name.withCString {
          ls_fgetxattr(fd, $0, buffer.baseAddress, UInt64(buffer.count))
        }
      }
    } catch {
      if error.errno == .noData { return nil }
      throw error
    }
  }

  /// Names of the extended attributes, in the order of the file system.
  public borrowing func extendedAttributeNames() throws(SystemError) -> [BytePath] {
    let fd = rawValue
    let names = try attributeBytes("flistxattr") {
      ls_flistxattr(fd, $0.baseAddress, UInt64($0.count))
    }
    return names.split(separator: 0).map { BytePath(unchecked: Array($0)) }
  }

  /// Sets an extended attribute, new or not.
  public borrowing func setExtendedAttribute(
    _ name: BytePath, _ value: [UInt8]
  ) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fsetxattr", path: path, detail: name.escaped) {
      value.withUnsafeBytes { bytes in
        name.withCString { ls_fsetxattr(fd, $0, bytes.baseAddress, UInt64(bytes.count)) }
      }
    }
  }

  /// Removes an extended attribute.
  public borrowing func removeExtendedAttribute(_ name: BytePath) throws(SystemError) {
    let fd = rawValue
    _ = try systemCall("fremovexattr", path: path, detail: name.escaped) {
      name.withCString { ls_fremovexattr(fd, $0) }
    }
  }

  private borrowing func attributeBytes(
    _ call: String, _ body: (UnsafeMutableRawBufferPointer) -> Int64
  ) throws(SystemError) -> [UInt8] {
    let buffer = AlignedBuffer(byteCount: Self.attributeLimit)
    let count = try systemCall(call, path: path) { body(buffer.bytes) }
    return Array(buffer.prefix(Int(count)))
  }
}
