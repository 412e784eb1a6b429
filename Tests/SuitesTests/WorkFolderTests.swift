import SystemIO
import Testing

@testable import Suites

@Suite("Work folders below TMPDIR")
struct WorkFolderTests {
  @Test("only names that a run gives its folder are swept, never what is named alike")
  func names() {
    let digits = String(repeating: "0f", count: 16)
    for prefix in WorkFolder.prefixes {
      #expect(WorkFolder.isOurs(BytePath(prefix + digits)))
      for end in ["", "tests-1-" + digits, digits + "0", String(digits.dropLast()), "mine"] {
        #expect(!WorkFolder.isOurs(BytePath(prefix + end)))
      }
    }
    #expect(!WorkFolder.isOurs(BytePath("custody-bench-" + digits)))
  }

  @Test("a folder that a live run holds stays; one that nobody holds goes, and is told")
  func sweep() throws {
    let path: BytePath
    do {
      let held = try WorkFolder.make("custody-run-")
      path = held.path
      #expect(!WorkFolder.sweep().contains { $0.contains(path.escaped) })
      #expect(try FileSystem.metadataIfPresent(path, followingLinks: false) != nil)
      held.release()
    }
    #expect(WorkFolder.sweep().contains { $0.contains(path.escaped) })
    #expect(try FileSystem.metadataIfPresent(path, followingLinks: false) == nil)
  }
}
