import Glibc
import HarnessKit
import SystemIO
import Testing

/// A folder of its own for a test; gone when the test ends.
final class Scratch {
  let path: BytePath

  init() throws {
    var template = Array("/tmp/custody-test-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    path = BytePath(try #require(made))
  }

  deinit {
    Self.remove(path)
  }

  private static func remove(_ path: BytePath) {
    guard let folder = try? PinnedDirectory.open(path) else { return }
    var entries: [(name: BytePath, isFolder: Bool)] = []
    try? folder.forEachEntry { entry in
      entries.append((entry.name, entry.kind == .directory))
      return true
    }
    for entry in entries {
      if entry.isFolder {
        remove(path.appending(entry.name))
      } else {
        try? folder.unlink(entry.name)
      }
    }
    rmdir(path.utf8 ?? "")
  }

  func contents(_ name: BytePath) throws -> [UInt8] {
    try FileSystem.contents(of: path.appending(name), limit: 64 << 20)
  }

  func names() throws -> [String] {
    var names: [String] = []
    let folder = try PinnedDirectory.open(path)
    try folder.forEachEntry { entry in
      names.append(entry.name.escaped)
      return true
    }
    return names.sorted()
  }
}

enum Samples {
  static let start = RunStart(
    verb: "fault", build: "0.1.0+abc", kernel: "Linux 6.1 x86_64",
    commandLine: ["harness", "fault", "exfat"], seed: 20_260_711,
    subjects: ["offload: /usr/bin/custody 0.1.0+abc"], planned: 5,
    startedAt: "2026-07-11T12:00:00Z")

  static func result(
    _ title: String, _ verdict: Verdict, reason: String = "", allowed: String? = nil,
    findings: [Finding] = [], seconds: Double = 0.5
  ) -> CaseResult {
    CaseResult(
      identity: CaseIdentity(
        script: "exfat", title: title, line: 12, mode: "standard",
        slug: slug(title)),
      verdict: verdict, reason: reason, findings: findings,
      rules: [.init(line: 14, text: "fail write dst:~A with EIO", fired: 3, isOptional: false)],
      seconds: seconds, seed: 99, subject: "offload",
      schedule: ["case \"\(title)\"", "  fail write dst:~A with EIO"], allowed: allowed,
      folder: verdict == .pass ? nil : "cases/0001")
  }

  private static func slug(_ title: String) -> String {
    String(title.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }

  /// One result of each kind.
  static let results = [
    result("good", .pass),
    result(
      "bad", .fail, reason: "expected failed C0002.MP4",
      findings: [Finding(oracle: "truth", summary: "C0002.MP4 differs", files: ["dst:C0002.MP4"])]),
    result("never fired", .notExercised, reason: "rule 1 never fired"),
    result("no fuse", .blocked, reason: "/dev/fuse is missing"),
    result("rig died", .broken, reason: "the rig ended"),
    result("known", .blocked, reason: "needs root", allowed: "an ordinary user cannot"),
  ]

  static func summary(of results: [CaseResult]) -> Run.Summary {
    var summary = Run.Summary(seconds: 12.5)
    for result in results { summary.add(result) }
    return summary
  }

  static func events(of results: [CaseResult]) -> [Event] {
    var kinds: [Event.Kind] = [.runStarted(start)]
    for result in results {
      kinds += [.caseStarted(result.identity), .caseFinished(result)]
    }
    kinds.append(.runFinished(summary(of: results)))
    return kinds.enumerated().map {
      Event(ordinal: $0.offset, seconds: Double($0.offset), kind: $0.element)
    }
  }
}
