import Glibc
import SystemIO
import Testing
import Wire

extension IntegrationTests {
  /// `custody` as a user runs it.
  @Suite("The command custody")
  struct CommandTests {
    @Test("a card on a real disk is verified, told in words and as events")
    func copy() throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let (first, second) = (try scratch.folder("a"), try scratch.folder("b"))
      let told = try Product.custody(["copy", card.path, "--to", first, "--headroom", "0"])
      #expect(told.status == .exited(0), "\(told.output)\(told.errors)")
      #expect(told.output.hasPrefix("VERIFIED: "))
      #expect(told.output.contains("Report: \(first)/Reports/Custody_Report_"))
      try card.expectCopy(first)

      let run = try Product.custody(
        ["copy", card.path, "--to", second, "--headroom", "0", "--json", "--mode", "thorough"])
      #expect(run.status == .exited(0), "\(run.output)\(run.errors)")
      #expect(run.errors.isEmpty)
      let rows = try run.events("row")
      #expect(rows.count == card.layout.fileCount)
      #expect(rows.allSatisfy { $0["digests"]?["md5"] != nil && $0["outcome"] == "verified" })
      #expect(try run.events("finished").first?["exit"] == 0)
      try card.expectCopy(second)
    }

    @Test(
      "a wrong line is exit 2, says why, and leaves nothing",
      arguments: [
        (["copi"], "Did you mean copy?"), (["copy"], "CARD is missing"),
        (["copy", "/"], "--to is missing"), (["copy", "/", "--to"], "--to needs a value"),
        (["copy", "/", "--to", "a", "--mode", "fast"], "is none of standard"),
        (["copy", "/", "--to", "a", "--headroom", "1GB"], "is no size"),
        (["copy", "/", "--to", "a", "--volume-facts", "missing"], "No such file"),
        (["copy", "/", "--to", "a", "--volume-facts", "bad"], "JSON, byte 1"),
        (["serve", "--fd", "77"], "is not open"),
      ] as [([BytePath], String)])
    func wrongLine(arguments: [BytePath], message: String) throws {
      let scratch = try Scratch()
      try scratch.file("bad", Array("{volumes".utf8))
      let run = try Product.custody(arguments, directory: scratch.path)
      #expect(run.status == .exited(2))
      #expect(run.errors.contains(message), "\(run.errors)")
      #expect(run.output.isEmpty)
      #expect(try PinnedDirectory.open(scratch.path).list().count == 1)
    }

    @Test(
      "volume facts are read strictly",
      arguments: [
        (#"{"volumes":{}}"#, "volumes"), (#"{"volumes":[],"x":1}"#, "volumes"),
        (#"{"volumes":[1]}"#, "no object"),
        (#"{"volumes":[{"root":"r","type":"x","level":"cached"}]}"#, "absolute path"),
        (#"{"volumes":[{"root":"/r","type":"x","level":"not read"}]}"#, "level"),
        (#"{"volumes":[{"root":"/r","typ":"x"}]}"#, "unknown member \"typ\""),
        (#"{"volumes":[{"root":"/r","type":"x","level":"cached","inodesLast":1}]}"#, "inodesLast"),
      ])
    func badFacts(text: String, message: String) throws {
      let scratch = try Scratch()
      try scratch.file("facts", Array(text.utf8))
      let run = try Product.custody(
        ["copy", "/", "--to", "a", "--volume-facts", "facts"], directory: scratch.path)
      #expect(run.status == .exited(2))
      #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("a refusal is exit 3, and nothing is written")
    func refusals() throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let empty = try scratch.folder("empty")
      for arguments: [BytePath] in [
        ["copy", card.path, "--to", card.path.appending("DCIM"), "--headroom", "0"],
        ["copy", card.path, "--to", scratch.path.appending("missing"), "--headroom", "0"],
        ["copy", card.path, "--to", empty, "--headroom", "1000000GiB"],
        ["copy", scratch.path.appending("missing"), "--to", empty, "--headroom", "0"],
      ] {
        let run = try Product.custody(arguments)
        #expect(run.status == .exited(3), "\(arguments): \(run.output)\(run.errors)")
        #expect(run.output.contains("REFUSED"))
      }
      try card.expectUntouched()
      #expect(try PinnedDirectory.open(FileSystem.resolve(empty)).list().isEmpty)
    }

    @Test(
      "closed standard descriptors are no place for a copy's bytes or a message",
      arguments: [("<&-", 0), (">&-", 6), ("2>&-", 0), ("<&- >&- 2>&-", 6)] as [(String, Int32)])
    func closedDescriptors(redirection: String, code: Int32) throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let target = try scratch.folder("a")
      let script = "exec \"$0\" copy tiny --to a --headroom 0 \(redirection)"
      let run = try Tool.run(
        "/bin/sh", ["-c", BytePath(script), try Product.path("custody")], directory: scratch.path)
      #expect(run.status == .exited(code), "\(run.output)\(run.errors)")
      try card.expectCopy(target)
      try card.expectUntouched()
    }

    @Test("what a dead run left goes, what only looks like it stays")
    func litter() throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let target = try scratch.folder("a")
      let id = String(repeating: "0f", count: 16)
      // Died before its marker was written, and while it wrote a copy.
      try scratch.file(BytePath("a/.custody-status-\(id)"))
      try scratch.file(BytePath("a/.custody.tmp.\(id)"), [1, 2, 3])
      let others: [BytePath] = [
        ".custody-status-notes", ".custody.tmp.", BytePath("custody.tmp.\(id)"),
      ]
      for name in others { try scratch.file(BytePath("a").appending(name), [4]) }
      let run = try Product.custody(["copy", card.path, "--to", target, "--headroom", "0"])
      #expect(run.status == .exited(0), "\(run.output)\(run.errors)")
      let names = try PinnedDirectory.open(FileSystem.resolve(target)).list().map(\.name)
      #expect(!names.contains(BytePath(".custody-status-\(id)")))
      #expect(!names.contains(BytePath(".custody.tmp.\(id)")))
      for name in others { #expect(names.contains(name), "\(name)") }
    }

    @Test("output that cannot be written is never a success")
    func lostOutput() throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let target = try scratch.folder("a")
      let full = try FileDescriptor.open("/dev/full", .writeOnly)
      var child = try ChildProcess.spawn(
        ChildProcess.Command(
          try Product.path("custody"),
          ["copy", card.path, "--to", target, "--headroom", "0", "--json"].map { $0.bytes }),
        descriptors: [(full.rawValue, 1), (full.rawValue, 2)])
      #expect(try child.wait(timeout: .seconds(30)) == .exited(6))
      try card.expectCopy(target)
    }

    @Test(
      "offload 61: Ctrl-C and SIGTERM stop a copy in good order: a report, and the code that says so",
      arguments: [(Signal.interrupt, Int32(130)), (.terminate, 143)])
    func interrupted(signal: Signal, code: Int32) throws {
      let scratch = try Scratch()
      let card = try Card("sony-m4", in: scratch)
      let target = try scratch.folder("a")
      try scratch.file("out")
      let output = try FileDescriptor.open(scratch.path.appending("out"), .writeOnly)
      var child = try ChildProcess.spawn(
        ChildProcess.Command(
          try Product.path("custody"),
          ["copy", card.path, "--to", target, "--headroom", "0", "--json"].map { $0.bytes }),
        descriptors: [(output.rawValue, 1)])
      func events() throws -> String {
        let bytes = try FileSystem.contents(of: scratch.path.appending("out"))
        return String(decoding: bytes, as: UTF8.self)
      }
      let clock = SystemClock()
      let deadline = clock.monotonic() + .seconds(20)
      while try PinnedDirectory.open(FileSystem.resolve(target)).list().isEmpty,
        clock.monotonic() < deadline
      {
        clock.sleep(.milliseconds(1))
      }
      // Twice, as supervisors do that signal a process and its group: still one wish.
      try child.kill(signal)
      SystemClock().sleep(.milliseconds(2))
      try child.kill(signal)
      #expect(try child.wait(timeout: .seconds(30)) == .exited(code))
      let run = Finished(status: .exited(code), output: try events(), errors: "")
      let finished = try #require(try run.events("finished").first)
      #expect(finished["verdict"] == "interrupted")
      let report = try #require(finished["report"]?.text)
      let saved = try JSON.parse(try FileSystem.contents(of: BytePath(report)))
      #expect(saved["exit"]?.int64 == Int64(code))
      // What is left under a final name is complete, and the next run finishes the rest.
      let again = try Product.custody(["copy", card.path, "--to", target, "--headroom", "0"])
      #expect(again.status == .exited(0), "\(again.output)\(again.errors)")
      try card.expectCopy(target)
    }

    @Test("offload 81: memory does not grow with a file's size", arguments: ["1", "16"])
    func memory(workers: BytePath) throws {
      let scratch = try Scratch()
      func peak(_ name: BytePath, _ byteCount: Int64) throws -> Int64 {
        let card = try scratch.folder(name)
        let file = try FileDescriptor.open(
          card.appending("clip.mov"), .writeOnly, options: .exclusiveCreate)
        try file.truncate(to: byteCount)
        try file.close()
        let target = try scratch.folder(BytePath("to-\(name)"))
        let arguments: [BytePath] = [
          "copy", card, "--to", target, "--headroom", "0", "--quiet", "--mode", "paranoid",
          "--workers", workers,
        ]
        var child = try ChildProcess.spawn(
          ChildProcess.Command(try Product.path("custody"), arguments.map(\.bytes)),
          descriptors: [])
        #expect(try child.wait(timeout: .seconds(120)) == .exited(0))
        let usage = child.usage
        return try #require(usage).peakResidentBytes
      }
      let small = try peak("small", 1 << 20)
      let large = try peak("large", 256 << 20)
      #expect(large - small < 128 << 20, "\(small) and \(large) bytes")
    }

    @Test("the output of --version names the build, and help fits a terminal")
    func version() throws {
      let version = try Product.custody(["--version"])
      #expect(version.status == .exited(0))
      #expect(version.output.contains(/^custody [0-9.]+ build [0-9a-f]{16}-(debug|release)\n$/))
      for words: [BytePath] in [["--help"], ["copy", "--help"], ["serve", "--help"]] {
        let help = try Product.custody(words)
        #expect(help.status == .exited(0))
        for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      }
    }
  }
}
