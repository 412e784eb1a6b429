import FoundationEssentials
import Glibc
import Testing

/// The package's own files, as the tidy tests read them.
enum Repository {
  static let root: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// A text file with its place below the root.
  struct File: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String

    var testDescription: String { path }
    /// The lines; split once, a debug build is slow at text.
    let lines: [Substring]

    init(path: String, text: String) {
      self.path = path
      self.text = text
      lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
        .map { Substring($0) }
    }

    /// True when the text holds the word; by bytes.
    func says(_ word: String) -> Bool { strstr(text, word) != nil }
    /// The folder that is the file's module: `SystemIO`, `FaultFS`.
    var module: String { String(path.split(separator: "/").dropFirst().first ?? "") }
  }

  /// The Swift files of the products.
  static let sources = files(in: ["Sources", "Harness"], endingIn: [".swift"])
  static let tests = files(in: ["Tests"], endingIn: [".swift"])
  static let texts =
    sources + tests
    + files(
      in: ["Sources", "Harness", "Plugins", "docs", "FaultScripts", "Fixtures", ".ci"],
      endingIn: [".c", ".h", ".md", ".fault", ".card", ".sh", "/setup", "/run", ".txt"])
    + ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "Package.swift"].map(file)

  /// A file that must be there.
  static func file(_ path: String) -> File {
    guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
      Issue.record("\(path) is missing or no UTF-8")
      return File(path: path, text: "")
    }
    return File(path: path, text: text)
  }

  private static func files(in folders: [String], endingIn endings: [String]) -> [File] {
    folders.flatMap { below($0) }.sorted()
      .filter { path in endings.contains { path.hasSuffix($0) } }.map(file)
  }

  /// Every regular file below a folder, as paths below the root.
  static func below(_ folder: String) -> [String] {
    let base = root.appending(path: folder).path
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: base)) ?? []
    return names.filter { name in
      var isDirectory = false
      return FileManager.default.fileExists(atPath: "\(base)/\(name)", isDirectory: &isDirectory)
        && !isDirectory
    }.map { "\(folder)/\($0)" }
  }
}
