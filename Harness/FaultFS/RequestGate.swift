import CFuseShims
import FaultModel
import SystemIO

/// Gate mode: the requests of a subject with several threads in an order that a seed chooses.
///
/// Requests wait until every live thread of the subject and of its children is blocked; then one
/// of those that wait is let through. What the threads do between two requests, and in which order
/// they came, no longer shows: the same seed gives the same order.
final class RequestGate {
  private var dice: UInt64
  private var subject: Int32?
  private var waiting: [HeldRequest] = []
  /// Threads that are known to be the subject's.
  private var threads: Set<Int32> = []
  private var lastCensus: ThreadCensus?
  /// Since when the census is as it is.
  private var quietSince = ContinuousClock.now
  /// When a request came or left last.
  private var lastMove = ContinuousClock.now

  /// A thread that waits for a disk comes back before long.
  private static let diskPatience = Duration.milliseconds(250)
  /// Threads that never come to rest must not hold the others for ever.
  private static let patience = Duration.milliseconds(500)

  /// `seed`: the case's.
  init(seed: UInt64) {
    dice = seed
  }

  /// From now on this process is waited for; nil opens the gate.
  func watch(_ pid: Int32?) {
    subject = pid
    threads = []
    // Between two requests threads also race for locks, in the kernel and in the subject. Where
    // this is not allowed their order is left to chance.
    if let pid { _ = ff_run_in_turn(pid) }
    lastCensus = nil
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// True for a request that has to wait: one of the subject's own threads.
  func concerns(_ request: Request) -> Bool {
    guard let subject else { return false }
    if threads.contains(request.thread) { return true }
    guard ThreadCensus(of: subject).holds(thread: request.thread) else { return false }
    threads.insert(request.thread)
    return true
  }

  func take(_ request: HeldRequest) {
    waiting.append(request)
    lastMove = ContinuousClock.now
  }

  /// The next request, once all threads are at rest.
  ///
  /// - `isIdle`: no further request has arrived; asked between two looks at the threads.
  func next(isIdle: () -> Bool) -> HeldRequest? {
    guard isWaiting, isAtRest(isIdle) else { return nil }
    waiting.sort { key($0) < key($1) }
    let index = Int(roll() % UInt64(waiting.count))
    lastMove = ContinuousClock.now
    lastCensus = nil
    return waiting.remove(at: index)
  }

  /// Everything that waits, of one session or of all, in the order of arrival.
  func giveUp(of session: FuseSession?) -> [HeldRequest] {
    let concerned = waiting.filter { session == nil || $0.session === session }
    waiting.removeAll { session == nil || $0.session === session }
    return concerned
  }

  private func isAtRest(_ isIdle: () -> Bool) -> Bool {
    guard let subject else { return true }
    let now = ContinuousClock.now
    if now - lastMove > Self.patience { return true }
    let first = ThreadCensus(of: subject)
    guard isIdle() else { return false }
    let second = ThreadCensus(of: subject)
    if second != lastCensus {
      lastCensus = second
      quietSince = now
    }
    guard first == second else { return false }
    let asking = Set(waiting.map(\.request.thread))
    return second.threads.allSatisfy { thread in
      switch thread.state {
      case .running: false
      case .blocked: true
      case .disk: asking.contains(thread.id) || now - quietSince > Self.diskPatience
      }
    }
  }

  /// What a request is, without anything that differs from run to run: numbers of nodes and of
  /// threads only grow, so that their order stays, and names that the subject makes up are one.
  private func key(_ held: HeldRequest) -> Key {
    let call = held.request.call
    return Key(
      mount: held.session.mountPoint.bytes, operation: call.rank, node: call.node,
      offset: call.position, text: held.session.served.canonical(call),
      thread: held.request.thread)
  }

  private struct Key: Comparable {
    let mount: [UInt8]
    let operation: Int
    let node: NodeID
    let offset: UInt64
    let text: [UInt8]
    let thread: Int32

    static func < (left: Key, right: Key) -> Bool {
      if left.mount != right.mount { return left.mount.lexicographicallyPrecedes(right.mount) }
      if left.operation != right.operation { return left.operation < right.operation }
      if left.node != right.node { return left.node < right.node }
      if left.offset != right.offset { return left.offset < right.offset }
      if left.text != right.text { return left.text.lexicographicallyPrecedes(right.text) }
      return left.thread < right.thread
    }
  }

  private func roll() -> UInt64 {
    dice = dice &+ 0x9e37_79b9_7f4a_7c15
    var mixed = dice
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension Request.Call {
  /// RELEASE and FORGET come when the kernel likes, and nobody waits for their answer.
  var isOnlyNews: Bool {
    switch self {
    case .release, .releasedir, .forget: true
    default: false
    }
  }

  /// A number for each kind of call.
  fileprivate var rank: Int {
    switch self {
    case .lookup: 0
    case .getattr: 1
    case .setattr: 2
    case .readlink: 3
    case .mknod: 4
    case .mkdir: 5
    case .unlink: 6
    case .rmdir: 7
    case .symlink: 8
    case .rename: 9
    case .link: 10
    case .open: 11
    case .create: 12
    case .read: 13
    case .write: 14
    case .flush: 15
    case .release: 16
    case .fsync: 17
    case .opendir: 18
    case .readdir: 19
    case .releasedir: 20
    case .fsyncdir: 21
    case .statfs: 22
    case .setxattr: 23
    case .getxattr: 24
    case .listxattr: 25
    case .removexattr: 26
    case .access: 27
    case .lseek: 28
    case .fallocate: 29
    case .copyFileRange: 30
    case .receive: 31
    case .ioctl: 32
    case .forget: 33
    case .lock: 34
    case .lockTest: 35
    }
  }

  fileprivate var position: UInt64 {
    switch self {
    case .read(_, _, let offset, _), .write(_, _, let offset, _), .receive(_, _, let offset, _),
      .readdir(_, _, let offset, _), .lseek(_, _, let offset, _),
      .fallocate(_, _, _, let offset, _), .copyFileRange(_, _, _, _, _, let offset, _):
      offset
    default: 0
    }
  }
}
