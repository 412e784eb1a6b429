import CFuseShims
import FaultModel
import Glibc
import SystemIO

/// One mount: a connection with the kernel and what is served on it. Used by the loop's thread
/// only.
final class FuseSession {
  let served: any Served
  let mountPoint: BytePath
  let descriptor: CInt
  /// The kernel's number of the connection, for an abort; the minor number of the mount's device.
  let connection: UInt32
  /// Owner of every inode: the mounting user.
  let owner: (uid: UInt32, gid: UInt32)
  let handle: OpaquePointer
  /// Set once the mount is detached: what handles that are still open get.
  var detachedError: Errno?
  /// The connection has ended, by the kernel or by `close`.
  private(set) var isOver = false
  private var isClosed = false
  /// The loop, which owns its sessions.
  private unowned let keeper: any RequestKeeper
  private let context: Context

  /// What the C side holds; it outlives neither the session nor a call.
  private final class Context {
    // Not weak, which would make each count of the session's references slow. The C side calls only
    // while the session has it do so.
    unowned(unsafe) var session: FuseSession?
  }

  struct Options: Equatable {
    var cache: CachePolicy = .none
    /// Shared mappings fail with ENODEV under `none`.
    var noMmap = false
    /// The kernel checks mode bits itself, and ACCESS never arrives.
    var kernelChecksModes = false
    var isReadOnly = false
    /// Locks come to the volume; else the kernel plays them.
    var hasLocks = false
  }

  /// Mounts at a folder that exists.
  ///
  /// - Throws: the errno of mount(2) or of fusermount3's refusal, with what libfuse said.
  init(
    serving served: any Served, at mountPoint: BytePath, options: Options,
    keeper: any RequestKeeper
  ) throws(SystemError) {
    let context = Context()
    let mounted = try Self.mount(at: mountPoint, options, context)
    self.served = served
    self.mountPoint = mountPoint
    self.keeper = keeper
    self.context = context
    owner = (VolumeOwner.ids.user, VolumeOwner.ids.group)
    handle = mounted.handle
    connection = mounted.connection
    descriptor = ff_session_descriptor(mounted.handle)
    context.session = self
  }

  private static func mount(
    at mountPoint: BytePath, _ options: Options, _ context: Context
  ) throws(SystemError) -> (handle: OpaquePointer, connection: UInt32) {
    guard let tag = MountTag.ownText else {
      throw SystemError(call: "mount", errno: .inputOutput, path: "/proc/self/stat")
    }
    let handle = mountOptions(tag: tag, options).withCString { list in
      var raw = ff_options(
        mount_options: list, direct: options.cache == .none ? 1 : 0,
        allow_mmap: options.noMmap ? 0 : 1, locks: options.hasLocks ? 1 : 0,
        timeout: options.cache == .none ? 0 : 1)
      return ff_session_new(&raw, handleRequest, Unmanaged.passUnretained(context).toOpaque())
    }
    guard let handle else {
      throw SystemError(call: "fuse_session_new", errno: .current, detail: lastLog)
    }
    let code = mountPoint.withCString { ff_session_mount(handle, $0) }
    guard code == 0 else {
      let log = lastLog
      ff_session_free(handle)
      throw SystemError(
        call: "mount", errno: Errno(rawValue: code), path: mountPoint, detail: log)
    }
    do throws(SystemError) {
      let table = try MountTable.current()
      let mine = table.entries.last { $0.source.escaped == tag && $0.mountPoint == mountPoint }
      guard let mine else {
        throw SystemError(call: "mount", errno: .noDevice, path: mountPoint)
      }
      return (handle, mine.deviceMinor)
    } catch {
      ff_session_free(handle)
      _ = mountPoint.withCString { ff_detach($0) }
      throw error
    }
  }

  deinit {
    if !isClosed { ff_session_free(handle) }
  }

  /// Closes the descriptor, which aborts the connection: every request fails from now on. The
  /// mount point answers ENOTCONN until it is detached. Nothing may be held any more, and no
  /// request of this session be under way.
  func close() {
    guard !isClosed else { return }
    isOver = true
    isClosed = true
    ff_session_free(handle)
  }

  /// Has the kernel forget a name of the root and everything below it, so that the next case finds
  /// the mount as a new one. No request of this session may be under way.
  func forget(_ name: BytePath) {
    // It may know nothing of the name, which is what we want.
    _ = name.withCString { ff_session_forget_name(handle, $0, UInt32(name.bytes.count)) }
  }

  /// Serves one request if there is one.
  ///
  /// - Returns: false when nothing was waiting.
  func serveNext() -> Bool {
    guard !isOver else { return false }
    let count = ff_session_receive(handle)
    guard count > 0 else {
      // Other errors are the kernel's short of memory: the request comes again.
      if count == -Int64(ENODEV) { isOver = true }
      return false
    }
    let interrupted = ff_session_interrupted(handle)
    if interrupted != 0 {
      // The one reader has always read a request before its interrupt: nothing to match later.
      keeper.interrupt(interrupted, of: self)
    } else {
      ff_session_process(handle)
    }
    return true
  }

  /// Settles a request now: answers it, or gives it to the keeper.
  func settle(_ request: Request, token: UnsafeMutableRawPointer) {
    if let detachedError {
      answer(token, request, Self.detachedReply(to: request, detachedError))
      return
    }
    switch served.serve(request) {
    case .reply(let reply):
      if keeper.hasPendingActs {
        let (owned, bytes) = Self.owning(reply)
        keeper.performActs { [self] in
          answer(token, request, owned)
          bytes?.deallocate()
        }
      } else {
        answer(token, request, reply)
      }
    case .hold(let until):
      keeper.hold(HeldRequest(request, token: token, session: self, until: until))
      if keeper.hasPendingActs { keeper.performActs() }
    }
  }

  fileprivate func handle(_ raw: ff_request) {
    let request = Request(raw)
    if let token = raw.token {
      if keeper.gates(request, token: token, of: self) { return }
      settle(request, token: token)
    } else if detachedError == nil {
      _ = served.serve(request)
    }
  }

  fileprivate static func session(of context: UnsafeMutableRawPointer) -> FuseSession? {
    Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().session
  }

  private static func detachedReply(to request: Request, _ errno: Errno) -> Reply {
    switch request.call {
    // close(2) says nothing of a medium that is gone: only fsync does.
    case .flush, .release, .releasedir: .done
    case .forget: .nothing
    default: .error(errno)
    }
  }

  /// Acts may serve other requests before the answer leaves, so that it must own its bytes.
  private static func owning(_ reply: Reply) -> (Reply, UnsafeMutableRawBufferPointer?) {
    guard case .data(let bytes) = reply else { return (reply, nil) }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    copy.copyMemory(from: bytes)
    return (.data(UnsafeRawBufferPointer(copy)), copy)
  }

  private static func mountOptions(tag: String, _ options: Options) -> BytePath {
    var list = "fsname=\(tag)"
    // Root must be able to look in for others; fusermount3 would refuse it to an ordinary user.
    if getuid() == 0 { list += ",allow_other" }
    if options.kernelChecksModes { list += ",default_permissions" }
    if options.isReadOnly { list += ",ro" }
    return BytePath(list)
  }

  private static var lastLog: String { String(cString: ff_last_log()) }
}

extension RequestKeeper {
  func performActs() { performActs {} }
}

/// What keeps requests that cannot be answered yet, and acts for the rules.
protocol RequestKeeper: AnyObject {
  /// True when rules asked for acts (an ejection, say) that must come before the next answer.
  var hasPendingActs: Bool { get }
  /// Performs them, one after another, and then answers. While one is under way (it serves
  /// requests of its own) the others and the answer wait for its end.
  func performActs(then answer: @escaping () -> Void)
  /// Keeps a request until its turn has come; false for one that is settled at once.
  func gates(_ request: Request, token: UnsafeMutableRawPointer, of session: FuseSession) -> Bool
  func hold(_ held: HeldRequest)
  /// The caller of a request was signalled: a held one is answered with EINTR.
  func interrupt(_ unique: UInt64, of session: FuseSession)
}

private func handleRequest(
  _ context: UnsafeMutableRawPointer, _ raw: UnsafePointer<ff_request>
) {
  FuseSession.session(of: context)?.handle(raw.pointee)
}
