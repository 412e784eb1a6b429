public import HarnessKit
import SystemIO

/// `FaultScripts/allowed`: verdicts that are known and excused, one line each.
///
/// `ID VERDICT "REASON" needs "REQUIREMENT"`; `#` begins a comment. An id may end in `@*` for all
/// modes. A line whose case passes, or that no case of a whole gate has, fails the gate.
public struct AllowedCases: Sendable, Equatable {
  /// One line of the file.
  public struct Entry: Sendable, Equatable {
    public let id: String
    public let verdict: Verdict
    public let reason: String
    /// What the machine would need for the case to pass.
    public let requirement: String
    /// In the file, from 1.
    public let line: Int
  }

  public let entries: [Entry]

  public init() {
    entries = []
  }

  /// Reads the file's text.
  public init(text: [UInt8]) throws(AllowedError) {
    var entries: [Entry] = []
    var known: Set<String> = []
    let lines = String(decoding: text, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard let entry = try Self.entry(String(line), line: index + 1) else { continue }
      if !known.insert(entry.id).inserted {
        throw AllowedError(line: index + 1, message: "'\(entry.id)' stands here twice")
      }
      entries.append(entry)
    }
    self.entries = entries
  }

  /// Reads the library's file; nothing is allowed where there is none.
  public static func read(_ library: SuiteLibrary) throws(SuiteError) -> AllowedCases {
    let text: [UInt8]?
    do throws(SystemError) {
      text = try library.allowedText()
    } catch {
      throw .library(.unreadable(error))
    }
    do throws(AllowedError) {
      return try text.map { (text) throws(AllowedError) in try AllowedCases(text: text) }
        ?? AllowedCases()
    } catch {
      throw .allowed(error)
    }
  }

  private static func entry(_ text: String, line: Int) throws(AllowedError) -> Entry? {
    let words = try words(text, line: line)
    if words.isEmpty { return nil }
    guard words.count == 5, words[3] == "needs" else {
      throw AllowedError(
        line: line, message: "expected: ID VERDICT \"REASON\" needs \"REQUIREMENT\"")
    }
    let names = Verdict.allCases.filter { $0 != .pass }
    guard let verdict = names.first(where: { $0.word == words[1] }) else {
      let all = names.map(\.word).joined(separator: ", ")
      throw AllowedError(line: line, message: "'\(words[1])' is no verdict (\(all))")
    }
    guard words[0].contains("/"), words[0].contains("@"), !words[2].isEmpty, !words[4].isEmpty
    else {
      throw AllowedError(line: line, message: "an id is SCRIPT/SLUG@MODE; no text may be empty")
    }
    return Entry(
      id: words[0], verdict: verdict, reason: words[2], requirement: words[4], line: line)
  }

  /// Words between blanks; a quoted one keeps its blanks.
  private static func words(_ text: String, line: Int) throws(AllowedError) -> [String] {
    var words: [String] = []
    var rest = text[...]
    while let first = rest.first {
      if first == " " || first == "\t" || first == "\r" {
        rest.removeFirst()
      } else if first == "#" {
        break
      } else if first == "\"" {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "\"") else {
          throw AllowedError(line: line, message: "a quoted text has no end")
        }
        words.append(String(rest[..<end]))
        rest = rest[rest.index(after: end)...]
      } else {
        let word = rest.prefix { $0 != " " && $0 != "\t" && $0 != "\r" }
        words.append(String(word))
        rest = rest.dropFirst(word.count)
      }
    }
    return words
  }

  /// The line that speaks of a case; nil when there is none.
  public func entry(for id: String) -> Entry? {
    entries.first { entry in
      entry.id == id
        || (entry.id.hasSuffix("@*") && id.hasPrefix(entry.id.dropLast()))
    }
  }

  /// Marks a result as excused where a line has its id and its verdict.
  public func excuse(_ result: inout CaseResult) {
    guard let entry = entry(for: result.identity.id), entry.verdict == result.verdict else {
      return
    }
    result.allowed = "\(entry.reason) (needs \(entry.requirement))"
  }

  /// What is wrong with the file itself after a whole gate: lines whose case passed in every mode
  /// that the line names, and lines that no case has.
  public func problems(after results: [(id: String, verdict: Verdict)]) -> [String] {
    entries.compactMap { entry in
      let named = results.filter { self.entry(for: $0.id) == entry }
      if named.isEmpty { return "allowed line \(entry.line): no case has the id \(entry.id)" }
      if named.allSatisfy({ $0.verdict == .pass }) {
        return "allowed line \(entry.line): \(entry.id) passes, take the line out"
      }
      return nil
    }
  }
}

extension Verdict {
  /// One word without blanks, for files and arguments: `not-exercised`.
  var word: String { self == .notExercised ? "not-exercised" : rawValue }
}

/// A line of the allowed file that cannot be read: exit code 2.
public struct AllowedError: Error, Sendable, Equatable, CustomStringConvertible {
  public let line: Int
  public let message: String

  public var description: String { "FaultScripts/allowed:\(line): \(message)" }
}
