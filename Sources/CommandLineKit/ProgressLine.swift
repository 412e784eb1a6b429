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
    /// The rate and the time left where the caller knows better, since there is work that neither
    /// count shows; else both come from the counts.
    public var pace: (perSecond: Double, left: Duration?)?
    /// More to say, `2 failed`; shown after the rest.
    public var notes: [String]

    public init(
      verb: String, done: UInt64, total: UInt64? = nil, bytes: (done: UInt64, total: UInt64)? = nil,
      pace: (perSecond: Double, left: Duration?)? = nil, notes: [String] = []
    ) {
      self.verb = verb
      self.done = done
      self.total = total
      self.bytes = bytes
      self.pace = pace
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
    let perSecond = state.pace?.perSecond ?? rate.perSecond
    let speed = perSecond.flatMap { $0 >= 0 ? UInt64(min($0.rounded(), 1e18)) : nil }
    if let bytes = state.bytes {
      parts.append("\(ByteCount.text(bytes.done)) of \(ByteCount.text(bytes.total))")
      if let speed { parts.append("\(ByteCount.text(speed))/s") }
    } else if let speed {
      parts.append("\(speed)/s")
    }
    let goal = state.bytes?.total ?? state.total
    let left = state.pace.map { $0.left } ?? goal.flatMap { rate.left(until: $0) }
    if let left { parts.append("\(TimeSpan.text(left)) left") }
    return (parts[0] + " " + (parts.dropFirst() + state.notes).joined(separator: "  "))
  }
}
