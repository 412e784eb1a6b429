import FaultModel
import SystemIO
import Testing

@Suite("Parser properties") struct ParserPropertyTests {
  /// Parses and checks what holds whatever the bytes are.
  private func check(_ text: [UInt8]) {
    do {
      let script = try ScriptParser.parse(text, name: "any")
      #expect(script.cases.count + script.explorations.count > 0)
      for one in script.cases { #expect(!one.slug.isEmpty) }
    } catch {
      let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      #expect((1...lines.count).contains(error.line), "\(error)")
      #expect(error.column >= 1 && error.length >= 1)
      #expect(error.column <= lines[error.line - 1].count + 1, "\(error)")
      #expect(!error.message.isEmpty && !error.description.isEmpty)
    }
  }

  @Test("random bytes never trap", arguments: [UInt64(1), 2, 3])
  func bytes(seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<150 {
      let count = Int(random.next(below: 200))
      let body = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      check(body)
      check(Array("custody-fault 1\ncase \"a\"\n".utf8) + body)
    }
  }

  @Test("shipped scripts with bytes changed, lines dropped or doubled never trap")
  func mutants() throws {
    var random = SplitMix(seed: 99)
    let text = try RepositoryPaths.scripts.text(named: "source-changes")
    let interesting = Array("\"\\#:~<>%+*{},=\n\t 09azAZ\u{7f}".utf8) + [0x00, 0xc3, 0xff]
    for _ in 0..<25 {
      var mutant = text
      for _ in 0...random.next(below: 3) {
        let place = Int(random.next(below: UInt64(mutant.count)))
        let byte = interesting[Int(random.next(below: UInt64(interesting.count)))]
        switch random.next(below: 3) {
        case 0: mutant[place] = byte
        case 1: mutant.remove(at: place)
        default: mutant.insert(byte, at: place)
        }
      }
      check(mutant)
      check(Array(mutant.prefix(Int(random.next(below: UInt64(mutant.count))))))
    }
  }

  @Test("random soups of the language's own words never trap")
  func soups() {
    let words = [
      "case", "\"a\"", "fail", "write", "dst:a", "with", "EIO", "nth", "1", "from", "1MiB",
      "volume",
      "dst", "src", "capacity", "expect", "verified", "run", "two", "at", "once", "50%", "after",
      "between", "and", "of", "~", "dst:~", "dst:<tmp#", "\"", "#", "report", "stat", "size",
      "crash",
      "keep", "explore", "op", "given", "bytes", "mtime", "random", "card", "\n", "\n", "\n",
    ]
    var random = SplitMix(seed: 5)
    for _ in 0..<300 {
      let soup = (0..<random.next(below: 40)).map { _ in
        words[Int(random.next(below: UInt64(words.count)))]
      }
      check(Array(("custody-fault 1\n" + soup.joined(separator: " ")).utf8))
    }
  }
}
