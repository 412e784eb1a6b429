import SystemIO
import Testing

@testable import CommandLineKit

@Suite("Random command lines: an error or values, never a trap")
struct RandomLineTests {
  private static let many = Parameter.option("--to", "FOLDER", .path, repeats: true, "a")
  private static let size = Parameter.option("--size", "SIZE", .size, "b")
  private static let time = Parameter.option("--time", "TIME", .duration, "c")
  private static let flag = Parameter.flag("--json", "d")
  private static let rest = Parameter.positional(
    "REST", .bytes, required: false, repeats: true, "e")
  private static let program = Program(
    "p", "q", version: "r",
    commands: [
      Command("run", "s", parameters: [many.row, size.row, time.row, flag.row, rest.row])
    ])

  @Test("every byte of every line is either a value or named in the error")
  func randomLines() throws {
    var system = SystemRandom()
    let seed = system.next()
    var random = SeededRandom(seed: seed)
    let words = [
      "run", "--to", "--to=", "--size", "--size=1KiB", "--time", "5s", "--json", "--json=", "--",
      "-",
      "--siez", "99999999999999999999999GiB", "", "--=", "=", "---", "a b", "\u{1b}[m", "é",
    ].map { Array($0.utf8) }
    for round in 0..<2_000 {
      var line: [[UInt8]] = random.next() % 8 == 0 ? [] : [words[0]]
      for _ in 0..<(random.next() % 7) {
        var word = words[Int(random.next() % UInt64(words.count))]
        if random.next() % 5 == 0, !word.isEmpty {
          word[Int(random.next() % UInt64(word.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        line.append(word)
      }
      do throws(UsageError) {
        guard case .run(_, let values) = try Self.program.parse(line) else { continue }
        let options = line.dropFirst().prefix { $0 != Array("--".utf8) }
        let flags = options.contains(Array("--json".utf8))
        // A `--json` may be some option's value only in the form with `=`.
        #expect(values.has(Self.flag) == flags, "seed \(seed), round \(round)")
        let size = values.all(Self.size).count
        #expect(size <= 1, "seed \(seed), round \(round)")
      } catch {
        #expect(error.message.hasPrefix("p"), "seed \(seed), round \(round)")
        #expect(!error.description.contains("\u{1b}"), "seed \(seed), round \(round)")
      }
    }
  }
}
