import FaultModel
import HarnessKit
import Oracles
import SystemIO

/// Artefacts made by hand: two clips on `src`, one destination, one run that verified both.
struct CaseBuilder {
  var mode = Mode.standard
  var rules: [Rule] = []
  var fired: [Int: Int] = [:]
  var acts: [RigAct] = []
  var surroundings = Surroundings()
  var personas: [String: Persona]
  var before: [String: TreeSnapshot]
  var runs: [RunBuilder]

  static let first: BytePath = "CLIP/C0001.MP4"
  static let second: BytePath = "CLIP/C0002.MP4"

  init(destinations: [String] = ["dst"]) {
    var source = TreeSnapshot()
    source.add(folder: "CLIP")
    source.add("CLIP/C0001.MP4", digest: "one")
    source.add("CLIP/C0002.MP4", digest: "two")
    before = ["src": source]
    personas = ["src": .test()]
    var run = RunBuilder(destinations: destinations)
    for volume in destinations {
      before[volume] = TreeSnapshot()
      personas[volume] = .test()
      run.volatile[volume] = source
      for path in [Self.first, Self.second] { run.rows.append(.verified(path, on: volume)) }
    }
    run.volatile["src"] = source
    run.durable = run.volatile
    runs = [run]
  }

  /// The one run of most cases.
  var run: RunBuilder {
    get { runs[0] }
    set { runs[0] = newValue }
  }

  /// Adds a rule, fired once unless said otherwise.
  mutating func rule(
    _ effect: Effect, fired count: Int = 1, _ edit: (inout Clauses) -> Void = { _ in }
  ) {
    var clauses = Clauses()
    edit(&clauses)
    let id = rules.count
    rules.append(Rule(id: id, line: id + 1, text: "rule \(id)", effect: effect, clauses: clauses))
    fired[id] = count
  }

  mutating func act(_ kind: RigAct.Kind, _ volume: String, _ path: BytePath = "") {
    acts.append(RigAct(kind: kind, volume: volume, path: path))
  }

  var artefacts: CaseArtefacts {
    CaseArtefacts(
      scriptCase: ScriptCase(
        title: "made by hand", line: 1, text: "", preamble: Preamble(),
        statements: rules.map { .rule($0) }),
      mode: mode, plannedSource: PlannedTree(), before: before, runs: runs.map(\.record),
      fired: fired, acts: acts, surroundings: surroundings, personas: personas)
  }

  /// The names of the oracles that find something.
  var finders: Set<String> {
    Set(OracleCatalogue.all.flatMap { $0.check(artefacts) }.map(\.oracle))
  }
}

struct RunBuilder {
  var expectations: [FaultModel.Expectation] = [.verified]
  var ending = RunRecord.Ending.exited(0)
  var isPresent = true
  var verdict = "verified"
  var rows: [SubjectReport.Row] = []
  var warnings: [String] = []
  var problems: [String] = []
  var leftBehind: [SubjectReport.Place] = []
  var destinations: [String]
  var volatile: [String: TreeSnapshot] = [:]
  var durable: [String: TreeSnapshot] = [:]
  var leaks: [String] = []
  var before: [String: TreeSnapshot]?
  var written: [String: Set<BytePath>] = [:]
  var outputWasCut = false
  var claims = RunRecord.Claims.report

  init(destinations: [String]) {
    self.destinations = destinations
  }

  /// A tool's run: no report, nothing ever synced, and an exit code.
  mutating func tool(_ code: Int32, claiming volumes: [String]? = nil, onMedium: Bool = false) {
    isPresent = false
    verdict = ""
    rows = []
    ending = .exited(code)
    claims = .exitCode(
      claimed: volumes ?? (code == 0 ? destinations : []), onMedium: onMedium)
    for volume in destinations { durable[volume] = TreeSnapshot() }
  }

  /// Sets verdict and exit code together.
  mutating func end(_ verdict: String, _ code: Int32) {
    self.verdict = verdict
    ending = .exited(code)
  }

  /// The first clip fails on the volumes and is not there; the run says so.
  mutating func fail(_ path: BytePath = CaseBuilder.first, on volumes: [String] = ["dst"]) {
    for volume in volumes {
      rows.removeAll { $0.path == path && $0.destination == volume }
      rows.append(.failed(path, on: volume))
      volatile[volume]?.entries[path] = nil
      durable[volume]?.entries[path] = nil
    }
    end("failed", 1)
  }

  /// Every layer of a volume gets the entry; nil removes it.
  mutating func put(_ entry: TreeEntry?, at path: BytePath, on volume: String = "dst") {
    volatile[volume]?.entries[path] = entry
    durable[volume]?.entries[path] = entry
  }

  var record: RunRecord {
    RunRecord(
      expectations: expectations, ending: ending,
      report: SubjectReport(
        isPresent: isPresent, verdict: verdict, rows: rows, warnings: warnings,
        problems: problems, leftBehind: leftBehind),
      seconds: 1, destinations: destinations, volatile: volatile, durable: durable, leaks: leaks,
      log: "", before: before, outputWasCut: outputWasCut, written: written,
      claims: claims)
  }
}

extension SubjectReport.Row {
  static func verified(_ path: BytePath, on volume: String, level: String = "evicted") -> Self {
    Self(path: path, destination: volume, outcome: .verified, level: level, cause: "")
  }

  static func copied(_ path: BytePath, on volume: String, level: String = "cached") -> Self {
    Self(path: path, destination: volume, outcome: .copiedUnverified, level: level, cause: "")
  }

  static func failed(_ path: BytePath, on volume: String, cause: String = "EIO") -> Self {
    Self(path: path, destination: volume, outcome: .failed, level: "not read", cause: cause)
  }
}

extension TreeSnapshot {
  mutating func add(folder path: BytePath) {
    entries[path] = TreeEntry(kind: .directory, mode: 0o755, modification: 5)
  }

  mutating func add(_ path: BytePath, digest: String, byteCount: UInt64 = 100) {
    entries[path] = .file(digest, byteCount: byteCount)
  }
}

extension TreeEntry {
  static func file(_ digest: String, byteCount: UInt64 = 100) -> TreeEntry {
    TreeEntry(kind: .file, byteCount: byteCount, digest: digest, mode: 0o644, modification: 7)
  }

  /// A status marker for a name, as docs/offload.md says.
  static func marker(for name: String, fields: String? = nil) -> TreeEntry {
    let hex = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let text =
      fields
      ?? #"{"custodyStatus":1,"name":"\#(name)","nameHex":"\#(hex)","state":"writing","#
      + #""bytes":100,"run":"r1","created":"2026-07-11T12:00:00Z"}"#
    let bytes = Array(text.utf8)
    return TreeEntry(
      kind: .file, byteCount: UInt64(bytes.count), digest: "marker", mode: 0o600,
      inlineBytes: bytes)
  }
}

extension Persona {
  static func test(
    level: String = "evicted", links: Bool = true, barriers: Barriers = .strict
  ) -> Persona {
    Persona(
      name: "test", summary: "", linkError: links ? nil : .notPermitted, barriers: barriers,
      facts: Facts(type: "ext4", bestLevel: level))
  }
}

extension Target {
  static func path(_ path: BytePath, on volume: String = "dst") -> Target {
    Target(volume: volume, subject: .path(path))
  }
}
