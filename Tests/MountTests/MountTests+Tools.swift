import Glibc
import SystemIO
import Testing
import Wire

@testable import FaultFS

extension MountTests {
  /// `--tool` and `harness league`, from the command line to what they say and leave.
  @Suite struct Tools {
    private static let ext4 = "  volume dst persona ext4 capacity 16MiB\n"

    /// One that cp passes, one of its bold cells, one that never meets it.
    private static let cases = """
      case "clean"
        \(ext4)  expect verified
      case "a bit flips"
        \(ext4)  corrupt write dst:~CLIP/C0002.MP4 as flip
        expect failed C0002.MP4
      case "fsync"
        \(ext4)  fail fsync dst:~CLIP/C0002.MP4 with EIO
        expect failed C0002.MP4

      """

    @Test("league: cp is right, loses in silence and is not met, and that is no failure")
    func league() throws {
      let fixture = try RunFixture(Self.cases)
      let end = try fixture.run(
        "league", "t", "--tools", "cp", "--json", "--quiet", "--report", "report")
      #expect(end.status == .exited(0), "\(end.output)")
      let table = try JSON.parse(Array(end.output.utf8))
      func cell(_ slug: String, _ subject: String) -> String? {
        let row = table["cases"]?.array?.first { $0["id"]?.text == "t/\(slug)" }
        return row?["outcomes"]?[subject]?["outcome"]?.text
      }
      #expect(cell("clean", "cp") == "right" && cell("clean", "offload") == "right")
      #expect(cell("a-bit-flips", "cp") == "silent loss")
      #expect(cell("a-bit-flips", "offload") == "clean error")
      #expect(cell("fsync", "cp") == "not exercised" && cell("fsync", "offload") == "clean error")
      #expect(table["contestants"]?[1]?["identity"]?.text?.contains("coreutils") == true)
      let report = try fixture.report()
      #expect(report["summary"]?["exit"]?.int == 0)
      #expect(report["cases"]?.array?.count == 6)
      #expect(try fixture.leftovers() == [])
    }

    @Test("tools: a silent loss exits 1, and its replay has the command and repeats it")
    func replay() throws {
      let fixture = try RunFixture(Self.cases)
      let end = try fixture.run(
        "fault", "t", "--tool", "cp -a '{src}'/. {dst}/", "--case", "a-bit-flips", "--report",
        "report")
      #expect(end.status == .exited(1), "\(end.output)")
      #expect(end.output.contains("exit 0 claims dst:CLIP/C0002.MP4, but it has other bytes"))
      let file = "report/cases/t/a-bit-flips@tool/replay.json"
      let saved = try JSON.parse(Array(try fixture.text(BytePath(file)).utf8))
      #expect(saved["tool"]?["command"]?.text == "cp -a '{src}'/. {dst}/")
      #expect(saved["tool"]?["version"]?.text?.contains("coreutils") == true)
      let again = try fixture.run("replay", file, "--report", "again")
      #expect(again.status == .exited(1), "\(again.output)")
      #expect(again.output.contains("it repeats: fail then, fail now"))
    }

    @Test(
      "tools: exit 0 is judged on the medium where it promises that, and the run says which",
      arguments: [
        ("cp", [], true), ("cp", ["--durable"], false), ("cp-sync", [], true),
        ("sleep 0; cp -a {src}/. {dst}/ && sync -f {dst}", ["--shell", "--durable"], false),
      ] as [(String, [String], Bool)])
    func layers(tool: String, options: [String], holds: Bool) throws {
      let fixture = try RunFixture("case \"clean\"\n\(Self.ext4)  expect verified\n")
      let end = try fixture.run(["fault", "t", "--report", "report", "--tool", tool] + options)
      #expect(end.status == .exited(holds ? 0 : 1), "\(end.output)")
      let isOnMedium = tool == "cp-sync" || !options.isEmpty
      let word = isOnMedium ? "judged on the medium" : "judged as everybody sees it"
      #expect(end.output.contains(word))
      #expect(end.output.contains("not durable: exit 0 came before") == !holds)
      if holds { return }
      let replay = "report/cases/t/clean@\(tool == "cp" ? "cp" : "tool")/replay.json"
      let again = try fixture.run("replay", replay, "--report", "again")
      #expect(again.status == .exited(1) && again.output.contains("it repeats"), "\(again.output)")
    }

    @Test("tools: one that does nothing, and one that fails everything, are caught")
    func negatives() throws {
      let fixture = try RunFixture(Self.cases)
      for (tool, words) in [
        ("true {src} {dst}", "truth: exit 0 claims"), ("false {src} {dst}", "no false alarm"),
        ("sleep 100 # {src} {dst}", "bounded"), ("touch {src}/x {dst}/y", "source untouched"),
      ] {
        var arguments = ["fault", "t", "--tool", tool, "--case", "clean", "--report", "report"]
        if tool.hasPrefix("sleep") { arguments += ["--shell", "--deadline", "1s"] }
        let end = try fixture.run(arguments)
        #expect(end.status == .exited(1), "\(tool): \(end.output)")
        #expect(end.output.contains(words), "\(tool): \(end.output)")
      }
      #expect(try fixture.leftovers() == [])
    }

    @Test("tools: every destination is filled, one after the other or all at once")
    func destinations() throws {
      let fixture = try RunFixture(
        "case \"two\"\n\(Self.ext4)  volume dst2 persona ext4 capacity 16MiB\n  expect verified\n")
      for tool in ["cp -a {src}/. {dst}/", "cp -a {src}/. {dst}/ && cp -a {src}/. {dst2}/"] {
        let shell = tool.contains("&&") ? ["--shell"] : []
        let end = try fixture.run(["fault", "t", "--tool", tool, "--report", "report"] + shell)
        #expect(end.status == .exited(0), "\(tool): \(end.output)")
      }
      let half = try fixture.run(
        "fault", "t", "--shell", "--tool", "cp -a {src}/. {dst}/ # {dst2}", "--report", "report")
      #expect(half.status == .exited(1), "\(half.output)")
      #expect(half.output.contains("exit 0 claims dst2:CLIP/C0001.MP4, but it is not there"))
    }

    @Test("tools: a wrong command line exits 2, a missing tool 3 with its name")
    func refused() throws {
      let fixture = try RunFixture(Self.cases)
      for (words, text) in [
        (["--tool", "cp {src} {dts}"], "'{dts}' is no place"), (["--shell"], "--shell"),
        (["--tool", "rsnyc"], "Did you mean rsync"),
        (["--tool", "cp", "--mode", "standard"], "no --mode"),
        (["--tool", "cp", "--as", "no-such-user"], "no user"),
      ] {
        let end = try fixture.run(["fault", "t"] + words)
        #expect(end.status == .exited(2), "\(words): \(end.output)")
        #expect(end.output.contains(text), "\(words): \(end.output)")
      }
      for words in [
        ["--tool", "no-such-tool {src} {dst}"], ["--shell", "--tool", "no-such-tool {src} {dst}"],
      ] {
        let end = try fixture.run(["fault", "t", "--report", "report"] + words)
        #expect(end.status == .exited(3), "\(words): \(end.output)")
        #expect(end.output.contains("no-such-tool"), "\(end.output)")
      }
    }

    @Test(
      "tools: a child that outlives its tool is seen, and gone",
      .enabled(if: getuid() == 0, "needs root for namespaces"))
    func survivors() throws {
      let fixture = try RunFixture(Self.cases)
      let end = try fixture.run(
        "fault", "t", "--case", "clean", "--report", "report", "--shell", "--tool",
        "cp -a {src}/. {dst}/; setsid sleep 4321 >/dev/null 2>&1 &")
      #expect(end.status == .exited(1), "\(end.output)")
      #expect(end.output.contains("left a child process that outlives it"), "\(end.output)")
      var found = try ChildProcess.spawn(
        ChildProcess.Command("/usr/bin/pgrep", ["-f", "sleep 4321"].map { Array($0.utf8) }))
      #expect(try found.wait() == .exited(1))
    }

    @Test(
      "tools: what is written after an ejection is found in the bare folder",
      .enabled(if: getuid() == 0, "needs root for namespaces"))
    func ejection() throws {
      let fixture = try RunFixture(
        "case \"pulled\"\n\(Self.ext4)  eject dst at 50%\n  expect failed all\n"
          + "case \"next\"\n\(Self.ext4)  fail open src:CLIP/C0001.MP4 with EACCES always\n  expect sound\n"
      )
      let end = try fixture.run(
        "fault", "t", "--report", "report", "--shell", "--tool",
        "cp -a {src}/. {dst}/; [ -e {dst}/CLIP ] || mkdir {dst}/late; exit 1")
      #expect(end.status == .exited(1), "\(end.output)")
      #expect(end.output.contains("outside the volumes: dst: late"), "\(end.output)")
      // It is not held against the case after it on the same rig.
      #expect(end.output.contains("1 fail, 1 pass"), "\(end.output)")
      #expect(try fixture.leftovers() == [])
    }

    @Test(
      "tools: modes bar an ordinary user, and block a case that root would pass",
      .enabled(if: getuid() == 0, "needs root to become another user"))
    func modes() throws {
      let fixture = try RunFixture(
        "case \"closed\"\n\(Self.ext4)  given src \"closed.mov\" bytes 10 mode 000\n"
          + "  expect failed closed.mov\n"
          + "case \"open\"\n\(Self.ext4)  expect verified\n")
      let root = try fixture.run("fault", "t", "--tool", "cp", "--report", "report")
      #expect(root.status == .exited(3), "\(root.output)")
      #expect(root.output.contains("--as USER"))
      let user = try fixture.run(
        "fault", "t", "--tool", "cp", "--as", "nobody", "--report", "report")
      #expect(user.status == .exited(0), "\(user.output)")
      let endings = try fixture.report()["cases"]?.array?.map { $0["endings"]?[0]?.text }
      #expect(endings == ["exit 1", "exit 0"], "the volumes are the user's own")
    }
  }
}
