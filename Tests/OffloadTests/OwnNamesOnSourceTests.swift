import SystemIO
import Testing

@testable import Offload

@Suite struct OwnNamesOnSourceTests {
  @Test(
    "offload 2, 44: a source that holds an unfinished run's files is refused, and nothing is written",
    arguments: [
      "DCIM/.custody.tmp.0123456789abcdef0123456789abcdef",
      ".custody-status-0123456789abcdef0123456789abcdef",
      ".custody.tmp.0123456789abcdef0123456789abcdef/x",
    ] as [BytePath])
  func refused(path: BytePath) throws {
    let stage = try Stage()
    try stage.fillSmall()
    try stage.card.file(path, seed: 5, count: 10)
    let outcome = try stage.run()
    #expect(outcome.verdict == .refused)
    #expect(outcome.exitCode == 3)
    #expect(outcome.problems.contains { $0.contains(".custody") })
    #expect(try stage.destination.entries().filter { !$0.key.bytes.isEmpty }.isEmpty)
  }

  @Test("offload 67: names that only look alike are user data")
  func userData() throws {
    let stage = try Stage()
    try stage.card.file(".custody.tmp.notes", seed: 5, count: 10)
    try stage.card.file("clip.mov.custody-failed", seed: 6, count: 10)
    #expect(try stage.run().verdict == .verified)
  }
}
