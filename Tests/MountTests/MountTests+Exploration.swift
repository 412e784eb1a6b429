import SystemIO
import Testing
import Wire

extension MountTests {
  /// `harness fault --explore` and `harness shrink`, from the command to what they leave.
  @Suite("Exploration")
  struct Exploration {
    /// Verdicts that somebody must act on; a class need not show each pass.
    private static let bad: Set<String> = ["failed", "notExercised", "other"]

    private static let head = """
      custody-fault 1
      card empty
      volume src persona ext4 capacity 32MiB
      volume dst persona ext4 capacity 32MiB

      """

    @Test(
      "the plan reaches every operation of nested folders, an empty and a large file, two copies")
    func reach() throws {
      let fixture = try RunFixture()
      try fixture.write(
        Self.head + """
          volume dst2 persona exfat-linux capacity 32MiB
          case "clean"
            given src "A/B/C/large.mov" bytes 5MiB
            given src "A/B/empty.xml" bytes 0
            expect verified

          """, "FaultScripts/t.fault")
      let end = try fixture.run(
        "fault", "t", "--explore", "--schedules", "40", "--report", "report")
      #expect(end.status == .exited(0), "\(end.output)")
      let explored = try #require(try fixture.report()["exploration"])
      let recorded = (explored["recorded"]?.object ?? []).map(\.key).sorted()
      let planned = (explored["matrix"]?.object ?? []).map(\.key).sorted()
      #expect(recorded == planned)
      #expect(recorded.contains("rename") && recorded.contains("fsyncdir"))
      #expect(explored["unaddressed"]?.array?.isEmpty == true, "\(explored["unaddressed"] as Any)")
      #expect(explored["run"]?.int == 40)
      #expect(explored["planned"]?.int == 40)
      #expect(try fixture.text("report/coverage.txt").contains("operation x fault"))
    }

    @Test("a lie about the root's kind is over with its case, and the next one finds its source")
    func kinds() throws {
      let fixture = try RunFixture(
        """
        case "lie"
          report stat src:"/" type file
          expect sound
        case "truth"
          expect verified

        """)
      let end = try fixture.run("fault", "t", "--report", "report")
      #expect(end.status == .exited(0), "\(end.output)")
    }

    @Test(
      "one schedule of a class comes to the same as all of it, for an engine that is broken too")
    func pruning() throws {
      func verdicts(_ words: String...) throws -> [String: Set<String>] {
        let fixture = try RunFixture()
        try fixture.write(
          Self.head + """
            case "clean"
              given src "a.mov" bytes 3000
              given src "b.mov" bytes 3000
              expect verified
            explore op fsync,link fault all legal depth 1

            """, "FaultScripts/t.fault")
        _ = try fixture.run(
          ["fault", "t", "--explore", "--subject", "ignores-fsync", "--report", "report"] + words)
        let matrix = try #require(try fixture.report()["exploration"]?["matrix"]?.object)
        var found: [String: Set<String>] = [:]
        for row in matrix {
          for cell in row.value.object ?? [] {
            let kinds = (cell.value.object ?? []).filter { Self.bad.contains($0.key) }
            found["\(row.key) \(cell.key)"] = Set(
              kinds.filter { $0.value.int ?? 0 > 0 }.map(\.key))
          }
        }
        return found
      }
      let pruned = try verdicts()
      #expect(pruned == (try verdicts("--no-prune")))
      #expect(pruned["fsync fail EIO"] == ["failed"])
    }

    @Test("a tool is explored as an engine is, and what its exit 0 hides is a fail")
    func tools() throws {
      let fixture = try RunFixture()
      try fixture.write(
        Self.head + """
          case "clean"
            given src "a.mov" bytes 3000
            expect verified
          explore op write,close fault all legal depth 1

          """, "FaultScripts/t.fault")
      let end = try fixture.run(
        "fault", "t", "--explore", "--tool", "cp -a {src}/. {dst}", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      let explored = try #require(try fixture.report()["exploration"])
      #expect(explored["run"]?.int == explored["planned"]?.int)
      let write = explored["matrix"]?["write"]
      // It reads nothing back.
      #expect(write?["corrupt flip"]?["failed"]?.int ?? 0 > 0, "\(write as Any)")
    }

    @Test("a sweep over crash states shrinks to a screen with the one state that fails")
    func shrinkCrash() throws {
      let fixture = try RunFixture()
      try fixture.write(
        Self.head + """
          volume dst2 persona ext4 capacity 32MiB
          case "the power goes"
            given src "A/one.mov" bytes 6000
            given src "B/two.mov" bytes 3000
            given dst2 "old.txt" bytes 10
            delay write dst2:** for 1ms nth 1 maybe
            crash dst at every op keep subsets
            expect recovery

          """, "FaultScripts/t.fault")
      let end = try fixture.run(
        "fault", "t", "--subject", "publishes-unsynced", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      let folder = try #require(try fixture.report()["cases"]?[0]?["folder"]?.text)
      let shrunk = try fixture.run(
        "shrink", "report/\(folder)/replay.json", "--output", "FaultScripts/small.fault")
      #expect(shrunk.status == .exited(0), "\(shrunk.output)")
      let text = try fixture.text("FaultScripts/small.fault")
      #expect(text.split(separator: "\n").count <= 12, "\(text)")
      let crash = text.split(separator: "\n").first { $0.contains("crash dst") } ?? ""
      #expect(crash.contains(" after ") && !crash.contains("every op"), "\(text)")
      #expect(!crash.contains("subsets") && !text.contains("dst2"), "\(text)")
      let again = try fixture.run(
        "fault", "small", "--subject", "publishes-unsynced", "--report", "again")
      #expect(again.status == .exited(1), "\(again.output)")
    }

    @Test("a failing case shrinks to a screen and still fails for the same cause")
    func shrink() throws {
      let fixture = try RunFixture()
      try fixture.write(
        Self.head + """
          volume dst2 persona ext4 capacity 32MiB
          case "much around one failure"
            given src "A/one.mov" bytes 70000
            given src "A/two.mov" bytes 3000
            given src "B/three.mov" bytes 200000
            given src "B/C/four.mov" bytes 1
            given dst2 "old.txt" bytes 10
            short read src:** bytes 1000 every 2 maybe
            delay write dst2:** for 1ms nth 1 maybe
            fail fsync dst:~"A/two.mov" with EIO always
            expect failed two.mov on dst

          """, "FaultScripts/t.fault")
      let end = try fixture.run("fault", "t", "--subject", "ignores-fsync", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      let failed = try #require(try fixture.report()["cases"]?[0])
      let folder = try #require(failed["folder"]?.text)
      let shrunk = try fixture.run(
        "shrink", "report/\(folder)/replay.json", "--output", "FaultScripts/small.fault")
      #expect(shrunk.status == .exited(0), "\(shrunk.output)")
      let text = try fixture.text("FaultScripts/small.fault")
      #expect(text.split(separator: "\n").count <= 12, "\(text)")
      #expect(!text.contains("dst2") && !text.contains("three.mov") && !text.contains("short"))
      let again = try fixture.run(
        "fault", "small", "--subject", "ignores-fsync", "--report", "again")
      #expect(again.status == .exited(1), "\(again.output)")
      let oracle = failed["findings"]?[0]?["oracle"]?.text
      let same = try fixture.report("again")["cases"]?[0]?["findings"]?[0]?["oracle"]?.text
      #expect(oracle == same && oracle != nil)
    }
  }
}
