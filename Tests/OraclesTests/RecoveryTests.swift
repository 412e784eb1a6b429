import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

private let first = CaseBuilder.first
private let second = CaseBuilder.second

@Suite struct RecoveryTests {
  @Test("recovery: what was called done is there, and running again ends it", arguments: samples)
  func recovery(sample: Sample) { #expect(sample.found == sample.finders) }

  static let samples: [Sample] = [
    Sample("killed, and run again", []) { $0.strike(claimed: false) },
    Sample("crashed once it was done, and run again", []) { $0.strike(claimed: true) },
    Sample("a claimed file is gone after the crash", ["truth", "recovery"]) {
      $0.strike(claimed: true)
      $0.runs[0].put(nil, at: first)
    },
    Sample("a copy without proof was called done, and is gone", ["recovery", "no impostor"]) {
      $0.personas["dst"] = .test(level: "cached")
      $0.strike(claimed: true)
      $0.runs[0].rows = [.copied(first, on: "dst"), .copied(second, on: "dst")]
      $0.runs[0].end("copiedNotVerified", 5)
      $0.runs[1] = $0.runs[0]
      $0.runs[1].expectations = [.recovery]
      $0.runs[0].put(nil, at: first)
    },
    Sample("the claim was taken back by a drive that nobody can see through", []) {
      $0.rule(.drop([.fsync], .path(first)))
      $0.strike(claimed: true)
      $0.runs[0].put(nil, at: first)
      $0.runs[0].expectations = [.undetectable("it lies")]
    },
    Sample("the further run is refused", ["recovery"]) {
      $0.strike(claimed: false)
      $0.runs[1].end("refused", 3)
      $0.runs[1].problems = ["no"]
      $0.runs[1].rows = []
    },
    Sample("the further run leaves no report", ["recovery", "no silence"]) {
      $0.strike(claimed: false)
      $0.runs[1].isPresent = false
      $0.runs[1].rows = []
    },
    Sample("the further run forgets a file", ["recovery", "no silence"]) {
      $0.strike(claimed: false)
      $0.runs[1].rows.removeLast()
    },
    Sample("the further run claims a partial file", ["truth", "no impostor", "recovery"]) {
      $0.strike(claimed: false)
      $0.runs[1].put(.file("part", byteCount: 7), at: first)
    },
    Sample("the further run names what it cannot mend", []) {
      $0.strike(claimed: false)
      $0.runs[1].fail()
    },
    Sample("finished work is done again", ["recovery"]) {
      $0.strike(claimed: true)
      $0.runs[1].written = ["dst": [first]]
    },
    Sample("unclaimed work may be done again", []) {
      $0.strike(claimed: false)
      $0.runs[1].written = ["dst": [first]]
    },
    Sample("a claimed file that is broken has to be written again", ["truth", "recovery"]) {
      $0.strike(claimed: true)
      $0.runs[0].put(nil, at: first)
      $0.runs[1].written = ["dst": [first]]
    },
    Sample("no crash, no kill: a second run is none of its business", []) {
      $0.runs.append($0.runs[0])
      $0.runs[1].written = ["dst": [first]]
    },
  ]
}

extension CaseBuilder {
  /// A crash, after the run or in the middle of it, and a further run.
  mutating func strike(claimed: Bool) {
    rule(.crash(volumes: ["dst"], .none))
    act(.crashed, "dst")
    if !claimed {
      for path in [Self.first, Self.second] { runs[0].put(nil, at: path) }
    }
    runs.append(runs[0])
    runs[1].volatile["dst"] = before["src"]
    runs[1].durable["dst"] = before["src"]
    runs[1].expectations = [.recovery]
    if claimed {
      runs[0].expectations = [.sound]
      return
    }
    runs[0].expectations = []
    runs[0].ending = .signalled(9, byRig: true)
    runs[0].isPresent = false
    runs[0].verdict = ""
    runs[0].rows = []
  }
}
