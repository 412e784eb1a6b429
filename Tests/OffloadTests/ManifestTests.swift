import Hashing
import SystemIO
import Testing

@testable import Offload

@Suite struct ManifestTests {
  private func scan(_ tree: Tree) throws -> SourceManifest {
    try CardSource.scan(DirectoryHandle(try PinnedDirectory.open(tree.root))) { false }
  }

  @Test("offload 7, 11: hidden files are there, sorted as whole paths, nothing is followed")
  func sorted() throws {
    let stage = try Stage()
    for name in ["a/x", "a.b", "a0", "a/.hidden", "Z", "b/c/d/e", "b.c"] {
      try stage.card.file(BytePath(name), [1])
    }
    try PinnedDirectory.open(stage.card.root).symlink("a", as: "link")
    let manifest = try scan(stage.card)
    let paths = manifest.files.indices.map { manifest.path(ofFile: $0) }
    #expect(paths == paths.sorted())
    #expect(paths == ["Z", "a.b", "a/.hidden", "a/x", "a0", "b.c", "b/c/d/e"])
    #expect(manifest.skipped.warnings == ["not copied, a symbolic link: link"])
    for directory in manifest.directories.indices {
      var names: [BytePath] = []
      manifest.forEachFile(in: directory) { names.append(manifest.name(ofFile: $0)) }
      #expect(names == names.sorted())
    }
  }

  @Test("offload 8: system folders are left out at the root only, and only as folders")
  func systemFolders() throws {
    let stage = try Stage()
    try stage.card.file(".Trashes/x", [1])
    try stage.card.file("a/.Trashes/y", [1])
    try stage.card.file(".fseventsd", [1])
    try stage.card.file(".Trash/z", [1])
    let manifest = try scan(stage.card)
    let paths = manifest.files.indices.map { manifest.path(ofFile: $0) }
    #expect(paths == [".Trash/z", ".fseventsd", "a/.Trashes/y"])
    #expect(manifest.skipped.count == 1)
  }

  @Test(
    "offload 13: whatever path leads to the source, each file keeps its place below it",
    arguments: ["l", "l/./DCIM/..", "card/../l/.", "card/DCIM/../../card"] as [BytePath])
  func spellings(path: BytePath) throws {
    let stage = try Stage()
    try stage.fillSmall()
    let folder = try PinnedDirectory.open(stage.scratch.path)
    try folder.symlink("card", as: "l")
    stage.job.source = stage.scratch.path.appending(path)
    let outcome = try stage.run()
    #expect(outcome.verdict == .verified)
    #expect(outcome.rows.map(\.path) == ["DCIM/100/A.JPG", "DCIM/100/B.MP4", "zero"])
    try expectWhole(stage, stage.destination)
  }

  @Test("A card deeper than the walk keeps folders open")
  func deep() throws {
    let stage = try Stage()
    let deep = (0..<40).map { "d\($0)" }.joined(separator: "/")
    try stage.card.file(BytePath(deep + "/x"), [1])
    try stage.card.file(BytePath(deep + "/y"), [1])
    try stage.card.file("d0/z", [1])
    #expect(try scan(stage.card).files.count == 3)
    #expect(try stage.run().verdict == .verified)
  }

  @Test("offload 16: the fingerprint changes with path, size and time, and with nothing else")
  func fingerprint() throws {
    let time = Timestamp(seconds: 1_700_000_000, nanoseconds: 5)
    func fingerprint(_ path: BytePath, _ count: Int, _ time: Timestamp) throws -> String? {
      let stage = try Stage()
      try stage.card.file(path, seed: 1, count: count)
      try stage.card.file("other", [1], modification: time)
      let file = try FileDescriptor.open(stage.card.root.appending(path), .writeOnly)
      try file.setTimes(modification: time)
      return try scan(stage.card).fingerprint()?.text
    }
    let base = try fingerprint("a/b", 10, time)
    #expect(try fingerprint("a/b", 10, time) == base)
    #expect(try fingerprint("ab", 10, time) != base)
    #expect(try fingerprint("a/b", 11, time) != base)
    #expect(try fingerprint("a/b", 10, Timestamp(seconds: 1_700_000_000)) != base)
  }

  @Test("offload 17: sizes that overflow together are refused")
  func overflow() throws {
    let stage = try Stage()
    let place = stage.card.root
    for name in ["a", "b", "c"] as [BytePath] {
      let file = try FileDescriptor.open(
        place.appending(name), .writeOnly, options: .create)
      try? file.truncate(to: 17_592_186_040_320)
    }
    var manifest = SourceManifest()
    let root = try FileSystem.metadata(place, followingLinks: false)
    _ = manifest.addDirectory("", parent: 0, root.identity)
    let large = try FileSystem.metadata(place.appending("a"), followingLinks: false)
    var added = 0
    while manifest.addFile("a", directory: 0, large), added < 1_000_000 { added += 1 }
    #expect(large.byteCount == 0 || added < 1_000_000)
    #expect(manifest.byteCount >= 0)
  }
}
