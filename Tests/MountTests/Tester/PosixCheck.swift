import Glibc
import SystemIO

/// One thing that a copy engine relies on, as raw system calls below a folder.
struct PosixCheck: Sendable {
  let name: String
  /// Tells the place what is wrong.
  let body: @Sendable (PosixPlace) -> Void

  init(_ name: String, _ body: @escaping @Sendable (PosixPlace) -> Void) {
    self.name = name
    self.body = body
  }
}

/// The folder of one check, the calls by their short names, and what went wrong.
final class PosixPlace {
  let root: CInt
  private(set) var problems: [String] = []
  private var open: [CInt] = []

  init(_ root: CInt) { self.root = root }

  deinit { for descriptor in open { close(descriptor) } }

  func expect(_ condition: Bool, _ text: String, line: Int = #line) {
    if !condition { problems.append("line \(line): \(text) (errno \(Errno.current))") }
  }

  /// Holds when the call fails with this errno.
  func expect(_ code: CInt, from result: Int, _ text: String, line: Int = #line) {
    let found = errno
    if result != -1 || found != code {
      problems.append(
        "line \(line): \(text): \(result), \(Errno(rawValue: found)), wanted \(Errno(rawValue: code))"
      )
    }
  }

  func file(_ name: String, _ flags: CInt = O_RDWR | O_CREAT, _ mode: mode_t = 0o644) -> CInt {
    let descriptor = openat(root, name, flags | O_CLOEXEC, mode)
    if descriptor >= 0 { open.append(descriptor) }
    return descriptor
  }

  func put(_ name: String, _ text: String) {
    let descriptor = file(name, O_WRONLY | O_CREAT | O_TRUNC)
    expect(Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count, "write \(name)")
    expect(close(descriptor) == 0, "close \(name)")
    open.removeAll { $0 == descriptor }
  }

  /// nil when it cannot be read.
  func text(_ name: String) -> String? {
    let descriptor = openat(root, name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return text(descriptor, at: 0)
  }

  func text(_ descriptor: CInt, at offset: Int, count: Int = 1 << 20) -> String? {
    bytes(descriptor, at: offset, count: count).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ descriptor: CInt, at offset: Int, count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0xee, count: count)
    let got = pread(descriptor, &buffer, count, off_t(offset))
    return got < 0 ? nil : Array(buffer.prefix(got))
  }

  func status(_ name: String, _ flags: CInt = AT_SYMLINK_NOFOLLOW) -> stat? {
    var result = stat()
    return fstatat(root, name, &result, flags) == 0 ? result : nil
  }

  func status(_ descriptor: CInt) -> stat? {
    var result = stat()
    return fstat(descriptor, &result) == 0 ? result : nil
  }

  func exists(_ name: String) -> Bool { status(name) != nil }

  func names(_ folder: String = ".") -> Set<String> {
    let descriptor = openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, let stream = fdopendir(descriptor) else { return [] }
    defer { closedir(stream) }
    var names: Set<String> = []
    while let entry = readdir(stream) {
      names.insert(Self.name(entry))
    }
    return names.subtracting([".", ".."])
  }

  static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
  }
}
