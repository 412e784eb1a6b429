import SystemIO

/// Why one file has no verified copy on one destination.
struct Failure: Error, Equatable {
  let outcome: RowOutcome
  let cause: String
  var reason: FailureReason?
  var witness: Witness?
  /// The kernel's answer behind it, if there was one.
  var error: SystemError?

  init(
    _ cause: String, outcome: RowOutcome = .failed, reason: FailureReason? = nil,
    witness: Witness? = nil, error: SystemError? = nil
  ) {
    self.outcome = outcome
    self.cause = cause
    self.reason = reason
    self.witness = witness
    self.error = error
  }

  /// A failed call of the kernel, with what it was for.
  init(_ error: SystemError, _ doing: String = "") {
    let isFull = [Errno.noSpace, .quotaExceeded].contains(error.errno)
    self.init(
      doing.isEmpty ? "\(error)" : "\(doing): \(error)", reason: isFull ? .outOfSpace : nil,
      error: error)
  }
}

extension Failure {
  /// True when a file system refused the name itself, so that nothing of that name was made.
  var isAboutName: Bool {
    guard let errno = error?.errno else { return false }
    return [.invalid, .noSuchFile, .nameTooLong, .illegalSequence].contains(errno)
  }
}

extension Errno {
  /// True for answers that a volume gives when it is no longer there.
  var meansVolumeIsGone: Bool {
    [.notConnected, .noDevice, .stale, .noSuchAddress, .inputOutput].contains(self)
  }

  /// True for answers of link(2) that may mean: this file system has no hard links.
  ///
  /// EPERM also comes from protected_hardlinks and from immutable files, so that none of these is
  /// believed without a probe (man 2 link; offload contract 64).
  var mayMeanNoHardLinks: Bool {
    [.notSupported, .notPermitted, .notImplemented, .invalid].contains(self)
  }
}
