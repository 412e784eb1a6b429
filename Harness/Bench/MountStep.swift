import CBench
import SystemIO

/// One kind of calls on a mounted folder, as the client in C makes them.
enum MountStep: String, CaseIterable {
  case write, read, writeSmall, readSmall, create, stat, openRead, list, remove

  /// What the steps of a group are compared by together.
  enum Group: String, CaseIterable {
    /// One large file in calls of 1 MiB.
    case sequential
    /// Calls of 4 KiB, and many files of that size.
    case small
  }

  var group: Group {
    switch self {
    case .write, .read: .sequential
    default: .small
    }
  }

  var title: String {
    switch self {
    case .write: "write, calls of 1 MiB"
    case .read: "read, calls of 1 MiB"
    case .writeSmall: "write, calls of 4 KiB"
    case .readSmall: "read, calls of 4 KiB"
    case .create: "create, write 4 KiB, close"
    case .stat: "stat"
    case .openRead: "open, read 4 KiB, close"
    case .list: "list the folder"
    case .remove: "unlink"
    }
  }

  /// How often, in a folder of so many files.
  func count(mebibytes: Int, files: Int) -> Int {
    switch self {
    case .write, .read: mebibytes
    case .writeSmall, .readSmall: files * 10
    case .create, .remove: files
    case .stat, .openRead: files * 3
    case .list: 20
    }
  }

  private var raw: cb_step {
    switch self {
    case .write: .write
    case .read: .read
    case .writeSmall: .write_small
    case .readSmall: .read_small
    case .create: .create
    case .stat: .stat
    case .openRead: .open_read
    case .list: .list
    case .remove: .remove
    }
  }

  /// Does it and says what it took.
  ///
  /// - Throws: the errno of the first call that failed.
  func run(
    in folder: BytePath, count: Int, files: Int, server: Int32
  ) throws(SystemError) -> MountTime {
    var taken = cb_taken()
    let code = folder.withBytes { path in
      cb_run(path, raw, UInt32(clamping: count), UInt32(clamping: files), server, &taken)
    }
    if code != 0 {
      throw SystemError(call: rawValue, errno: Errno(rawValue: code), path: folder)
    }
    return MountTime(wall: taken.wall, client: taken.client, server: taken.server)
  }
}

/// What a step took, in nanoseconds.
struct MountTime {
  /// How often it was done.
  var count = 1
  var wall: UInt64 = 0
  /// The processor's time of the client and of whoever served it, the kernel's work for them too.
  var client: UInt64 = 0
  var server: UInt64 = 0

  var processor: UInt64 { client + server }

  static func + (left: MountTime, right: MountTime) -> MountTime {
    MountTime(
      count: left.count + right.count, wall: left.wall + right.wall,
      client: left.client + right.client,
      server: left.server + right.server)
  }
}

extension BytePath {
  /// The bytes with a terminating NUL for the time of a call.
  func withBytes<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
    (bytes + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        guard let base = text.baseAddress else {
          preconditionFailure("A path with its NUL is not empty")
        }
        return body(base)
      }
    }
  }
}
