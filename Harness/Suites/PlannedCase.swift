public import FaultModel
public import HarnessKit
public import Subjects

/// One case in one mode, ready to run: it holds everything that a replay file holds.
public struct PlannedCase: Sendable {
  public private(set) var identity: CaseIdentity
  /// The preamble and this case alone, at their lines of the whole script.
  public private(set) var script: Script
  public private(set) var scriptCase: ScriptCase
  public let mode: Mode
  /// The subject's name in the catalogue, or the tool's.
  public private(set) var subject: String
  /// The oracle that must object, for an engine that is broken on purpose; nil for a real subject.
  public private(set) var caughtBy: String?
  /// Gate mode: the subject's requests come in an order that the seed chooses.
  public var isGated = false
  /// The command line that is judged; nil for a subject of the catalogue.
  public private(set) var tool: ToolSpec?

  typealias Parse = (_ text: [UInt8], _ name: String) throws(ScriptError) -> Script

  /// Every case of a script in each of its modes.
  ///
  /// - `seed`, `card`: override those of the script.
  /// - `modes`: only these; nil for those that the case names.
  /// - `destinations`: at least so many; nil for those that the case has.
  /// - `parse`: reads a script's text; one that also looks at cards finds out what an overriding
  ///   card lacks.
  /// - Throws: what `parse` says of a case that stands alone.
  static func all(
    of script: Script, seed: UInt64? = nil, card: String? = nil, modes: [Mode]? = nil,
    destinations: Int? = nil, subject: String, caughtBy: String? = nil,
    parse: Parse = ScriptParser.parse
  ) throws(ScriptError) -> [PlannedCase] {
    var cases: [PlannedCase] = []
    for (index, scriptCase) in script.cases.enumerated() {
      let text = script.isolatedText(ofCase: index, seed: seed, card: card)
      for mode in modes ?? scriptCase.preamble.modes {
        guard let text = scriptCase.adapted(text, to: mode, destinations: destinations) else {
          continue
        }
        let isolated = try parse(Array(text.utf8), script.name)
        guard let only = isolated.cases.first else { continue }
        let identity = CaseIdentity(
          script: script.name, title: scriptCase.title, line: scriptCase.line,
          mode: mode.rawValue, slug: scriptCase.slug)
        cases.append(
          PlannedCase(
            identity: identity, script: isolated, scriptCase: only, mode: mode, subject: subject,
            caughtBy: caughtBy))
      }
    }
    return cases
  }

  /// Another script with one case, for the same subject, judged as it is.
  ///
  /// - `identity`: nil to keep the case's own.
  func with(_ script: Script, _ only: ScriptCase, identity: CaseIdentity? = nil) -> PlannedCase {
    var planned = plain
    planned.script = script
    planned.scriptCase = only
    if let identity { planned.identity = identity }
    return planned
  }

  /// The case judged as it is, also for an engine that is broken on purpose.
  var plain: PlannedCase {
    var planned = self
    planned.caughtBy = nil
    return planned
  }

  /// The same case for a command line. A tool has no modes: its name stands in the id in the
  /// mode's place.
  public func judging(_ tool: ToolSpec) -> PlannedCase {
    var planned = self
    planned.tool = tool
    planned.subject = tool.name
    planned.identity = CaseIdentity(
      script: identity.script, title: identity.title, line: identity.line, mode: tool.name,
      slug: identity.slug)
    return planned
  }

  public init(
    identity: CaseIdentity, script: Script, scriptCase: ScriptCase, mode: Mode,
    subject: String, caughtBy: String?
  ) {
    self.identity = identity
    self.script = script
    self.scriptCase = scriptCase
    self.mode = mode
    self.subject = subject
    self.caughtBy = caughtBy
  }
}

extension Script {
  /// The script with every other case and the explore lines blanked out: lines keep their numbers.
  func isolatedText(ofCase index: Int, seed: UInt64?, card: String?) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let first = cases[index].line
    let end = index + 1 < cases.count ? cases[index + 1].line : lines.count + 1
    let preambleEnd = cases.first?.line ?? first
    let explored = Set(explorations.map(\.line))
    // A case may say each of these once, so the command line's word takes the place of its own.
    let overridden = (seed == nil ? [] : ["seed"]) + (card == nil ? [] : ["card"])
    var kept: [Substring] = []
    for (offset, line) in lines.enumerated() {
      let number = offset + 1
      let isOfCase = (first..<end).contains(number)
      let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(String.init)
      let isReplaced = isOfCase && overridden.contains(word ?? "")
      let isKept = (number < preambleEnd || isOfCase) && !isReplaced
      kept.append(isKept && !explored.contains(number) ? line : "")
    }
    while kept.last == "" { kept.removeLast() }
    if let seed { kept.append("  seed \(seed)") }
    if let card { kept.append("  card \(card)") }
    return kept.joined(separator: "\n") + "\n"
  }
}

extension ScriptCase {
  /// The case as written, without its empty lines.
  var schedule: [String] {
    text.split(separator: "\n").map(String.init).filter { line in
      line.contains { $0 != " " && $0 != "\t" }
    }
  }
}
