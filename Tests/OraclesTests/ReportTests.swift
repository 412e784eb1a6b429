import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

private let first = CaseBuilder.first
private let second = CaseBuilder.second
private let temporary = BytePath("CLIP/.custody.tmp.0123456789abcdef0123456789abcdef")
private let kept = BytePath("CLIP/C0001.MP4.custody-failed")

/// What the subject says of itself, how it ends and what it leaves.
@Suite struct ReportTests {
  @Test("no silence: every file is named, and the exit code agrees", arguments: silenceSamples)
  func silence(sample: Sample) { #expect(sample.found == sample.finders) }

  static let silenceSamples: [Sample] = [
    Sample("a file without a row", ["no silence"]) {
      $0.run.rows.removeLast()
    },
    Sample(
      "a file without a row on one of two destinations", ["no silence"],
      destinations: ["dst", "dst2"]
    ) { $0.run.rows.removeLast() },
    Sample("a desktop's folder at the root is not copied", []) {
      for layer in 0..<2 {
        let entry = TreeEntry(kind: .directory)
        if layer == 0 {
          $0.before["src"]?.entries[".Trashes"] = entry
          $0.before["src"]?.entries[".Trashes/x"] = .file("x")
        } else {
          $0.run.volatile["src"]?.entries[".Trashes"] = entry
          $0.run.volatile["src"]?.entries[".Trashes/x"] = .file("x")
        }
      }
    },
    Sample("the same name deeper is", ["no silence"]) {
      for path in [BytePath("CLIP/.Trashes/x")] {
        $0.before["src"]?.entries[path] = .file("x")
        $0.run.volatile["src"]?.entries[path] = .file("x")
      }
    },
    Sample("failed without a cause", ["no silence"]) {
      failFirst(&$0)
      $0.run.rows.removeAll { $0.outcome == .failed }
      $0.run.rows.append(.failed(first, on: "dst", cause: ""))
    },
    Sample("failed rows and exit 0", ["no silence"]) {
      failFirst(&$0)
      $0.run.ending = .exited(0)
    },
    Sample("the failure is left out of the exit code only", ["no silence"]) {
      failFirst(&$0)
      $0.run.end("verified", 0)
    },
    Sample("a later success takes no failure back", ["no silence"]) {
      failFirst(&$0)
      $0.run.rows.append(.verified(first, on: "dst"))
      $0.run.end("verified", 0)
    },
    Sample("no report", ["no silence"]) {
      $0.run.isPresent = false
    },
    Sample("dies of a signal that no rule sent", ["no silence"]) {
      $0.run.isPresent = false
      $0.run.ending = .signalled(11, byRig: false)
    },
    Sample("refused without a reason", ["no silence"]) {
      refuse(&$0)
      $0.run.problems = []
    },
    Sample("an exit code that says something else", ["no silence"]) {
      refuse(&$0)
      $0.run.ending = .exited(1)
    },
    Sample("a word that nobody knows", ["no silence"]) {
      $0.run.verdict = "fine"
    },
    Sample("exit 1 that names nothing", ["no silence", "no false alarm"]) {
      $0.run.end("failed", 1)
    },
  ]

  @Test("no false alarm: what nothing struck is verified", arguments: alarmsSamples)
  func alarms(sample: Sample) { #expect(sample.found == sample.finders) }

  static let alarmsSamples: [Sample] = [
    Sample("a failure without a fault", ["no false alarm"]) {
      $0.run.fail()
    },
    Sample("another file fails than expected", ["no false alarm"]) {
      failFirst(&$0)
      $0.run.fail(second)
    },
    Sample(
      "another destination fails than expected", ["no false alarm"],
      destinations: ["dst", "dst2"]
    ) {
      $0.run.fail(on: ["dst", "dst2"])
      $0.run.expectations = [.failed([.suffix("C0001.MP4")], on: "dst2")]
    },
    Sample("refused without need", ["no false alarm"]) {
      refuse(&$0)
      $0.run.expectations = [.verified]
    },
    Sample("only copied where proof was possible", ["no false alarm"]) {
      $0.run.rows[0] = .copied(first, on: "dst")
      $0.run.end("copiedNotVerified", 5)
    },
    Sample("exit 1 though every file is safe", ["no false alarm"]) {
      $0.run.end("failed", 1)
      $0.run.problems = ["something"]
    },
    Sample("the report is missing though nothing struck it", ["no false alarm"]) {
      $0.run.end("verified", 6)
    },
    Sample("failed some: what fails is up to the run", []) {
      $0.run.fail()
      $0.run.expectations = [.failedSome(on: nil)]
    },
    Sample("failed some on V: not elsewhere", ["no false alarm"], destinations: ["dst", "dst2"]) {
      $0.run.fail(on: ["dst", "dst2"])
      $0.run.expectations = [.failedSome(on: "dst2")]
    },
    Sample("the best level that the facts allow is no alarm", []) {
      $0.personas["dst"] = .test(level: "cached")
      $0.run.rows = [.copied(first, on: "dst"), .copied(second, on: "dst")]
      $0.run.end("copiedNotVerified", 5)
      $0.run.expectations = [.copied]
    },
    Sample("nothing asked and nothing struck", ["no false alarm"]) {
      $0.run.fail()
      $0.run.expectations = []
    },
    Sample("nothing asked of a run that was struck", []) {
      $0.rule(.full(volume: "dst"))
      $0.run.fail()
      $0.run.expectations = []
    },
    Sample("sound asks for nothing", []) {
      $0.run.fail()
      $0.run.expectations = [.sound]
    },
    Sample("undetectable: the faulted file may fail", []) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.run.fail()
      $0.run.expectations = [.undetectable("x")]
    },
    Sample("undetectable: another may not", ["no false alarm"]) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.run.fail(second)
      $0.run.expectations = [.undetectable("x")]
    },
  ]

  @Test(
    "expectation: what must fail failed, what must be refused was",
    arguments: expectationsSamples)
  func expectation(sample: Sample) { #expect(sample.found == sample.finders) }

  static let expectationsSamples: [Sample] = [
    Sample("failed X, and X is verified", ["expectation"]) {
      $0.run.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
    },
    Sample("failed X on both, and one has it", ["expectation"], destinations: ["dst", "dst2"]) {
      $0.run.fail(on: ["dst2"])
      $0.run.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
    },
    Sample("failed all, and one does not", ["expectation"]) {
      $0.run.fail()
      $0.run.expectations = [.failedAll(on: nil)]
    },
    Sample("failed all on V", [], destinations: ["dst", "dst2"]) {
      $0.run.fail(on: ["dst2"])
      $0.run.fail(second, on: ["dst2"])
      $0.run.expectations = [.failedAll(on: "dst2")]
    },
    Sample("failed some, and nothing does", ["expectation"]) {
      $0.run.expectations = [.failedSome(on: nil)]
    },
    Sample("failed, but it was refused", ["expectation"]) {
      refuse(&$0)
      $0.run.expectations = [.failedAll(on: nil)]
    },
    Sample("a pattern that names them all", []) {
      $0.run.fail()
      $0.run.fail(second)
      $0.run.expectations = [.failed([.glob("CLIP/*")], on: nil)]
    },
    Sample("no file has the name: the script is wrong", ["script"]) {
      $0.run.expectations = [.failed([.suffix("C0009.MP4")], on: nil)]
    },
    Sample("two files have the name: the script is wrong", ["script"]) {
      for path in [BytePath("A/C0001.MP4")] {
        $0.before["src"]?.entries[path] = .file("a")
        $0.run.volatile["src"]?.entries[path] = .file("a")
        $0.run.put(.file("a"), at: path)
        $0.run.rows.append(.failed(path, on: "dst"))
      }
      $0.run.rows[0] = .failed(first, on: "dst")
      $0.run.end("failed", 1)
      $0.run.expectations = [.failed([.suffix("C0001.MP4")], on: nil)]
    },
    Sample("a file that appeared is named among the problems", []) {
      $0.run.volatile["src"]?.entries["CLIP/C0009.MP4"] = .file("new")
      $0.act(.changed, "src", "CLIP/C0009.MP4")
      $0.run.end("failed", 1)
      $0.run.problems = ["CLIP/C0009.MP4 appeared during the run"]
      $0.run.expectations = [.failed([.suffix("C0009.MP4")], on: nil)]
    },
    Sample("refused", []) { refuse(&$0) },
    Sample("refused, and it copied", ["expectation"]) {
      $0.run.expectations = [.refused]
    },
    Sample("refused, and a folder stayed", ["expectation", "clean"]) {
      refuse(&$0)
      $0.run.put(TreeEntry(kind: .directory), at: "probe")
    },
    Sample("refused, and a mode changed", ["expectation"]) {
      $0.before["dst"]?.entries["old"] = .file("old")
      refuse(&$0)
      $0.run.volatile["dst"]?.entries["old"]?.mode = 0
    },
    Sample("copied, and it claims proof", ["expectation"]) {
      $0.run.expectations = [.copied]
    },
    Sample("verified, where the facts allow none", ["expectation"]) {
      $0.personas["dst"] = .test(level: "cached")
      $0.run.rows = [.copied(first, on: "dst"), .copied(second, on: "dst")]
      $0.run.end("copiedNotVerified", 5)
    },
    Sample("incomplete", []) {
      $0.run.end("verified", 6)
      $0.run.expectations = [.incomplete]
    },
    Sample("incomplete, and all is said to be there", ["expectation"]) {
      $0.run.expectations = [.incomplete]
    },
    Sample("interrupted by a kill", []) {
      $0.run.isPresent = false
      $0.run.ending = .signalled(9, byRig: true)
      $0.run.expectations = [.interrupted]
    },
    Sample("interrupted, with its report", []) {
      $0.run.end("interrupted", 143)
      $0.run.expectations = [.interrupted]
    },
    Sample("interrupted, and it went on", ["expectation"]) {
      $0.run.expectations = [.interrupted]
    },
    Sample("verified, and it was killed", ["expectation"]) {
      $0.run.isPresent = false
      $0.run.ending = .signalled(9, byRig: true)
    },
    Sample("recovery, and it was interrupted again", ["expectation"]) {
      $0.run.end("interrupted", 130)
      $0.run.expectations = [.recovery]
    },
    Sample("warns", []) {
      $0.run.warnings = ["the clock of dst is coarse"]
      $0.run.expectations = [.verified, .warns("clock")]
    },
    Sample("warns, and nothing is said", ["expectation"]) {
      $0.run.warnings = ["something else"]
      $0.run.expectations = [.warns("clock"), .verified]
    },
  ]

  @Test(
    "bounded and clean: it ends, and leaves nothing that it does not name",
    arguments: restSamples)
  func rest(sample: Sample) { #expect(sample.found == sample.finders) }

  static let restSamples: [Sample] = [
    Sample("still alive at its deadline", ["bounded"]) {
      $0.run.ending = .deadline
      $0.run.isPresent = false
    },
    Sample("a temporary file", ["clean"]) { $0.run.put(.file("x"), at: temporary) },
    Sample("a temporary file that the report names", []) {
      $0.run.put(.file("x"), at: temporary)
      $0.run.leftBehind = [.init(volume: "dst", path: temporary)]
    },
    Sample("named on another volume", ["clean"], destinations: ["dst", "dst2"]) {
      $0.run.put(.file("x"), at: temporary)
      $0.run.leftBehind = [.init(volume: "dst2", path: temporary)]
    },
    Sample("a status marker", ["clean"]) {
      $0.run.put(
        .marker(for: "C0001.MP4"), at: "CLIP/.custody-status-0123456789abcdef0123456789abcdef")
    },
    Sample("a failed copy that no row names", ["clean"]) {
      failFirst(&$0)
      $0.run.put(.file("x"), at: kept)
    },
    Sample("a failed copy that its row names", []) {
      failFirst(&$0)
      $0.run.rows.removeAll { $0.outcome == .failed }
      $0.run.rows.append(.failed(first, on: "dst", cause: "kept as C0001.MP4.custody-failed"))
      $0.run.put(.file("x"), at: kept)
    },
    Sample("something that nobody asked for", ["clean"]) {
      $0.run.put(.file("x"), at: "CLIP/C0003.MP4")
    },
    Sample("reports on the first destination", [], destinations: ["dst", "dst2"]) {
      $0.run.put(TreeEntry(kind: .directory), at: "Reports")
      $0.run.put(.file("x"), at: "Reports/Custody_Report_2026-07-11T12-00-00Z.json")
    },
    Sample("reports on another", ["clean"], destinations: ["dst", "dst2"]) {
      $0.run.put(TreeEntry(kind: .directory), at: "Reports", on: "dst2")
    },
    Sample("a temporary file among the reports", ["clean"]) {
      $0.run.put(TreeEntry(kind: .directory), at: "Reports")
      $0.run.put(.file("x"), at: "Reports/.custody.tmp.0123456789abcdef0123456789abcdef")
    },
    Sample("a sidecar of the persona", []) {
      $0.run.put(.file("x"), at: "CLIP/._C0001.MP4")
      $0.act(.sidecar, "dst", "CLIP/._C0001.MP4")
    },
    Sample("a descriptor", ["clean"]) { $0.run.leaks = ["a descriptor of /dev/null"] },
    Sample("a file in its scratch folder", ["clean"]) {
      $0.surroundings.scratchLitter = ["core"]
    },
    Sample("what a killed run leaves is for the next one", []) {
      $0.run.isPresent = false
      $0.run.ending = .signalled(9, byRig: true)
      $0.run.expectations = []
      $0.run.put(.file("x"), at: temporary)
    },
    Sample("and the next one must clear it", ["clean"]) {
      var killed = $0.run
      killed.isPresent = false
      killed.ending = .signalled(9, byRig: true)
      killed.expectations = []
      killed.put(.file("x"), at: temporary)
      var again = $0.run
      again.put(.file("x"), at: temporary)
      $0.runs = [killed, again]
    },
    Sample("also when the state between was recorded", ["clean"]) {
      var killed = $0.run
      killed.isPresent = false
      killed.ending = .signalled(9, byRig: true)
      killed.expectations = []
      killed.put(.file("x"), at: temporary)
      var again = $0.run
      again.put(.file("x"), at: temporary)
      again.before = killed.volatile
      $0.runs = [killed, again]
    },
    Sample("on a volume that was pulled it cannot be cleared", []) {
      $0.act(.ejected, "dst")
      $0.run.fail()
      $0.run.fail(second)
      $0.run.expectations = [.failedAll(on: nil)]
      $0.run.put(.file("x"), at: temporary)
    },
  ]
}

@Sendable func refuse(_ builder: inout CaseBuilder) {
  builder.run.rows = []
  builder.run.end("refused", 3)
  builder.run.problems = ["dst is too small"]
  builder.run.expectations = [.refused]
  builder.run.volatile["dst"] = builder.before["dst"]
  builder.run.durable["dst"] = builder.before["dst"]
}
