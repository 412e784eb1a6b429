import CLinuxShims
import Glibc

/// Stream sockets of the Unix domain. All calls block.
public enum UnixSocket {
  /// Two connected sockets.
  public struct Pair: ~Copyable {
    public let first: FileDescriptor
    public let second: FileDescriptor

    /// Gives both away, the one to keep and the one for a child.
    public consuming func split<Value, Failure: Error>(
      _ body: (consuming FileDescriptor, consuming FileDescriptor) throws(Failure) -> Value
    ) throws(Failure) -> Value {
      try body(first, second)
    }
  }

  /// Makes two connected sockets (man 2 socketpair).
  public static func pair() throws(SystemError) -> Pair {
    var both: [CInt] = [-1, -1]
    _ = try systemCall("socketpair", path: nil) { ls_socketpair(&both) }
    return Pair(first: FileDescriptor(owning: both[0]), second: FileDescriptor(owning: both[1]))
  }

  /// Listens at a path, which must not exist and is left behind; at most 107 bytes.
  public static func listen(
    at path: BytePath, backlog: CInt = 8
  ) throws(SystemError) -> FileDescriptor {
    let fd = try systemCall("bind", path: path) {
      path.withCString { ls_unix_listen($0, UInt64(path.bytes.count), backlog) }
    }
    return FileDescriptor(owning: fd, path: path)
  }

  /// Connects to a path.
  public static func connect(to path: BytePath) throws(SystemError) -> FileDescriptor {
    let fd = try systemCall("connect", path: path) {
      path.withCString { ls_unix_connect($0, UInt64(path.bytes.count)) }
    }
    return FileDescriptor(owning: fd, path: path)
  }

  /// Takes the next connection of a listening socket.
  public static func accept(
    _ listener: borrowing FileDescriptor
  ) throws(SystemError) -> FileDescriptor {
    let fd = listener.rawValue
    let accepted = try systemCall("accept", path: listener.path) { ls_accept(fd) }
    return FileDescriptor(owning: accepted, path: listener.path)
  }
}

extension FileDescriptor {
  /// Sends all bytes on a socket; a closed peer is EPIPE and no signal.
  public borrowing func sendAll(_ bytes: [UInt8]) throws(SystemError) {
    let fd = rawValue
    var done = 0
    while done < bytes.count {
      let count = transferLength("send", path: path, bytes.count - done)
      let sent = try systemCall("send", path: path) {
        bytes.withUnsafeBytes { buffer in
          buffer.baseAddress.map { ls_send(fd, $0 + done, UInt64(count)) } ?? 0
        }
      }
      done += Int(sent)
    }
  }

  /// Ends one direction of a socket (man 2 shutdown).
  public borrowing func shutdown(reading: Bool, writing: Bool) throws(SystemError) {
    guard reading || writing else { return }
    let fd = rawValue
    let how = reading && writing ? SHUT_RDWR : reading ? SHUT_RD : SHUT_WR
    _ = try systemCall("shutdown", path: path) { Glibc.shutdown(fd, CInt(how)) }
  }

  /// The two ends of a pipe, close-on-exec.
  public static func pipe() throws(SystemError) -> Pipe {
    var both: [CInt] = [-1, -1]
    _ = try systemCall("pipe", path: nil) { ls_pipe(&both) }
    return Pipe(reading: FileDescriptor(owning: both[0]), writing: FileDescriptor(owning: both[1]))
  }
}

/// Both ends of a pipe.
public struct Pipe: ~Copyable {
  public let reading: FileDescriptor
  public let writing: FileDescriptor

  /// Gives both away.
  public consuming func split<Value, Failure: Error>(
    _ body: (consuming FileDescriptor, consuming FileDescriptor) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(reading, writing)
  }
}
