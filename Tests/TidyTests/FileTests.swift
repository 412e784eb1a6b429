import FoundationEssentials
import Testing

@Suite("Tidy: what every file keeps to")
struct FileTests {
  /// One machine kept whole may be longer than the others, with its reason.
  private static let long: [String: String] = [:]

  @Test("a file is one idea: 400 lines, 800 at the very most")
  func length() {
    for file in Repository.sources + Repository.tests {
      let count = file.lines.count
      #expect(count <= 800, "\(file.path) has \(count) lines")
      #expect(count <= 400 || Self.long[file.path] != nil, "\(file.path) has \(count) lines")
    }
    for path in Self.long.keys {
      #expect(Repository.file(path).lines.count > 400, "\(path) needs no exception any more")
    }
  }

  @Test("words that promise or crash do not stand in code")
  func bannedWords() {
    // Joined here, so that this file does not hold them itself.
    let everywhere = ["TO" + "DO", "FIX" + "ME", "try" + "!", "as" + "! "]
    for file in Repository.sources + Repository.tests {
      for word in everywhere {
        let says = file.says(word)
        #expect(!says, "\(file.path) says \(word)")
      }
    }
  }

  @Test("only commands write to standard output")
  func printing() {
    let commands = ["CLI", "custody", "Bench", "Fuzz"]
    for file in Repository.sources where !commands.contains(file.module) {
      if !file.says("print(") && !file.says("Print(") && !file.says("dump(") { continue }
      for (number, line) in file.lines.enumerated() {
        let code = line.split(separator: "//", omittingEmptySubsequences: false).first ?? ""
        let calls = code.contains(/(?:^|[^\w.])(?:print|debugPrint|dump)\(/)
        #expect(!calls, "\(file.path):\(number + 1) prints")
      }
    }
  }

  @Test("what Essentials offers is not taken from the whole of Foundation")
  func foundation() {
    for file in Repository.sources {
      let whole = file.lines.contains { $0.hasSuffix("import Foundation") }
      #expect(!whole, "\(file.path) imports Foundation")
    }
  }

  @Test("an unchecked promise to the compiler says why it holds")
  func unchecked() {
    let word = "@unchecked " + "Sendable"
    for file in Repository.sources where file.says(word) {
      let lines = file.lines
      for (number, line) in lines.enumerated() where line.contains(word) {
        if line.drop(while: { $0 == " " }).hasPrefix("//") { continue }
        let above = lines[..<number].suffix(12).reversed()
          .prefix { $0.drop { $0 == " " }.hasPrefix("//") || $0.drop { $0 == " " }.hasPrefix("@") }
        #expect(
          above.contains { $0.contains("@unchecked") }, "\(file.path):\(number + 1) has no reason")
      }
    }
  }

  @Test("nothing names a machine")
  func machines() {
    let words = ["/wor" + "k/", "/tmp/" + "dev", "/home" + "/", "pypi" + ".org", "/opt" + "/swift"]
    for file in Repository.texts {
      for word in words {
        let says = file.says(word)
        #expect(!says, "\(file.path) says \(word)")
      }
    }
  }

  @Test("lines end without spaces, files with one line feed")
  func lineEnds() {
    for file in Repository.texts {
      for (number, line) in file.lines.enumerated() {
        let isOpen = line.utf8.last == 0x20 || line.utf8.last == 0x09
        if isOpen { Issue.record("\(file.path):\(number + 1) ends with a space") }
      }
      let isEnded = file.lines.last?.isEmpty == true && file.lines.dropLast().last?.isEmpty != true
      #expect(isEnded, "\(file.path) ends with one line feed")
    }
  }

  @Test("scripts can be run", arguments: ["Harness/setup", ".ci/run"])
  func executable(path: String) {
    let file = Repository.root.appending(path: path).path
    #expect(FileManager.default.isExecutableFile(atPath: file))
  }

  @Test("every folder of fixtures says where it is from")
  func fixtures() {
    let folders = Set(
      Repository.below("Fixtures").map { $0.split(separator: "/").prefix(2).joined(separator: "/") }
    )
    #expect(!folders.isEmpty)
    for folder in folders {
      #expect(!Repository.file("\(folder)/SOURCE.md").text.isEmpty)
    }
  }
}
