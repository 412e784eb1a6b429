import FaultModel
import Testing

@testable import Exploration

@Suite("Shrinking")
struct ShrinkerTests {
  private static let script = """
    custody-fault 1
    card empty
    volume src persona ext4 capacity 64MiB
    volume dst persona ext4 capacity 64MiB cache none
    volume dst2 persona exfat-linux capacity 64MiB
    case "two destinations and four files"
      given src "A/one.mov" bytes 2MiB
      given src "A/two.mov" bytes 64KiB
      given src "B/three.mov" bytes 1MiB
      given src "B/four.mov" bytes 3MiB
      given dst2 "old" bytes 12
      delay write dst2:** for 2ms every 3
      fail fsync dst:~"A/two.mov" with EIO nth 1 once
      run "--workers 1"
      expect failed two.mov

    """

  /// Stands for an engine that fails when the file is there and its fsync fails.
  private func isFailing(_ text: String) -> Bool {
    text.contains("\"A/two.mov\" bytes") && text.contains("fail fsync")
  }

  @Test("all that does not matter goes: destinations, files, rules, clauses, bytes")
  func shrinks() throws {
    var shrinker = Shrinker(Self.script, name: "t", fails: isFailing)
    shrinker.run()
    let text = shrinker.text
    #expect(!text.contains("dst2"))
    #expect(!text.contains("three.mov") && !text.contains("four.mov") && !text.contains("one.mov"))
    #expect(text.contains("given src \"A/two.mov\" bytes 0"))
    #expect(!text.contains("nth") && !text.contains("once"))
    #expect(text.split(separator: "\n").count <= 8)
    #expect(isFailing(text))
    _ = try ScriptParser.parse(text, name: "t")
  }

  @Test("a script that is as small as can be stays, whatever is tried")
  func minimal() {
    var first = Shrinker(Self.script, name: "t", fails: isFailing)
    first.run()
    var second = Shrinker(first.text, name: "t", fails: isFailing)
    second.run()
    #expect(second.text == first.text)
  }

  @Test("nothing is run that does not parse, nor beyond the limit")
  func bounded() {
    var tried: [String] = []
    var shrinker = Shrinker(Self.script, name: "t") { text in
      tried.append(text)
      return false
    }
    shrinker.attemptLimit = 5
    shrinker.run()
    #expect(tried.count == 5)
    #expect(tried.allSatisfy { (try? ScriptParser.parse($0, name: "t")) != nil })
  }

  private static let sweep = """
    custody-fault 1
    card empty
    volume src persona ext4 capacity 64MiB
    volume dst persona ext4 capacity 64MiB
    case "power"
      given src "a.mov" bytes 3
      crash dst at every op keep subsets
      expect recovery

    """

  @Test("a sweep over crash states becomes the one that fails, with as little kept as can be")
  func pins() throws {
    var shrinker = Shrinker(
      Self.sweep, name: "t",
      pin: { _ in CrashPin(moment: "after link dst:\"a b\" nth 1", kept: [1, 3, 4]) },
      fails: { text in
        // The moment and the third change are what matters.
        text.contains("at every op")
          || text.contains("after link") && text.contains("only")
            && text.contains("3")
      })
    shrinker.run()
    #expect(shrinker.text.contains("crash dst after link keep only 3\n"), "\(shrinker.text)")
    _ = try ScriptParser.parse(shrinker.text, name: "t")
  }

  @Test("a state that does not fail alone leaves the sweep, and a crash at one moment runs twice")
  func unpinned() {
    let pin = CrashPin(moment: "after done", kept: [])
    var kept = Shrinker(
      Self.sweep, name: "t", pin: { _ in pin }, fails: { $0.contains("at every op") })
    kept.run()
    #expect(kept.text.contains("crash dst at every op") && !kept.text.contains("after"))
    var tried: [String] = []
    var shrinker = Shrinker(
      Self.sweep, name: "t", pin: { _ in pin },
      fails: { text in
        tried.append(text)
        return text.contains("at every op")
      })
    shrinker.run()
    let pinned = tried.filter { $0.contains("after done") }
    #expect(pinned.map { $0.contains("keep none") } == [true, false])
    #expect(pinned.allSatisfy { $0.contains("  run\n  run\n  expect recovery") })
  }

  @Test("strings stay whole, and comments go")
  func words() {
    let line = ScriptLine("  given dst \"a \\\"b\\\" c\"  bytes 12 # why")
    #expect(line.words == ["given", "dst", "\"a \\\"b\\\" c\"", "bytes", "12"])
    #expect(line.indent == "  ")
  }

  @Test("sizes are read and written as scripts have them", arguments: ["0", "12", "3KiB", "2MiB"])
  func sizes(_ text: String) throws {
    #expect(ScriptLine.text(ofSize: try #require(ScriptLine.size(text))) == text)
  }
}
