import Glibc

/// How much of the machine a subject's process sees, and as whom.
public struct Isolation: Sendable, Equatable {
  /// In PID and mount namespaces of its own.
  public var isEnclosed: Bool
  /// The user it runs as; nil for the harness's own.
  public var account: Account?

  public init(isEnclosed: Bool = false, account: Account? = nil) {
    self.isEnclosed = isEnclosed
    self.account = account
  }
}

/// A user of this machine.
public struct Account: Sendable, Equatable {
  public let name: String
  public let uid: UInt32
  public let gid: UInt32

  public init(name: String, uid: UInt32, gid: UInt32) {
    self.name = name
    self.uid = uid
    self.gid = gid
  }

  /// Looks a user up by name (man 3 getpwnam); nil when there is none.
  public static func named(_ name: String) -> Account? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    let code = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
    guard code == 0, found != nil else { return nil }
    return Account(name: name, uid: entry.pw_uid, gid: entry.pw_gid)
  }
}
