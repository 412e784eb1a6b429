import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// stress-ng on a volume without faults, and with one that it must see.
  @Suite struct Stressors {
    private static let program: BytePath = "/usr/bin/stress-ng"
    typealias Scratch = TesterScratch

    /// Bogo operations by stressor, and what went wrong.
    private struct Result {
      var counts: [String: Int] = [:]
      var complaints: [String] = []
    }

    private static func stress(_ names: [String], _ scratch: Scratch) throws -> Result {
      let report = scratch.output()
      let seconds = Scratch.factor > 1 ? Scratch.factor : nil
      let end = try scratch.run(
        program,
        Stressor.arguments(
          Set(names), at: scratch.place.escaped, report: report.escaped, seconds: seconds),
        within: .seconds(90 + 2 * Scratch.factor))
      var result = Result()
      if end.status != .exited(0) { result.complaints.append("\(String(describing: end.status))") }
      result.complaints += end.text.split(separator: "\n").map(String.init)
        .filter { $0.contains("fail:") || $0.contains("error:") }
      var name: String?
      let text = String(decoding: try FileSystem.contents(of: report), as: UTF8.self)
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 3, words[1] == "stressor:" { name = String(words[2]) }
        if words.count == 2, words[0] == "bogo-ops:", let name {
          result.counts[name, default: 0] += Int(words[1]) ?? 0
        }
      }
      return result
    }

    /// In groups, so that those that turn in circles leave the others some of the cores.
    private static let groups: [[String]] = {
      let factor = TesterScratch.factor
      let runs = Stressor.all.filter { $0.operations != nil && !($0.isLong && factor < 10) }
      let timed = runs.filter { $0.operations == 0 }.map(\.name)
      let counted = runs.filter { $0.operations != 0 }.map(\.name)
      let width = factor > 1 ? 4 : 12
      return stride(from: 0, to: counted.count, by: width).map {
        Array(counted[$0..<min($0 + width, counted.count)])
      } + [timed]
    }()

    @Test(
      "FaultFS without faults passes stress-ng's file-system stressors, and each does something",
      arguments: Scratch.Store.allCases)
    func stressors(store: Scratch.Store) throws {
      let scratch = try Scratch(store)
      var counts: [String: Int] = [:]
      for group in Self.groups {
        let result = try Self.stress(group, scratch)
        #expect(result.complaints.isEmpty)
        counts.merge(result.counts) { $0 + $1 }
      }
      let idle = Self.groups.joined().filter { counts[$0, default: 0] == 0 }
      #expect(idle.isEmpty)
      #expect(counts.count >= 20)
      // What stressors left would be a file that could not be removed.
      #expect(try PinnedDirectory.open(scratch.place).list().isEmpty)
      try scratch.end()
    }

    @Test(
      "stress-ng sees a volume that is broken",
      arguments: [
        ("readahead", "corrupt read dst:** as junk always"),
        ("copy-file", "corrupt read dst:** as junk always"),
        ("readahead", "drop write dst:** every 3 always"),
        ("msync", "drop write dst:** every 3 always"),
        ("utime", "drop setattr.times dst:** always"),
        ("mknod", "fail unlink dst:** with EIO always"),
        ("dir", "fail mkdir dst:** with EIO always"),
      ])
    func broken(stressor: String, rule: String) throws {
      let scratch = try Scratch(.memory, rules: [rule])
      #expect(!(try Self.stress([stressor], scratch)).complaints.isEmpty)
      #expect(try scratch.rig.client.status().fired[0] ?? 0 > 0)
      try scratch.end()
    }

    @Test("The table names every stressor of the class, and docs/tester.md has the same rows")
    func table() throws {
      let scratch = try Scratch(.memory)
      let end = try scratch.run(Self.program, ["--class", "filesystem?"], within: .seconds(10))
      let offered = try #require(
        end.text.split(separator: "\n").first { $0.contains("stressors:") })
      let names = try #require(offered.split(separator: ":").last).split(separator: " ")
      #expect(names.count > 20)
      let known = Set(Stressor.all.map(\.name))
      #expect(names.filter { !known.contains(String($0)) }.isEmpty)
      #expect(Stressor.all.count == known.count)
      let root = try #require(BytePath("\(#filePath)").parent?.parent?.parent?.parent)
      let page = String(
        decoding: try FileSystem.contents(of: root.appending("docs/tester.md")), as: UTF8.self)
      let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
      #expect(rows == Stressor.all.map(\.row))
      try scratch.end()
    }
  }
}
