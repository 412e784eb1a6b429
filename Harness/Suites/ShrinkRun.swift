import Exploration
import FaultModel
public import HarnessKit
import Synchronization
import SystemIO

/// Shrinks the failing case of a replay file on a rig of its own.
public final class ShrinkRun: Sendable {
  private let runner: SuiteRunner
  private let replayed: ReplayedCase
  private let replay: Replay

  /// What came of it.
  public struct Outcome: Sendable {
    /// The smallest script that still fails so, with a comment on top that says how.
    public var script: String
    /// The oracle and what it says.
    public var cause: String
    public var linesBefore: Int
    public var linesAfter: Int
    /// Scripts that were run.
    public var attempts: Int
  }

  /// Why there is nothing to shrink.
  public struct Refusal: Error, Sendable, CustomStringConvertible {
    public let description: String
  }

  public init(runner: SuiteRunner, replay: Replay, replayed: ReplayedCase) {
    self.runner = runner
    self.replay = replay
    self.replayed = replayed
  }

  /// Shrinks; blocks.
  public func run() throws(RunError) -> Result<Outcome, Refusal> {
    let result = Mutex<Result<Outcome, Refusal>?>(nil)
    try runner.forEach([replayed.planned]) { (driver, planned) throws(RunError) in
      let end = self.shrink(planned, driver)
      result.withLock { $0 = end }
    }
    return result.withLock { $0 } ?? .failure(Refusal(description: "interrupted"))
  }

  private func shrink(
    _ planned: PlannedCase, _ driver: CaseDriver
  ) -> Result<Outcome, Refusal> {
    let first = driver.judge(planned.plain)
    guard first.verdict == .fail, let cause = Cause(first) else {
      return .failure(
        Refusal(
          description: "the case does not fail now: \(first.verdict.rawValue) \(first.reason)"))
    }
    let start = standalone(planned.script.text)
    let spelled = spelledOut(start).flatMap { text in
      fails(text, for: cause, driver, planned, isFresh: false) ? text : nil
    }
    var shrinker = Shrinker(
      spelled ?? start, name: replay.script,
      pin: { text in self.variant(text, of: planned).flatMap(driver.pin) },
      fails: { text in self.fails(text, for: cause, driver, planned, isFresh: false) })
    shrinker.run()
    guard fails(shrinker.text, for: cause, driver, planned, isFresh: true) else {
      return .failure(Refusal(description: "what is left does not fail in a fresh process"))
    }
    var subject = replay.subject == "offload" ? "" : " --subject \(replay.subject)"
    if let tool = replay.tool {
      subject = " \(tool.template.isShell ? "--shell " : "")--tool \"\(tool.template.text)\""
    }
    let head =
      "# Shrunk from \(replay.id). Fails by \(cause.text)\n# harness fault FILE\(subject)\n"
    let lines = shrinker.text.split(separator: "\n", maxSplits: 1)
    let script = "\(lines[0])\n\(head)\(lines.count > 1 ? lines[1] : "")"
    return .success(
      Outcome(
        script: script, cause: cause.text,
        linesBefore: start.split(separator: "\n").count,
        linesAfter: script.split(separator: "\n").count, attempts: shrinker.attemptCount))
  }

  /// The script with the case's mode as its only one.
  private func standalone(_ text: String) -> String {
    var lines = text.split(separator: "\n").map(String.init).filter { line in
      line.split(separator: " ").first != "modes"
    }
    if replay.mode != Mode.standard.rawValue {
      let index = lines.firstIndex { $0.split(separator: " ").first == "case" } ?? lines.count
      lines.insert("modes \(replay.mode)", at: index)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A card of few files as `given` lines, which can go one by one.
  private func spelledOut(_ text: String) -> String? {
    let trees = TreeBuilder(cards: runner.settings.cards)
    guard let script = try? ScriptParser.parse(text, name: replay.script),
      let only = script.cases.first, only.preamble.card != .empty,
      let card = try? trees.trees(for: only)["src"]
    else { return nil }
    let own = Set(only.givens.filter { $0.volume == "src" }.map(\.path))
    let files = card.paths.filter { card.entries[$0]?.kind == .file && !own.contains($0) }
    guard files.count <= Self.fileLimit else { return nil }
    var lines = text.split(separator: "\n").map(String.init)
    for index in lines.indices where lines[index].split(separator: " ").first == "card" {
      lines[index] = "card empty"
    }
    guard let place = lines.firstIndex(where: { $0.split(separator: " ").first == "case" }) else {
      return nil
    }
    let given = files.map { path in
      let count = card.entries[path]?.content?.byteCount ?? 0
      return "  given src \(ScriptText.quoted(path)) bytes \(count)"
    }
    lines.insert(contentsOf: given, at: place + 1)
    return lines.joined(separator: "\n") + "\n"
  }

  private static let fileLimit = 200

  private func fails(
    _ text: String, for cause: Cause, _ driver: CaseDriver, _ planned: PlannedCase, isFresh: Bool
  ) -> Bool {
    guard !runner.stop.isRaised, let variant = variant(text, of: planned) else { return false }
    return cause.isSame(driver.judge(variant, isFresh: isFresh))
  }

  /// The case with another script; nil when that does not load.
  private func variant(_ text: String, of planned: PlannedCase) -> PlannedCase? {
    guard let script = try? replayed.library.load(Array(text.utf8), name: replay.script),
      let only = script.cases.first
    else { return nil }
    return planned.with(script, only)
  }
}

/// Why a case failed: the oracle, the file and what it says, numbers left out.
struct Cause {
  let oracle: String
  let files: [String]
  private let words: String
  let text: String

  init?(_ attempt: CaseAttempt) {
    guard let finding = attempt.findings.first else { return nil }
    oracle = finding.oracle
    files = finding.files
    words = Self.words(finding.summary)
    text = "\(finding.oracle): \(finding.summary)"
  }

  func isSame(_ attempt: CaseAttempt) -> Bool {
    attempt.verdict == .fail
      && attempt.findings.contains {
        $0.oracle == oracle && $0.files == files && Self.words($0.summary) == words
      }
  }

  private static func words(_ summary: String) -> String {
    var text = ""
    for character in summary where !(character.isNumber && text.last == "#") {
      text.append(character.isNumber ? "#" : character)
    }
    return text
  }
}
