import SystemIO
import Testing
import Wire

@testable import Bench

/// The bench with scripts in the engine's place, on trees of a few files.
@Suite(.enabled("cp, rsync and xxh128sum must be there", { hasTools() }))
struct OffloadBenchTests {
  /// Runs the bench with a script that gets `copy SOURCE --to TARGET --mode standard`.
  private static func run(_ script: String) throws -> (lines: [String], result: JSON) {
    let root = try #require(BytePath(#filePath).parent?.parent?.parent)
    let folder = root.appending(".build/scratch").appending(BytePath("bench-\(RandomID())"))
    try FileSystem.makeDirectories(folder)
    let custody = folder.appending("custody")
    let file = try FileDescriptor.open(
      custody, .writeOnly, options: .exclusiveCreate, mode: 0o755)
    try file.writeAll(Array("#!/bin/sh\n\(script)\n".utf8))
    try file.close()
    defer { Self.remove(folder) }
    let settings = Bench.Settings(
      custody: custody, folder: folder, rounds: 2, largeByteCount: (1 << 20) + 5, smallCount: 25,
      dropsAllCaches: false)
    var lines: [String] = []
    let result = try Bench.run("offload", settings) { lines.append($0) }
    let left = try PinnedDirectory.open(try FileSystem.resolve(folder)).list().map(\.name)
    #expect(left == ["custody"], "the work folder is removed")
    return (lines, result)
  }

  private static func remove(_ folder: BytePath) {
    guard let parent = folder.parent, let directory = try? PinnedDirectory.open(parent) else {
      return
    }
    try? BenchTree.remove(folder.lastComponent, from: directory)
  }

  @Test("Every contender copies both trees in every round, and the ratios are of pairs")
  func honest() throws {
    let (lines, result) = try Self.run(#"cp -a "$2/." "$4" && mkdir "$4/Reports""#)
    for tree in ["large", "small"] {
      for contender in ["custody", "cp", "rsync"] {
        let one = result["offload"]?[tree]?[contender]
        #expect(one?["rounds"]?.array?.count == 2)
        let ratio = one?["wallRatio"]?["median"]?.double ?? 0
        #expect(contender == "custody" ? ratio == 1 : ratio > 0)
      }
    }
    #expect(lines.contains { $0.contains("custody's peak memory") })
  }

  @Test("A copier that fails is an error with its last words")
  func failing() {
    #expect {
      _ = try Self.run("echo no such card >&2; exit 3")
    } throws: { error in
      "\(error)".contains("exited(3)") && "\(error)".contains("no such card")
    }
  }

  @Test("A copier that reports success and copies nothing is found out")
  func idle() {
    #expect {
      _ = try Self.run("exit 0")
    } throws: { error in
      "\(error)".contains("reported success and left 0 of 1 files")
    }
  }

  @Test("A name that no bench has is refused with the names there are")
  func unknown() {
    let settings = Bench.Settings(custody: "/x", folder: "/x")
    #expect {
      _ = try Bench.run("nothing", settings) { _ in }
    } throws: { error in
      "\(error)" == "there is no bench nothing; there are " + Bench.names.joined(separator: ", ")
    }
  }
}

private func hasTools() -> Bool {
  ["cp", "rsync", "xxh128sum", "sync", "find"].allSatisfy {
    (try? Tool(named: $0, [])) != nil
  }
}
