import SystemIO
import Testing
import Wire

extension IntegrationTests {
  /// The worker that runs many jobs.
  @Suite("custody serve")
  struct ServeTests {
    private func job(_ number: Int, _ arguments: [BytePath], directory: BytePath? = nil) -> String {
      var members: [JSON.Member] = [
        .init("job", JSON(number)),
        .init("arguments", .array(arguments.map { .string($0.bytes) })),
      ]
      if let directory { members.append(.init("directory", .string(directory.bytes))) }
      return String(decoding: JSON.object(members).line, as: UTF8.self)
    }

    @Test("a job has the events and the exit code of the command, under its number")
    func jobs() throws {
      let scratch = try Scratch()
      let card = try Card("tiny", in: scratch)
      let target = try scratch.folder("a")
      let run = try Product.custody(
        ["serve"],
        input: job(1, ["copy", "tiny", "--to", "a", "--headroom", "0"], directory: scratch.path)
          + job(2, ["copy", card.path, "--to", "/nowhere/at/all"]) + job(3, ["nothing"])
          + job(4, ["--version"]) + job(5, ["serve"]))
      #expect(run.status == .exited(0), "\(run.errors)")
      let events = try run.events()
      func exit(_ number: Int64) -> JSON? {
        events.first { $0["job"]?.int64 == number && $0["event"] == "exit" }?["exit"]
      }
      #expect((1...5).map { exit($0)?.int64 } == [0, 3, 2, 0, 2])
      let rows = events.filter { $0["event"] == "row" && $0["job"] == 1 }
      #expect(rows.count == card.layout.fileCount)
      try card.expectCopy(target)
    }

    @Test("a hundred jobs leave no descriptor and no thread behind")
    func leaks() throws {
      let scratch = try Scratch()
      _ = try Card("tiny", in: scratch)
      var input = ""
      for number in 1...100 {
        _ = try scratch.folder(BytePath("to\(number)"))
        input += job(
          number, ["copy", "tiny", "--to", BytePath("to\(number)"), "--headroom", "0"],
          directory: scratch.path)
      }
      let run = try Product.custody(["serve"], input: input)
      let exits = try run.events("exit")
      #expect(exits.count == 100)
      #expect(exits.allSatisfy { $0["exit"] == 0 })
      let resources = Set(
        exits.map { String(decoding: $0["resources"]?.encoded() ?? [], as: UTF8.self) })
      #expect(resources.count == 1, "\(resources)")
    }

    @Test(
      "a line that is no job is answered with exit 2 and harms no later job",
      arguments: [
        "", "x", "[]", "{}", #"{"job":"a"}"#, #"{"job":7}"#, #"{"job":7,"arguments":[1]}"#,
        #"{"job":7,"arguments":["a\u0000b"]}"#, #"{"job":7,"argumentsHex":["0"]}"#,
        #"{"job":7,"arguments":[],"directory":"relative"}"#,
        String(repeating: "[", count: 100_000),
      ])
    func badLines(line: String) throws {
      let run = try Product.custody(["serve"], input: line + "\n" + job(8, ["--version"]))
      #expect(run.status == .exited(0))
      let exits = try run.events("exit")
      #expect(exits.map { $0["exit"]?.int64 } == [2, 0])
      #expect(try run.events("message").count == 1)
    }

    @Test("arguments that are no UTF-8 arrive by argumentsHex, and names come back escaped")
    func rawBytes() throws {
      let scratch = try Scratch()
      let words: [[UInt8]] = [
        Array("copy".utf8), [0x2f, 0xff, 0xfe], Array("--to".utf8), scratch.path.bytes,
      ]
      let job: JSON = ["job": 1, "argumentsHex": .array(words.map { .hex($0) })]
      let run = try Product.custody(
        ["serve"], input: String(decoding: job.line, as: UTF8.self))
      #expect(try run.events("exit").first?["exit"] == 3)
      #expect(run.output.contains("\\\\xff\\\\xfe"))
    }
  }
}
