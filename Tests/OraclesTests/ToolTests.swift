import FaultModel
import HarnessKit
import SystemIO
import Testing

@testable import Oracles

private let first = CaseBuilder.first
private let second = CaseBuilder.second

@Suite("Oracles over subjects whose exit code is all that they say")
struct ToolTests {
  @Test("tools: each oracle over an exit code", arguments: samples)
  func judged(sample: Sample) { #expect(sample.found == sample.finders) }

  static let samples: [Sample] = [
    Sample("exit 0 and all is there, synced or not", []) { $0.run.tool(0) },
    Sample("exit 0 that promises the medium, and nothing was synced", ["truth"]) {
      $0.run.tool(0, onMedium: true)
    },
    Sample("exit 0 that promises the medium, and all is on it", []) {
      $0.run.tool(0, onMedium: true)
      $0.run.durable = $0.run.volatile
    },
    Sample("another code of one that promises the medium", []) {
      $0.run.expectations = [.failedAll(on: nil)]
      $0.run.tool(1, onMedium: true)
    },
    Sample("exit 0 and a file is missing", ["truth"]) {
      $0.run.tool(0)
      $0.run.volatile["dst"]?.entries[first] = nil
    },
    Sample("exit 0 and a file is wrong", ["truth", "no impostor"]) {
      $0.run.tool(0)
      $0.run.volatile["dst"]?.entries[first] = .file("other")
    },
    Sample(
      "exit 0 for one destination, the other is empty and not claimed", [],
      destinations: ["dst", "dst2"]
    ) {
      $0.run.expectations = [.failedAll(on: "dst2")]
      $0.run.tool(1, claiming: ["dst"])
      $0.run.volatile["dst2"] = TreeSnapshot()
    },
    Sample("exit 0 for one destination and it lies", ["truth"], destinations: ["dst", "dst2"]) {
      $0.run.expectations = [.sound]
      $0.run.tool(1, claiming: ["dst2"])
      $0.run.volatile["dst2"]?.entries[second] = nil
    },
    Sample(
      "exit 1 though nothing was struck: an engine that fails everything",
      ["no false alarm"]
    ) { $0.run.tool(1) },
    Sample("exit 1 where a file should fail", []) {
      $0.run.expectations = [.failed([.suffix(first)], on: nil)]
      $0.rule(.fail([.write], .path(first), .inputOutput, forced: false, .plain))
      $0.run.tool(1)
      $0.run.volatile["dst"]?.entries[first] = nil
    },
    Sample("exit 1 with a part under the final name", ["no impostor"]) {
      $0.run.expectations = [.failed([.suffix(first)], on: nil)]
      $0.run.tool(1)
      $0.run.volatile["dst"]?.entries[first] = .file("part", byteCount: 10)
    },
    Sample("exit 0 where a file should fail, but it was tried again", []) {
      $0.run.expectations = [.failed([.suffix(first)], on: nil)]
      $0.run.tool(0)
    },
    Sample("exit 0 over a script that expects nothing to be written", []) {
      $0.run.expectations = [.refused]
      $0.run.tool(0)
    },
    Sample("a temporary name is left", ["clean"]) {
      $0.run.tool(0)
      $0.run.volatile["dst"]?.entries["CLIP/.C0001.MP4.AbCdEf"] = .file("part")
    },
    Sample("what stood there before is another now", ["nothing harmed"]) {
      $0.before["dst"]?.entries[first] = .file("old")
      $0.run.tool(0)
    },
    Sample("a time of the source is set", ["source untouched"]) {
      $0.run.tool(0)
      $0.run.volatile["src"]?.entries[first]?.modification = 99
    },
    Sample("alive at its deadline", ["bounded"]) {
      $0.run.tool(0, claiming: [])
      $0.run.ending = .deadline
    },
    Sample("exit 0 after it was to be interrupted", ["expectation"]) {
      $0.run.expectations = [.interrupted]
      $0.run.tool(0)
    },
    Sample("killed by a rule", []) {
      $0.run.expectations = [.interrupted]
      $0.run.tool(0, claiming: [])
      $0.run.ending = .signalled(9, byRig: true)
    },
    Sample("exit 1, since the volume has no links and the source has some", []) {
      $0.personas["dst"] = .test(links: false)
      $0.before["src"]?.entries[first]?.inode = 5
      $0.before["src"]?.entries[second]?.inode = 5
      $0.run.volatile["src"] = $0.before["src"]
      $0.run.tool(1)
      $0.run.volatile["dst"]?.entries[second] = nil
    },
    Sample("exit 1 on a volume with links", ["no false alarm"]) {
      $0.before["src"]?.entries[first]?.inode = 5
      $0.before["src"]?.entries[second]?.inode = 5
      $0.run.volatile["src"] = $0.before["src"]
      $0.run.tool(1)
    },
  ]

  @Test(
    "tools: of a source that changed, the old and the new state are right, a shorter one is not",
    arguments: [
      ("old", UInt64(100), "new", UInt64(100), true), ("new", 100, "new", 100, true),
      ("mixed", 100, "new", 100, false), ("new", 120, "new", 120, true),
      ("new", 50, "new", 50, false), ("old", 100, "new", 50, true),
    ])
  func changed(copy: String, size: UInt64, after: String, newSize: UInt64, isRight: Bool) {
    var builder = CaseBuilder()
    builder.before["src"]?.entries[first] = .file("old")
    builder.run.volatile["src"]?.entries[first] = .file(after, byteCount: newSize)
    builder.run.volatile["dst"]?.entries[first] = .file(copy, byteCount: size)
    builder.act(.changed, "src", first)
    builder.run.expectations = [.sound]
    builder.run.tool(0)
    #expect(builder.finders.contains("truth") == !isRight)
  }

  @Test("tools: a file that vanished from the source while it was copied is a loss after exit 0")
  func vanished() {
    var builder = CaseBuilder()
    builder.run.volatile["src"]?.entries[first] = nil
    builder.run.volatile["dst"]?.entries[first] = nil
    builder.act(.changed, "src", first)
    builder.run.expectations = [.sound]
    builder.run.tool(0)
    #expect(builder.finders == ["truth"])
  }

  /// Two runs of a tool with a power cut between them that leaves `tree` of the destination.
  private func cut(leaving edit: (inout TreeSnapshot) -> Void) -> Set<String> {
    var builder = CaseBuilder()
    builder.run.tool(0)
    var again = builder.run
    var between = again.volatile
    var tree = between["dst"] ?? TreeSnapshot()
    edit(&tree)
    between["dst"] = tree
    again.before = between
    builder.runs.append(again)
    builder.act(.ejected, "dst")
    return builder.finders
  }

  @Test("tools: what exit 0 claimed must outlive the power cut that follows")
  func powerCut() {
    #expect(cut { _ in } == [])
    #expect(cut { $0.entries[first] = nil } == ["truth"])
  }

  @Test("tools: a run may replace what an earlier run of it left, and nothing else")
  func ownLeftovers() {
    var builder = CaseBuilder()
    builder.run.expectations = [.interrupted]
    builder.run.tool(0, claiming: [])
    builder.run.ending = .signalled(9, byRig: true)
    var again = CaseBuilder().run
    again.tool(0)
    again.before = builder.run.volatile
    again.before?["dst"]?.entries[first] = .file("part")
    builder.run.volatile["dst"]?.entries[first] = .file("part")
    builder.runs.append(again)
    #expect(builder.finders == ["no impostor"])
    builder.before["dst"]?.entries[first] = .file("part")
    #expect(builder.finders.contains("nothing harmed"))
  }

  @Test("tools: what the exit code does not claim is a note")
  func notes() {
    var builder = CaseBuilder()
    builder.before["src"]?.entries["CLIP/p"] = TreeEntry(kind: .fifo)
    builder.run.volatile["src"] = builder.before["src"]
    builder.run.tool(0)
    let notes = Judge.judgement(builder.artefacts).notes
    #expect(notes.contains { $0.contains("not copied, and no regular file: CLIP/p (fifo)") })
    #expect(notes.contains { $0.contains("not on the medium when it ended with exit 0") })
  }
}
