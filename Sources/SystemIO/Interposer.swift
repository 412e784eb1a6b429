#if DEBUG
  import CLinuxShims
  import Synchronization

  /// Debug builds only: forces errnos on this module's system calls and records which were made.
  ///
  /// A session sees the calls of its own thread, or of the whole process; a process-wide session
  /// should name a path, since tests run side by side.
  public enum Interposer {
    /// What a matching call does.
    public enum Effect: Sendable, Hashable {
      /// The call is not made and fails. A close still retires its descriptor.
      case fail(Errno)
      /// The call is made, then reported as failed.
      case failAfter(Errno)
      /// The call is not made and reports success with 0, as a lying kernel would.
      case pretend
      /// A read or write asks for at most this many bytes.
      case limit(Int)
    }

    /// Which calls get an effect.
    public struct Rule: Sendable {
      let call: String?
      let path: BytePath?
      let nth: Int
      let count: Int
      let effect: Effect

      /// Makes a rule.
      ///
      /// - Parameters:
      ///   - call: the manual page's name, `pwrite`; nil for any.
      ///   - path: bytes that the call's path must contain; nil for any, or none.
      ///   - nth: the first matching call that is hit, from 1.
      ///   - count: how many are hit from there on; `.max` for all.
      public init(
        _ call: String?, path: BytePath? = nil, nth: Int = 1, count: Int = 1, _ effect: Effect
      ) {
        self.call = call
        self.path = path
        self.nth = nth
        self.count = count
        self.effect = effect
      }
    }

    /// Whose calls a session sees.
    public enum Scope: Sendable {
      case thread, process
    }

    /// One call that was made, or was forced to fail.
    public struct Record: Sendable, Hashable {
      public let call: String
      public let path: BytePath?
      /// The errno forced on it.
      public let forced: Errno?
    }

    enum Decision {
      case perform, pretend, fail(Errno), failAfter(Errno)
    }
  }

  extension Interposer {
    /// Rules in force and what they have seen.
    public final class Session: Sendable {
      struct State {
        var seen: [Int]
        var fired: [Int]
        var trace: [Record] = []
      }

      let rules: [Rule]
      let thread: Int32?
      private let within: BytePath?
      private let state: Mutex<State>

      init(rules: [Rule], scope: Scope, within: BytePath?) {
        self.rules = rules
        self.within = within
        thread = scope == .thread ? ls_gettid() : nil
        let zeros = rules.map { _ in 0 }
        state = Mutex(State(seen: zeros, fired: zeros))
      }

      /// The calls so far, in order.
      public var trace: [Record] { state.withLock { $0.trace } }

      /// How often each rule has hit, in the order of the rules.
      public var fired: [Int] { state.withLock { $0.fired } }

      func sees(_ path: BytePath?) -> Bool { within?.occurs(in: path) ?? true }

      func decide(_ call: String, _ path: BytePath?) -> Decision {
        guard sees(path) else { return .perform }
        return state.withLock { state in
          var decision = Decision.perform
          var forced: Errno?
          for (index, rule) in rules.enumerated() where rule.matches(call, path) {
            if case .limit = rule.effect { continue }
            guard state.hit(index, rule), case .perform = decision else { continue }
            switch rule.effect {
            case .fail(let errno):
              decision = .fail(errno)
              forced = errno
            case .failAfter(let errno):
              decision = .failAfter(errno)
              forced = errno
            case .pretend: decision = .pretend
            case .limit: break
            }
          }
          state.trace.append(Record(call: call, path: path, forced: forced))
          return decision
        }
      }

      func limit(_ call: String, _ path: BytePath?, _ count: Int) -> Int {
        guard sees(path) else { return count }
        return state.withLock { state in
          var count = count
          for (index, rule) in rules.enumerated() where rule.matches(call, path) {
            guard case .limit(let most) = rule.effect, state.hit(index, rule) else { continue }
            count = min(count, most)
          }
          return count
        }
      }
    }

    private static let sessions = Mutex<[Session]>([])
    private static let active = Atomic<Int>(0)

    /// Runs `body` under the rules.
    ///
    /// - Parameter within: bytes that a call's path must contain to be seen at all; nil for every
    ///   call.
    public static func with<Value>(
      _ rules: [Rule], scope: Scope = .thread, within: BytePath? = nil,
      _ body: (Session) throws -> Value
    ) rethrows -> Value {
      let session = Session(rules: rules, scope: scope, within: within)
      add(session)
      defer { remove(session) }
      return try body(session)
    }

    /// Runs `body` under rules for the whole process, across its threads.
    public static func withProcess<Value>(
      _ rules: [Rule], within: BytePath, isolation: isolated (any Actor)? = #isolation,
      _ body: (Session) async throws -> Value
    ) async rethrows -> Value {
      let session = Session(rules: rules, scope: .process, within: within)
      add(session)
      defer { remove(session) }
      return try await body(session)
    }

    private static func add(_ session: Session) {
      sessions.withLock { $0.append(session) }
      active.add(1, ordering: .sequentiallyConsistent)
    }

    private static func remove(_ session: Session) {
      active.subtract(1, ordering: .sequentiallyConsistent)
      sessions.withLock { $0.removeAll { $0 === session } }
    }

    /// True when a session of this thread or of the process sees the calls on a path.
    static func sees(_ path: @autoclosure () -> BytePath?) -> Bool {
      let sessions = current
      return !sessions.isEmpty && sessions.contains { $0.sees(path()) }
    }

    private static var current: [Session] {
      if active.load(ordering: .relaxed) == 0 { return [] }
      let thread = ls_gettid()
      return sessions.withLock { $0.filter { $0.thread == nil || $0.thread == thread } }
    }

    static func decide(_ call: String, path: @autoclosure () -> BytePath?) -> Decision {
      var decision = Decision.perform
      for session in current {
        switch session.decide(call, path()) {
        case .perform: continue
        case let other: decision = other
        }
      }
      return decision
    }

    static func limit(_ call: String, path: @autoclosure () -> BytePath?, _ count: Int) -> Int {
      var count = count
      for session in current { count = session.limit(call, path(), count) }
      return count
    }
  }

  extension Interposer.Rule {
    fileprivate func matches(_ call: String, _ path: BytePath?) -> Bool {
      if let wanted = self.call, wanted != call { return false }
      guard let wanted = self.path else { return true }
      return wanted.occurs(in: path)
    }
  }

  extension Interposer.Session.State {
    /// Counts a match; true when the rule hits it.
    fileprivate mutating func hit(_ index: Int, _ rule: Interposer.Rule) -> Bool {
      seen[index] += 1
      guard seen[index] >= rule.nth, fired[index] < rule.count else { return false }
      fired[index] += 1
      return true
    }
  }

  extension BytePath {
    fileprivate func occurs(in path: BytePath?) -> Bool {
      guard let whole = path?.bytes, bytes.count <= whole.count else { return false }
      return (0...(whole.count - bytes.count)).contains { whole[$0...].starts(with: bytes) }
    }
  }
#endif
