import SystemIO
import Testing

@testable import FaultModel

@Suite("Grammar in the README") struct GrammarTests {
  static let grammar: Result<Grammar, any Error> = Result {
    let text = try FileSystem.contents(of: RepositoryPaths.root.appending("FaultScripts/README.md"))
    return try Grammar(readme: String(decoding: text, as: UTF8.self))
  }

  @Test("every rule that is used is defined or described, and every rule is used")
  func closed() throws {
    let grammar = try Self.grammar.get()
    let defined = Set(grammar.rules.keys)
    #expect(grammar.usedNames.subtracting(defined) == Set(Grammar.plain))
    #expect(defined.subtracting(grammar.usedNames) == ["script"])
  }

  @Test("every word that the parser takes stands in the grammar")
  func words() throws {
    let grammar = try Self.grammar.get()
    let tables: [[String]] = [
      PreambleWord.allCases.map(\.rawValue), VolumeWord.allCases.map(\.rawValue),
      StepWord.allCases.map(\.rawValue), EffectWord.allCases.map(\.rawValue),
      Tail.allCases.map(\.rawValue), ClauseWord.allCases.map(\.rawValue),
      ExpectWord.allCases.map(\.rawValue), Phase.allCases.map(\.rawValue),
      Mode.allCases.map(\.rawValue), ReportField.stat.map(\.name), ReportField.entry.map(\.name),
      ReportField.statfs.map(\.name),
    ]
    let terminals = grammar.terminals(ofWords: false)
    for word in tables.joined() { #expect(terminals.contains(word), "\(word)") }
    let operations = grammar.terminals(ofWords: true)
    for operation in Operation.allCases { #expect(operations.contains(operation.rawValue)) }
  }

  /// Says that a sentence is not of the language, as against one whose meaning is refused.
  private static func isSyntax(_ error: ScriptError) -> Bool {
    let signs = [
      "unknown ", "unexpected word", "the line ends too early", "should end here", "not a ",
      "not the ", "not permission", "neither ", "has no meaning for", "is needed here",
      "1 to ", "never closed",
    ]
    return signs.contains { error.message.contains($0) }
  }

  @Test("sentences made from the grammar are understood")
  func sentences() throws {
    let grammar = try Self.grammar.get()
    var random = SplitMix(seed: 20_260_711)
    var accepted = 0
    let count = 1_200
    for _ in 0..<count {
      let line = Self.line(grammar, &random)
      do {
        _ = try ScriptParser.parse(Self.script(line), name: "test")
        accepted += 1
      } catch {
        #expect(!Self.isSyntax(error), "\(error)")
      }
    }
    #expect(accepted > count / 3)
  }

  @Test("a sentence with one word spoilt is refused within its line, or still means something")
  func mutations() throws {
    let grammar = try Self.grammar.get()
    var random = SplitMix(seed: 42)
    var refused = 0
    for _ in 0..<1_200 {
      var words = Self.line(grammar, &random).split(separator: " ").map(String.init)
      let place = Int(random.next(below: UInt64(words.count)))
      switch random.next(below: 4) {
      case 0: words[place] = "zzz"
      case 1: words.remove(at: place)
      case 2: words.insert(words[place], at: place)
      default: words.swapAt(place, Int(random.next(below: UInt64(words.count))))
      }
      let line = words.joined(separator: " ")
      do {
        _ = try ScriptParser.parse(Self.script(line), name: "test")
      } catch {
        refused += 1
        let isWhole = error.line == 6
        #expect(error.line == 7 || isWhole, "\(error)")
        let length = error.lineText.unicodeScalars.count
        #expect(error.column >= 1 && error.column <= length + 1, "\(error)")
      }
    }
    #expect(refused > 400)
  }

  private static func line(_ grammar: Grammar, _ random: inout SplitMix) -> String {
    let starts = ["preamble", "step", "rule", "rule", "rule", "expect", "explore"]
    let start = starts[Int(random.next(below: UInt64(starts.count)))]
    return grammar.sentence(start, &random).joined(separator: " ")
  }

  private static func script(_ line: String) -> String {
    let hasVerdict = line.hasPrefix("expect ") && !line.hasPrefix("expect warns")
    return FaultModelTests.script(line, hasVerdict ? "" : "expect sound")
  }

  @Test("every line of a shipped script is a sentence of the grammar")
  func shipped() throws {
    let grammar = try Self.grammar.get()
    for name in RepositoryPaths.scripts.names {
      let lexer = try Lexer(RepositoryPaths.scripts.text(named: name), file: name)
      for number in 2...lexer.lineCount {
        let words = try lexer.words(ofLine: number).words.map(\.text)
        #expect(
          words.isEmpty || grammar.recognises(words, as: "statement"),
          "\(name):\(number): \(words.joined(separator: " "))")
      }
    }
  }

  @Test("every example of the parser's tests is a sentence of the grammar")
  func examples() throws {
    let grammar = try Self.grammar.get()
    for text in EffectExample.all.map(\.text) + ClauseExample.all.map(\.text) {
      let words = try Lexer(Array(text.utf8), file: "t").words(ofLine: 1).words.map(\.text)
      #expect(grammar.recognises(words, as: "rule"), "\(text)")
    }
  }

  @Test("what is no sentence is not recognised")
  func negatives() throws {
    let grammar = try Self.grammar.get()
    for line in [
      "fail write dst:a", "full", "expect", "fail write dst:a with EIO with EIO2 x",
      "corrupt write dst:a as old", "kill subject for 5s", "delay write dst:a", "case x",
    ] {
      #expect(!grammar.recognises(line.split(separator: " ").map(String.init), as: "statement"))
    }
  }

  @Test("the example of the README is a script")
  func example() throws {
    let text = try FileSystem.contents(of: RepositoryPaths.root.appending("FaultScripts/README.md"))
    let parts = String(decoding: text, as: UTF8.self).split(
      separator: "```", omittingEmptySubsequences: false)
    let example = try #require(parts.first { $0.hasPrefix("\ncustody-fault 1") })
    let script = try RepositoryPaths.loader.load(Array(example.dropFirst().utf8), name: "readme")
    #expect(script.cases.count == 1)
  }
}
