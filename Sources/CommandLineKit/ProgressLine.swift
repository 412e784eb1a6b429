/// A line that tells how far a run is: drawn again in place on a terminal, a plain line now and
/// then in a log.
///
/// One thread at a time; times come from the caller, so that tests need no clock.
public struct ProgressLine {
  /// How far a run is.
  public struct State: Sendable {
    /// What is being done, `copied` or `cases`.
    public var verb: String
    public var done: UInt64
    /// How many there will be; nil when that is not known.
    public var total: UInt64?
    /// Bytes done and in all, for the rate; nil when the rate is of `done`.
    public var bytes: (done: UInt64, total: UInt64)?
    /// More to say, `2 failed`; shown after the rest.
    public var notes: [String]

    public init(
      verb: String, done: UInt64, total: UInt64? = nil, bytes: (done: UInt64, total: UInt64)? = nil,
      notes: [String] = []
    ) {
      self.verb = verb
      self.done = done
      self.total = total
      self.bytes = bytes
      self.notes = notes
    }
  }

  private let output: OutputStream
  private let terminal: Terminal
  private let interval: Duration
  private var rate = RateWindow()
  private var shownAt: Duration?
  private var isDrawn = false

  /// - Parameter logInterval: The least time between two lines in a log.
  public init(output: OutputStream, terminal: Terminal, logInterval: Duration = .seconds(10)) {
    self.output = output
    self.terminal = terminal
    interval = terminal.isInteractive ? .milliseconds(120) : logInterval
  }

  /// Takes the state at a time of a monotonic clock and shows it when it is time to.
  public mutating func update(_ state: State, at now: Duration) {
    rate.add(state.bytes?.done ?? state.done, at: now)
    guard let last = shownAt else {
      // A log gets no line for a run that is over within one interval.
      shownAt = now
      if terminal.isInteractive { draw(state) }
      return
    }
    if now - last < interval { return }
    shownAt = now
    draw(state)
  }

  /// Takes the line away, so that other text can be written; the next update draws it again.
  public mutating func clear() {
    if isDrawn { output.write("\r\u{1b}[K") }
    isDrawn = false
  }

  private mutating func draw(_ state: State) {
    let text = text(state)
    if terminal.isInteractive {
      output.write("\r" + text.prefix(max(1, terminal.columns - 1)) + "\u{1b}[K")
      isDrawn = true
    } else {
      output.write(text + "\n")
    }
  }

  /// The line's text: the verb, counts, bytes, rate, time left, notes.
  func text(_ state: State) -> String {
    var parts = [state.verb, state.total.map { "\(state.done)/\($0)" } ?? "\(state.done)"]
    let goal: UInt64?
    if let bytes = state.bytes {
      parts.append("\(ByteCount.text(bytes.done)) of \(ByteCount.text(bytes.total))")
      if let speed = rate.perSecond {
        parts.append("\(ByteCount.text(UInt64(min(speed, 1e18))))/s")
      }
      goal = bytes.total
    } else {
      if let speed = rate.perSecond { parts.append("\(UInt64(min(speed.rounded(), 1e18)))/s") }
      goal = state.total
    }
    if let goal, let left = rate.left(until: goal) { parts.append("\(TimeSpan.text(left)) left") }
    return (parts[0] + " " + (parts.dropFirst() + state.notes).joined(separator: "  "))
  }
}
