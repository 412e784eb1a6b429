import FaultModel
import Glibc
import SystemIO
import Testing
import Wire

@testable import FaultFS

extension MountTests {
  /// Gate mode, limits and copies between volumes, with real processes.
  @Suite struct Gate {
    /// The requests of a gated case, in their order. Reports have the time in their names.
    private static func requests(_ fixture: RunFixture, seed: Int, into report: String) throws
      -> [String]
    {
      let end = try fixture.run("fault", "t", "--gated", "--seed", "\(seed)", "--report", report)
      #expect(end.status == .exited(1), "\(end.output)")
      let folder = try #require(
        try fixture.report(BytePath(report))["cases"]?[0]?["folder"]?.text)
      return try fixture.text(BytePath("\(report)/\(folder)/trace.jsonl")).split(separator: "\n")
        .compactMap { line in
          let record = try JSON.parse(Array(line.utf8))
          let request = record["request"]?.text ?? ""
          if request.contains("Reports") { return nil }
          return "\(record["volume"]?.text ?? "") \(request) \(record["result"]?.text ?? "")"
        }
    }

    @Test(
      "gate mode: one seed gives an engine with threads one order of requests, another one another",
      .enabled(if: geteuid() == 0, "the order between requests is held by a policy that needs root")
    )
    func order() throws {
      let fixture = try RunFixture(
        """
        case "two destinations"
          volume dst2 persona ext4 capacity 16MiB
          expect refused

        """)
      let first = try Self.requests(fixture, seed: 7, into: "first")
      #expect(first.count > 100)
      #expect(try Self.requests(fixture, seed: 7, into: "again") == first)
      #expect(try Self.requests(fixture, seed: 8, into: "other") != first)
      #expect(try fixture.leftovers() == [])
    }

    @Test("gate mode: several processes at once all come to their end")
    func processes() throws {
      let rig = try RigFixture()
      let text = RigProcess.script("volume dst persona ext4 capacity 64MiB")
      let library = CardLibrary(folders: [try RigFixture.cards()])
      let script = try ScriptLoader(cards: library).load(Array(text.utf8), name: "test")
      let places = try rig.client.load(script, caseIndex: 0, gated: true)
      let from = try #require(places.first { $0.name == "src" }).mountPoint
      let to = try #require(places.first { $0.name == "dst" }).mountPoint
      let words = "read -r go; for i in 1 2 3; do cp -r \(from) \(to)/$i & done; wait"
      let pipe = try FileDescriptor.pipe()
      var shell = try ChildProcess.spawn(
        ChildProcess.Command("/bin/sh", [Array("-c".utf8), Array(words.utf8)]),
        descriptors: [(pipe.reading.rawValue, 0)])
      try rig.client.beginRun(processID: shell.pid)
      try pipe.writing.writeAll(Array("go\n".utf8))
      #expect(try shell.wait(timeout: .seconds(60)) == .exited(0))
      try rig.client.endRun(claimed: true)
      let source = try rig.client.snapshot("src", .volatile).files.count
      #expect(try rig.client.snapshot("dst", .volatile).files.count == 3 * source)
      try rig.end()
    }

    @Test("run two at once: two processes, each with its own report")
    func two() throws {
      let fixture = try RunFixture(
        "case \"two\"\n  run two at once\n  expect refused\n")
      let end = try fixture.run("fault", "t", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      let folder = try #require(try fixture.report()["cases"]?[0]?["folder"]?.text)
      let log = try fixture.text(BytePath("report/\(folder)/subject.log"))
      #expect(log.contains("== run 1: exited") && log.contains("== run 2: exited"))
    }

    @Test("insert as: the mount shows the other medium, and the first one comes back as it was")
    func insertAs() throws {
      let rig = try RigFixture()
      let place = try #require(
        try rig.load(
          RigProcess.script(
            "volume dst persona ext4 capacity 64MiB\nvolume other persona ext4 capacity 64MiB"
          )
          .replacingOccurrences("expect verified", "given other \"x\" bytes 5\n  expect sound"))[
            "dst"])
      try rig.client.eject("dst")
      try rig.client.insert("dst", as: "other")
      #expect(try PinnedDirectory.open(place).list().map(\.name) == ["x"])
      try PinnedDirectory.open(place).openFile("y", .writeOnly, options: .create).close()
      #expect(try rig.client.snapshot("other", .volatile)["y"] != nil)
      try rig.client.eject("dst")
      try rig.client.insert("dst")
      #expect(try PinnedDirectory.open(place).list().isEmpty)
      try rig.end()
    }

    @Test("limit and stop: the kernel has them in force before the subject begins")
    func limits() throws {
      let rig = try RigFixture()
      let text = RigProcess.script("volume dst persona ext4 capacity 64MiB")
        .replacingOccurrences(
          "expect verified",
          "limit subject descriptors 33\n  stop subject for 300ms\n  expect sound")
      try rig.load(text)
      try rig.client.arm(ruleIDs: [0, 1])
      var sleeper = try ChildProcess.spawn(ChildProcess.Command("/bin/sleep", [Array("60".utf8)]))
      try rig.client.beginRun(processID: sleeper.pid)
      let limits = try FileSystem.contents(of: BytePath("/proc/\(sleeper.pid)/limits"))
      #expect(String(decoding: limits, as: UTF8.self).contains("Max open files            33 "))
      func state() -> String {
        let text = (try? FileSystem.contents(of: BytePath("/proc/\(sleeper.pid)/status"))) ?? []
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
          .first { $0.hasPrefix("State:") }.map(String.init) ?? ""
      }
      #expect(eventually { state().contains("T (stopped)") })
      #expect(eventually { state().contains("S (sleeping)") })
      #expect(try rig.client.status().fired == [0: 1, 1: 1])
      try sleeper.kill(.kill)
      _ = try sleeper.wait()
      try rig.client.endRun(claimed: false)
      try rig.end()
    }

    @Test(
      "copy_file_range between two volumes of one mount is struck as such",
      arguments: ["short copyrange dst:** bytes 100", "drop copyrange dst:**"])
    func copies(rule: String) throws {
      let rig = try RigFixture()
      let text = RigProcess.script("volume dst persona ext4 capacity 64MiB inside src")
        .replacingOccurrences("expect verified", "\(rule)\n  expect sound")
      let places = try rig.load(text)
      try rig.client.arm(ruleIDs: [0])
      let planned = try rig.client.snapshot("src", .volatile).files
      let (path, entry) = try #require(planned.first { $0.entry.byteCount >= 4096 })
      let copy = try #require(places["dst"]).appending("copy")
      // cp of coreutils 9 asks for copy_file_range, and goes on after a short one.
      var process = try ChildProcess.spawn(
        ChildProcess.Command(
          "/bin/cp", [try #require(places["src"]).appending(path).bytes, copy.bytes]))
      #expect(try process.wait(timeout: .seconds(20)) == .exited(0))
      #expect(try rig.client.status().fired == [0: 1])
      let copied = try #require(try rig.client.snapshot("dst", .volatile)["copy"])
      #expect((copied.digest == entry.digest) == rule.hasPrefix("short"))
      try rig.end()
    }
  }
}

extension String {
  fileprivate func replacingOccurrences(_ old: String, _ new: String) -> String {
    guard let range = self.firstRange(of: old) else { return self }
    return self.replacing(range: range, new)
  }

  private func firstRange(of text: String) -> Range<Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
  }

  private func replacing(range: Range<Index>, _ new: String) -> String {
    String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
  }
}
