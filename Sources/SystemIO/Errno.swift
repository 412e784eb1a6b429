import Glibc

/// A kernel error number; a struct, since the kernel may return numbers that no list names.
public struct Errno: Error, Hashable, Sendable {
  /// The number, as in `errno`.
  public let rawValue: CInt

  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The calling thread's `errno`.
  public static var current: Errno { Errno(rawValue: Glibc.errno) }
}

extension Errno: CustomStringConvertible {
  /// The text with name and number: `No space left on device [ENOSPC 28]`.
  public var description: String {
    let text = strerror(rawValue).map { String(cString: $0) } ?? "Unknown error"
    return "\(text) [\(name ?? "errno") \(rawValue)]"
  }

  /// The symbolic name, `ENOSPC`; nil for a number that the table lacks.
  public var name: String? { Self.names[rawValue] }

  /// The error number of a symbolic name; nil for an unknown name.
  public init?(name: String) {
    guard let number = Self.names.first(where: { $0.value == name })?.key else { return nil }
    rawValue = number
  }

  /// Every named number (man 3 errno, Linux).
  static let names: [CInt: String] = [
    EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", E2BIG: "E2BIG",
    EBADF: "EBADF", ECHILD: "ECHILD", EAGAIN: "EAGAIN", ENOMEM: "ENOMEM", EACCES: "EACCES",
    EFAULT: "EFAULT", EBUSY: "EBUSY", EEXIST: "EEXIST", EXDEV: "EXDEV", ENODEV: "ENODEV",
    ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE", EMFILE: "EMFILE",
    ENOTTY: "ENOTTY", ETXTBSY: "ETXTBSY", EFBIG: "EFBIG", ENOSPC: "ENOSPC", ESPIPE: "ESPIPE",
    EROFS: "EROFS", EMLINK: "EMLINK", EPIPE: "EPIPE", ERANGE: "ERANGE", EDEADLK: "EDEADLK",
    ENAMETOOLONG: "ENAMETOOLONG", ENOLCK: "ENOLCK", ENOSYS: "ENOSYS", ENOTEMPTY: "ENOTEMPTY",
    ELOOP: "ELOOP", ENODATA: "ENODATA", ETIME: "ETIME", EOVERFLOW: "EOVERFLOW",
    EILSEQ: "EILSEQ", ENOTSUP: "ENOTSUP", EADDRINUSE: "EADDRINUSE", ECONNABORTED: "ECONNABORTED",
    ECONNRESET: "ECONNRESET", ENOTCONN: "ENOTCONN", ETIMEDOUT: "ETIMEDOUT",
    ECONNREFUSED: "ECONNREFUSED", EHOSTDOWN: "EHOSTDOWN", ESTALE: "ESTALE", EDQUOT: "EDQUOT",
    ENOMEDIUM: "ENOMEDIUM", EMEDIUMTYPE: "EMEDIUMTYPE", ECANCELED: "ECANCELED",
    EREMOTEIO: "EREMOTEIO", EMSGSIZE: "EMSGSIZE", ESRCH: "ESRCH",
  ]
}

extension Errno {
  public static let notPermitted = Errno(rawValue: EPERM)
  public static let noSuchFile = Errno(rawValue: ENOENT)
  public static let interrupted = Errno(rawValue: EINTR)
  public static let inputOutput = Errno(rawValue: EIO)
  public static let badDescriptor = Errno(rawValue: EBADF)
  public static let permissionDenied = Errno(rawValue: EACCES)
  public static let fileExists = Errno(rawValue: EEXIST)
  public static let noDevice = Errno(rawValue: ENODEV)
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  public static let isDirectory = Errno(rawValue: EISDIR)
  public static let invalid = Errno(rawValue: EINVAL)
  public static let fileTooLarge = Errno(rawValue: EFBIG)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let readOnly = Errno(rawValue: EROFS)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let notImplemented = Errno(rawValue: ENOSYS)
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  public static let tooManyLinks = Errno(rawValue: ELOOP)
  public static let illegalSequence = Errno(rawValue: EILSEQ)
  public static let notSupported = Errno(rawValue: ENOTSUP)
  public static let notConnected = Errno(rawValue: ENOTCONN)
  public static let noSuchAddress = Errno(rawValue: ENXIO)
  public static let wouldBlock = Errno(rawValue: EAGAIN)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  public static let noData = Errno(rawValue: ENODATA)
  public static let outOfRange = Errno(rawValue: ERANGE)
  public static let crossDevice = Errno(rawValue: EXDEV)
  public static let busy = Errno(rawValue: EBUSY)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let messageTooLong = Errno(rawValue: EMSGSIZE)
  public static let noChild = Errno(rawValue: ECHILD)
  public static let noProcess = Errno(rawValue: ESRCH)
  public static let stale = Errno(rawValue: ESTALE)
  public static let quotaExceeded = Errno(rawValue: EDQUOT)
}
