import Glibc
import SystemIO

/// The smallest engine that does what a copy engine must: copy to a temporary name, fsync, read
/// back and compare, rename, fsync the folder. One thread, plain system calls, 25 requests for each
/// file of 4 KiB on a mount without caches.
final class SmallEngine {
  static let fileCount = 3
  static let byteCount = 4096
  /// Names of the files, in the roots of both volumes.
  static let names = (1...fileCount).map { BytePath("C000\($0).MP4") }

  /// The roots of both volumes, pinned: the paths above them are the machine's.
  private let source: FileDescriptor
  private let destination: FileDescriptor
  private let files: [File]
  private let data = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * byteCount, alignment: 64)
  private let again = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 2 * byteCount, alignment: 64)

  private struct File {
    let name: String
    let temporary: String
  }

  /// What became of one file: done, or the errno of the call that failed; `badBytes` where what
  /// was read back is not what was written.
  enum Outcome: Equatable {
    case done
    case failed(CInt)
    case badBytes
  }

  init(source: BytePath, destination: BytePath) throws(SystemError) {
    self.source = try FileDescriptor.open(source, .readOnly, options: .directory)
    self.destination = try FileDescriptor.open(destination, .readOnly, options: .directory)
    files = Self.names.map(\.escaped).map { File(name: $0, temporary: ".\($0).tmp") }
  }

  deinit {
    data.deallocate()
    again.deallocate()
  }

  /// Copies every file, whatever becomes of the others.
  func run(_ outcomes: inout [Outcome]) {
    outcomes.removeAll(keepingCapacity: true)
    for file in files {
      do throws(Stop) {
        try copy(file)
        outcomes.append(.done)
      } catch {
        outcomes.append(error.errno.map { .failed($0) } ?? .badBytes)
      }
    }
  }

  /// Why a file is given up.
  private struct Stop: Error {
    var errno: CInt?
  }

  private func copy(_ file: File) throws(Stop) {
    let from = source.rawValue
    let to = destination.rawValue
    try look(at: file.name, in: from)
    let count = try read(file.name, in: from, into: data, checksSize: true)
    let writer = try call(
      openat(to, file.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644))
    do throws(Stop) {
      let written = try call(Glibc.write(writer, data.baseAddress, count))
      if written != count { throw Stop(errno: EIO) }
      _ = try call(fsync(writer))
    } catch {
      close(writer)
      throw error
    }
    _ = try call(close(writer))
    let held = try read(file.temporary, in: to, into: again, checksSize: false)
    guard held == count, let one = data.baseAddress, let other = again.baseAddress,
      memcmp(one, other, count) == 0
    else { throw Stop() }
    _ = try call(renameat(to, file.temporary, to, file.name))
    let folder = try call(openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    let synced = fsync(folder)
    let error = errno
    close(folder)
    if synced != 0 { throw Stop(errno: error) }
    try look(at: file.name, in: to)
  }

  private func look(at name: String, in folder: CInt) throws(Stop) {
    var metadata = stat()
    _ = try call(fstatat(folder, name, &metadata, 0))
  }

  /// Reads a whole file: its bytes, and the end.
  private func read(
    _ name: String, in folder: CInt, into room: UnsafeMutableRawBufferPointer, checksSize: Bool
  ) throws(Stop) -> Int {
    let reader = try call(openat(folder, name, O_RDONLY | O_CLOEXEC))
    var count = 0
    do throws(Stop) {
      if checksSize {
        var metadata = stat()
        _ = try call(fstat(reader, &metadata))
      }
      while let base = room.baseAddress, count < room.count {
        let got = try call(Glibc.read(reader, base + count, room.count - count))
        if got == 0 { break }
        count += got
      }
    } catch {
      close(reader)
      throw error
    }
    _ = try call(close(reader))
    return count
  }

  private func call<Value: SignedInteger>(_ result: Value) throws(Stop) -> Value {
    if result < 0 { throw Stop(errno: errno) }
    return result
  }
}
