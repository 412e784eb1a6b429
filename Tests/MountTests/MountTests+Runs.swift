import Glibc
import SystemIO
import Testing
import Wire

@testable import FaultFS

extension MountTests {
  /// `harness fault`, `gate` and `replay`, from the command line to what they leave.
  @Suite struct Runs {
    @Test("harness fault: a pass exits 0, with every file of the report and nothing else left")
    func pass() throws {
      let fixture = try RunFixture("case \"clean\"\n  expect verified\n")
      let end = try fixture.run("fault", "t", "--report", "report")
      #expect(end.status == .exited(0), "\(end.output)")
      #expect(end.output.contains("PASS: 1 pass"))
      let report = try fixture.report()
      #expect(report["summary"]?["exit"]?.int == 0)
      #expect(report["cases"]?[0]?["id"]?.text == "t/clean@standard")
      #expect(report["cases"]?[0]?["caseSeconds"]?.double ?? 0 > 0)
      #expect(try fixture.text("report/junit.xml").contains("tests=\"1\" failures=\"0\""))
      #expect(!fixture.exists("report/cases"))
      #expect(try fixture.leftovers() == [])
    }

    @Test("harness fault: a fail exits 1, is confirmed by a fresh process, and its replay repeats")
    func failAndReplay() throws {
      let fixture = try RunFixture(
        "case \"wrong\"\n  expect refused\ncase \"other\"\n  expect verified\n")
      let end = try fixture.run("fault", "t", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      let failed = try #require(try fixture.report()["cases"]?[0])
      #expect(failed["verdict"]?.text == "fail")
      #expect(failed["repeats"]?.text == "2/2")
      let folder = try #require(failed["folder"]?.text)
      for name in ["replay.json", "trace.jsonl", "subject.log", "before.txt", "after.txt"] {
        #expect(fixture.exists(BytePath("report/\(folder)/\(name)")), "\(name)")
      }
      #expect(try fixture.text(BytePath("report/\(folder)/trace.jsonl")).contains("\"request\""))
      // The file alone must do: without the scripts and cards of the folder.
      try fixture.write("custody-fault 1\n", "FaultScripts/t.fault")
      try fixture.write("", "Fixtures/cards/tiny.card")
      let replayed = try fixture.run("replay", "report/\(folder)/replay.json", "--report", "again")
      #expect(replayed.status == .exited(1), "\(replayed.output)")
      #expect(replayed.output.contains("it repeats: fail then, fail now"))
      #expect(try fixture.leftovers() == [])
    }

    @Test("harness fault: a rule that never fires exits 3")
    func notExercised() throws {
      let fixture = try RunFixture(
        "case \"idle\"\n  fail write dst:~CLIP/C0001.MP4 nth 99 with EIO\n  expect verified\n")
      let end = try fixture.run("fault", "t", "--report", "report")
      #expect(end.status == .exited(3), "\(end.output)")
      #expect(try fixture.report()["cases"]?[0]?["verdict"]?.text == "not exercised")
    }

    @Test("harness fault: a broken engine under its own script exits 1, named as the subject")
    func saboteur() throws {
      let fixture = try RunFixture("case \"clean\"\n  expect verified\n")
      let end = try fixture.run(
        "fault", "t", "--subject", "fails-everything", "--report", "report")
      #expect(end.status == .exited(1), "\(end.output)")
      #expect(try fixture.report()["cases"]?[0]?["subject"]?.text == "fails-everything")
    }

    static let badInput: [(words: [String], code: Int32, says: String)] = [
      (["fault", "exfta"], 2, "named 'exfta'"), (["fault", "t", "--report", "."], 2, "holds"),
      (["fault", "t", "--card", "no-such"], 2, "no card is named 'no-such'"),
      (["fault", "bad"], 2, "bad.fault:3:3: unknown word"),
      (["fault", "nocard"], 2, "no card is named 'none'"),
      (["fault", "t", "--case", "none-such"], 2, "no case to run"),
      (["fault", "t", "--custody", "/bin/true"], 4, "another build"),
      (["fault", "t", "--custody", "/no/such"], 4, "cannot be asked"),
      (["replay", "t"], 2, "replay"), (["gate", "--jobs", "0"], 2, "not between"),
      (["fault", "t", "--explore", "--depth", "0"], 2, "is not between 1 and 2"),
      (["fault", "t", "--explore", "--depth", "3"], 2, "is not between 1 and 2"),
      (["fault", "t", "--explore", "--schedules", "0"], 2, "is not between 1 and"),
      (["fault", "t", "--explore", "--minutes", "0"], 2, "is not between 1 and 10000"),
      (["fault", "t", "--explore", "--minutes", "10001"], 2, "is not between 1 and 10000"),
      (["fault", "t", "--destinations", "4"], 2, "is not between 1 and 3"),
    ]

    @Test("harness: bad input is named, has its exit code and leaves nothing", arguments: badInput)
    func bad(row: (words: [String], code: Int32, says: String)) throws {
      let fixture = try RunFixture("case \"clean\"\n  expect verified\n")
      try fixture.write("custody-fault 1\ncase \"x\"\n  wobble dst\n", "FaultScripts/bad.fault")
      try fixture.write(
        RunFixture.preamble.replacingCard("none") + "case \"x\"\n  expect verified\n",
        "FaultScripts/nocard.fault")
      let end = try fixture.run(row.words)
      #expect(end.status == .exited(row.code), "\(end.output)")
      #expect(end.output.contains(row.says), "\(end.output)")
      #expect(!fixture.exists("custody-runs"))
      #expect(try fixture.leftovers() == [])
    }

    @Test(
      "harness: an interrupt writes the report, cleans up and exits 130 or 143",
      arguments: [
        (Signal.interrupt, Int32(130)), (.terminate, 143),
      ])
    func interrupted(signal: Signal, code: Int32) throws {
      // Held for ever, so that the subject is in the middle of a request when the signal comes.
      let fixture = try RunFixture(
        "case \"first\"\n  hang write dst:** for 1h\n  expect sound\n"
          + "case \"second\"\n  expect verified\n")
      var child = try fixture.start(["fault", "t", "--report", "report"])
      #expect(eventually(within: .seconds(30)) { (try? fixture.leftovers().count) ?? 0 >= 3 })
      usleep(1_000_000)
      try child.kill(signal)
      #expect(try child.wait(timeout: .seconds(30)) == .exited(code))
      let summary = try #require(try fixture.report()["summary"])
      #expect(summary["signal"]?.int == Int(signal.rawValue))
      #expect(summary["notRun"]?.int == 2)
      #expect(try fixture.text("report/junit.xml").contains("interrupted by signal"))
      #expect(eventually { (try? fixture.leftovers()) == [] })
    }

    @Test("harness fault: a rig that dies makes its case broken, the next one gets a new rig")
    func rigDies() throws {
      let fixture = try RunFixture(
        "case \"first\"\n  hang write dst:** for 1h\n  expect sound\n"
          + "case \"second\"\n  expect verified\n")
      var child = try fixture.start(["fault", "t", "--report", "report"])
      #expect(eventually(within: .seconds(30)) { Self.rig(of: child.pid) != nil })
      usleep(1_500_000)
      let rig = try #require(Self.rig(of: child.pid))
      #expect(Glibc.kill(rig, SIGKILL) == 0)
      #expect(try child.wait(timeout: .seconds(60)) == .exited(4))
      let cases = try #require(try fixture.report()["cases"])
      #expect(cases[0]?["verdict"]?.text == "broken")
      #expect(cases[1]?["verdict"]?.text == "pass")
      #expect(try fixture.leftovers() == [])
    }

    /// The rig that a command has started.
    private static func rig(of parent: Int32) -> Int32? {
      guard let processes = try? PinnedDirectory.open("/proc").list() else { return nil }
      for name in processes.compactMap(\.name.utf8) {
        guard let pid = Int32(name), let status = line("/proc/\(name)/stat"),
          let words = line("/proc/\(name)/cmdline")?.split(separator: "\0"), words.count > 1
        else { continue }
        let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
        if fields.count > 1, Int32(fields[1]) == parent, words[1] == "rig" { return pid }
      }
      return nil
    }

    private static func line(_ path: String) -> String? {
      (try? FileSystem.contents(of: BytePath(path))).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("harness gate: a stale allowed line fails a whole gate, an excused case does not")
    func allowed() throws {
      let fixture = try RunFixture(
        "case \"wrong\"\n  expect refused\ncase \"clean\"\n  expect verified\n")
      try fixture.write(
        "t/wrong@standard fail \"known\" needs \"a fix\"\n", "FaultScripts/allowed")
      let excused = try fixture.run("gate", "--report", "a")
      #expect(excused.status == .exited(0), "\(excused.output)")
      #expect(try fixture.report("a")["summary"]?["allowed"]?.int == 1)
      #expect(try fixture.text("a/junit.xml").contains("<skipped"))
      try fixture.write(
        "t/wrong@* fail \"known\" needs \"a fix\"\nt/clean@standard fail \"old\" needs \"x\"\n",
        "FaultScripts/allowed")
      let stale = try fixture.run("gate", "--report", "b")
      #expect(stale.status == .exited(1), "\(stale.output)")
      #expect(stale.output.contains("t/clean@standard passes, take the line out"))
    }

    @Test("harness fault --json: standard output is the events, one JSON object a line")
    func json() throws {
      let fixture = try RunFixture("case \"clean\"\n  expect verified\n")
      let end = try fixture.run("fault", "t", "--json", "--quiet", "--report", "report")
      #expect(end.status == .exited(0))
      let lines = end.output.split(separator: "\n").filter { $0.hasPrefix("{") }
      #expect(
        try lines.map { try JSON.parse(String($0))["event"]?.text } == [
          "runStarted", "caseStarted", "caseFinished", "runFinished",
        ])
      #expect(try fixture.text("report/events.jsonl").split(separator: "\n") == lines)
    }

    @Test("harness: default report folders have a stamp and a link to the latest")
    func defaultFolder() throws {
      let fixture = try RunFixture("case \"clean\"\n  expect verified\n")
      for _ in 0..<2 { #expect(try fixture.run("fault", "t").status == .exited(0)) }
      let runs = try PinnedDirectory.open(fixture.folder.appending("custody-runs"))
      let names = try runs.list().map(\.name).sorted()
      #expect(names.count == 3)
      let latest = try runs.readLink("latest")
      #expect(names.contains(latest) && latest.escaped.contains("-fault"))
    }
  }
}

extension String {
  fileprivate func replacingCard(_ name: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0 == "card tiny" ? "card \(name)" : String($0) }.joined(separator: "\n")
  }
}
