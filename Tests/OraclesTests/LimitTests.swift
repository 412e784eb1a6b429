import FaultModel
import HarnessKit
import Oracles
import Testing

/// Runs that got little of something, and media of which nothing lasts.
@Suite struct LimitTests {
  private static let first = CaseBuilder.first

  static let samples: [Sample] = [
    Sample("sound: a subject that dies for want of memory is no finding", []) {
      $0.run.rows = []
      $0.run.isPresent = false
      $0.run.ending = .signalled(6, byRig: true)
      $0.run.expectations = [.sound]
    },
    Sample("output that nobody reads: exit 6 says so", []) {
      $0.run.isPresent = false
      $0.run.outputWasCut = true
      $0.run.ending = .exited(6)
      $0.run.expectations = [.incomplete]
    },
    Sample("output that nobody reads: success is a lie", ["expectation", "no silence"]) {
      $0.run.isPresent = false
      $0.run.outputWasCut = true
      $0.run.ending = .exited(0)
      $0.run.expectations = [.incomplete]
    },
    Sample("output that nobody reads: another failure is not what was expected", ["expectation"]) {
      $0.run.isPresent = false
      $0.run.outputWasCut = true
      $0.run.ending = .exited(1)
      $0.run.expectations = [.incomplete]
    },
    Sample("undetectable: a file that no listing shows has no row", []) {
      $0.rule(.hide(.path(first)))
      $0.run.rows.removeAll { $0.path == first }
      $0.run.volatile["dst"]?.entries[first] = nil
      $0.run.durable["dst"]?.entries[first] = nil
      $0.run.expectations = [.undetectable("x")]
    },
    Sample("undetectable: a volume that ignores barriers has nothing on the medium", []) {
      $0.personas["dst"] = .test(barriers: .ignored)
      $0.run.durable["dst"] = TreeSnapshot()
      $0.run.expectations = [.undetectable("x")]
    },
  ]

  @Test(
    "limits: what a run could not say is not held against it, what it claims is",
    arguments: samples)
  func limits(sample: Sample) { #expect(sample.found == sample.finders) }
}
