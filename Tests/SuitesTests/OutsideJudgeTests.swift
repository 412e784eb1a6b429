import FaultModel
import Glibc
import SystemIO
import Testing

@testable import Suites

@Suite(.enabled(if: Captured.tool("xxh128sum") != nil, "xxh128sum is not installed"))
struct OutsideJudgeTests {
  /// A folder of real files, and the snapshot that a rig would give of it.
  private final class Place {
    let folder: BytePath
    let tree: BytePath
    var snapshot = TreeSnapshot()

    static let names: [BytePath] = [
      "plain.mov", "-dash", "two\nlines", "back\\slash", " blank ", "\u{e9}.mov", "e\u{301}.mov",
    ]

    init() throws {
      var random = SystemRandomNumberGenerator()
      folder = BytePath("/tmp/custody-outside-\(random.next() as UInt64)")
      tree = folder.appending("tree")
      try FileSystem.makeDirectories(tree.appending("sub"))
      snapshot.entries[""] = TreeEntry(kind: .directory)
      snapshot.entries["sub"] = TreeEntry(kind: .directory)
      for (index, name) in Self.names.enumerated() {
        try add(BytePath("sub").appending(name), UInt64(index) * 1000)
      }
      try add(try #require(BytePath([0xff, 0x2e, 0x6d])), 5)
      try PinnedDirectory.open(tree).symlink("sub", as: "link")
      snapshot.entries["link"] = TreeEntry(kind: .symlink, linkText: "sub")
    }

    deinit {
      try? ScratchFolder.remove(folder)
    }

    func add(_ path: BytePath, _ byteCount: UInt64) throws {
      let content = Content(key: .init(high: 1, low: byteCount), byteCount: byteCount)
      let file = try FileDescriptor.open(
        tree.appending(path), .writeOnly, options: [.create, .truncate])
      try file.writeAll(content.bytes(at: 0, count: Int(byteCount)))
      snapshot.entries[path] = TreeEntry(
        kind: .file, byteCount: byteCount, digest: content.digest())
    }

    func disagreement() throws -> String? {
      try #require(OutsideJudge(scratch: folder)).disagreement(at: tree, with: snapshot)
    }
  }

  @Test("outside tools agree with a true snapshot, whatever the names")
  func agrees() throws {
    let disagreement = try Place().disagreement()
    #expect(disagreement == nil)
  }

  @Test("outside tools find a byte, a size, a kind, an entry too many and one too few")
  func finds() throws {
    let place = try Place()
    let truth = place.snapshot
    let path: BytePath = "sub/back\\slash"
    func changed(_ change: (inout TreeSnapshot) -> Void) throws -> String? {
      place.snapshot = truth
      change(&place.snapshot)
      return try place.disagreement()
    }
    #expect(try changed { $0.entries[path]?.digest = String(repeating: "0", count: 32) } != nil)
    #expect(try changed { $0.entries[path]?.byteCount += 1 } != nil)
    #expect(try changed { $0.entries[path]?.kind = .directory } != nil)
    #expect(try changed { $0.entries[path] = nil } != nil)
    #expect(try changed { $0.entries["sub/ghost"] = truth.entries[path] } != nil)
    #expect(try changed { _ in } == nil)
  }
}
