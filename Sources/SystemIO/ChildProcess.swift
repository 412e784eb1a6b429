import CLinuxShims
import Glibc

/// What a process used in its life, children it waited for included (man 2 getrusage).
public struct ResourceUsage: Hashable, Sendable {
  public let user: Duration
  public let system: Duration
  public let peakResidentBytes: Int64
}

/// A child process, started without a shell.
///
/// It gets the environment and descriptors named here and nothing else, default signal handlers
/// and an empty signal mask. A child that was never waited for is killed and reaped when the
/// value goes.
public struct ChildProcess: ~Copyable {
  /// How a process ended.
  public enum ExitStatus: Hashable, Sendable {
    case exited(Int32)
    case signalled(Signal)

    /// True for exit code 0.
    public var isSuccess: Bool { self == .exited(0) }
  }

  /// What to start.
  public struct Command: Sendable {
    /// A path; no search is made. A relative one starts at `workingDirectory`.
    public var executable: BytePath
    /// Arguments after the name, which is the executable's path.
    public var arguments: [[UInt8]]
    /// `NAME=value` entries; nil for those of this process.
    public var environment: [[UInt8]]?
    /// nil for that of this process.
    public var workingDirectory: BytePath?
    /// A group of its own, so that signals can reach the child with its children.
    public var newProcessGroup = false
    /// A session of its own, without terminal.
    public var newSession = false
    /// PID and mount namespaces of its own, and a session: it is the first process there, whoever
    /// is left dies with it, and what is mounted and unmounted outside shows inside. Needs
    /// CAP_SYS_ADMIN (EPERM).
    public var newNamespaces = false

    public init(
      _ executable: BytePath, _ arguments: [[UInt8]] = [], environment: [[UInt8]]? = nil,
      workingDirectory: BytePath? = nil, newProcessGroup: Bool = false, newSession: Bool = false
    ) {
      self.executable = executable
      self.arguments = arguments
      self.environment = environment
      self.workingDirectory = workingDirectory
      self.newProcessGroup = newProcessGroup
      self.newSession = newSession
    }
  }

  /// The process number, reused by the kernel only after the child was waited for.
  public let pid: Int32
  private let handle: FileDescriptor
  private let isGroupLeader: Bool
  private var ended: (status: ExitStatus, usage: ResourceUsage)?

  /// Starts a child.
  ///
  /// - Parameter descriptors: numbers of ours and what they are to the child. Without a 0 its
  ///   input is empty; without a 1 or 2 it shares ours.
  /// - Throws: the errno of posix_spawn(3) or clone(2), ENOENT for a missing executable or directory.
  public static func spawn(
    _ command: Command, descriptors: [(ours: CInt, theirs: CInt)] = []
  ) throws(SystemError) -> ChildProcess {
    let arguments = CStrings([command.executable.bytes] + command.arguments)
    let environment = CStrings(command.environment ?? Environment.entries)
    let pairs = descriptors.flatMap { [$0.ours, $0.theirs] }
    let executable = CStrings([command.executable.bytes])
    let directory = CStrings(command.workingDirectory.map { [$0.bytes] } ?? [])
    var pid: Int32 = -1
    _ = try systemCall("posix_spawn", path: command.executable) {
      pairs.withUnsafeBufferPointer { pairs in
        guard let path = executable.first else { return setErrno(ENOENT) }
        var child = ls_child(
          executable: path, arguments: arguments.pointers, environment: environment.pointers,
          working_directory: directory.first.map { UnsafePointer($0) },
          descriptors: pairs.baseAddress, descriptor_pairs: UInt64(descriptors.count),
          new_process_group: command.newProcessGroup ? 1 : 0,
          new_session: command.newSession ? 1 : 0,
          new_namespaces: command.newNamespaces ? 1 : 0)
        return setErrno(ls_spawn(&child, &pid))
      }
    }
    do throws(SystemError) {
      let fd = try systemCall("pidfd_open", path: command.executable) { ls_pidfd_open(pid) }
      return ChildProcess(
        pid: pid, handle: FileDescriptor(owning: fd),
        isGroupLeader: command.newProcessGroup || command.newSession || command.newNamespaces,
        ended: nil)
    } catch {
      var ignored = ls_exit()
      Glibc.kill(pid, SIGKILL)
      _ = ls_wait(pid, 1, &ignored)
      throw error
    }
  }

  private init(
    pid: Int32, handle: consuming FileDescriptor, isGroupLeader: Bool,
    ended: (status: ExitStatus, usage: ResourceUsage)?
  ) {
    self.pid = pid
    self.handle = handle
    self.isGroupLeader = isGroupLeader
    self.ended = ended
  }

  deinit {
    guard ended == nil else { return }
    var ignored = ls_exit()
    Glibc.kill(pid, SIGKILL)
    _ = ls_wait(pid, 1, &ignored)
  }

  /// Becomes readable when the child has ended (man 2 pidfd_open); for polling only.
  public var endDescriptor: CInt { handle.rawValue }

  /// Sends a signal, to the child's whole group when it leads one.
  ///
  /// A child that has ended gets nothing and that is no error.
  public func kill(_ signal: Signal) throws(SystemError) {
    guard ended == nil else { return }
    let target = isGroupLeader ? -pid : pid
    do throws(SystemError) {
      _ = try systemCall("kill", path: nil, detail: "\(signal) to \(target)") {
        Glibc.kill(target, signal.rawValue)
      }
    } catch {
      if error.errno != .noProcess { throw error }
    }
  }

  /// Blocks until the child has ended; nil when the time is over. Later calls give the same.
  public mutating func wait(timeout: Duration? = nil) throws(SystemError) -> ExitStatus? {
    if let ended { return ended.status }
    if timeout != nil,
      try Poller.wait(for: .readable, on: handle, timeout: timeout).isEmpty
    {
      return nil
    }
    var raw = ls_exit()
    let pid = pid
    _ = try systemCall("wait4", path: nil) { ls_wait(pid, 1, &raw) }
    let status: ExitStatus =
      raw.exited != 0 ? .exited(raw.code) : .signalled(Signal(rawValue: raw.signal))
    ended = (
      status,
      ResourceUsage(
        user: .microseconds(raw.user_microseconds), system: .microseconds(raw.system_microseconds),
        peakResidentBytes: raw.peak_resident_kib * 1024)
    )
    return status
  }

  /// What the child used; nil before `wait` has seen its end.
  public var usage: ResourceUsage? { ended?.usage }
}

/// The short name; beside Swift Testing, which has one too, write `ChildProcess.ExitStatus`.
public typealias ExitStatus = ChildProcess.ExitStatus

/// The environment of this process.
public enum Environment {
  /// `NAME=value` entries as bytes.
  public static var entries: [[UInt8]] {
    var entries: [[UInt8]] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
      next += 1
    }
    return entries
  }

  /// The value of a variable; nil when it is not set.
  public static func value(_ name: String) -> BytePath? {
    let prefix = Array(name.utf8) + [UInt8(ascii: "=")]
    return entries.first { $0.starts(with: prefix) }
      .map { BytePath(unchecked: Array($0.dropFirst(prefix.count))) }
  }
}

/// A NULL-terminated array of C strings, cut at their first NUL as the kernel would.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  var first: UnsafeMutablePointer<CChar>? { pointers.pointee }

  init(_ strings: [[UInt8]]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() {
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count + 1)
      for (offset, byte) in string.enumerated() { copy[offset] = CChar(bitPattern: byte) }
      copy[string.count] = 0
      (pointers + index).initialize(to: copy)
    }
    (pointers + count).initialize(to: nil)
  }

  deinit {
    for index in 0..<count { pointers[index]?.deallocate() }
    pointers.deallocate()
  }
}
