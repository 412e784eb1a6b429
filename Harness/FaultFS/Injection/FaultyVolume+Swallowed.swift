import FaultModel
import SystemIO

/// Errors that the kernel would swallow.
///
/// One read(2) or write(2) of several MiB arrives as requests of 1 MiB (a little less from a buffer
/// that is not aligned). When a later one of them
/// fails, the caller gets the count of those before it and never sees the error; it asks for the
/// rest with a new call. So that a fault on the n-th request or at an offset is a fault that the
/// subject sees, that next call is answered with the same error. It counts as the same strike.
extension FaultyVolume {
  /// A request that is not the last of its call has no fewer bytes than this.
  static let leastSplitRequest: UInt64 = 1 << 19

  struct Transfer: Equatable {
    let handle: HandleID
    let end: UInt64
  }

  /// An error that its caller is still owed.
  struct Owed {
    let operation: Operation
    let offset: UInt64
    let errno: Errno
    let rule: Int
  }

  /// The error that the caller of this request has not seen yet.
  func owed(_ address: Address) -> Owed? {
    guard !owedErrors.isEmpty, let node = address.node, let debt = owedErrors[node],
      debt.operation == address.operation
    else { return nil }
    owedErrors[node] = nil
    return debt.offset == address.range?.offset ? debt : nil
  }

  /// A read or write failed: if it went on where a whole request of the same thread had ended,
  /// its error is lost on the way.
  func owe(_ errno: Errno, _ rule: Int, _ address: Address, thread: Int32) {
    guard let node = address.node, let handle = address.handle, let range = address.range,
      address.operation == .read || address.operation == .write,
      lastWhole[thread] == Transfer(handle: handle, end: range.offset)
    else { return }
    owedErrors[node] = Owed(
      operation: address.operation, offset: range.offset, errno: errno, rule: rule)
  }

  /// Remembers a request that may be one of several of the same call.
  func noteTransfer(_ address: Address, _ reply: Reply, thread: Int32) {
    guard address.operation == .read || address.operation == .write, let handle = address.handle,
      let range = address.range
    else { return }
    let count =
      switch reply {
      case .written(let count): UInt64(count)
      case .data(let data): UInt64(data.count)
      default: UInt64(0)
      }
    if count >= Self.leastSplitRequest && range.count == count {
      lastWhole[thread] = Transfer(handle: handle, end: range.offset + count)
    } else if !lastWhole.isEmpty {
      lastWhole[thread] = nil
    }
  }
}
