import SystemIO
import Testing

@testable import Offload

/// Every refusal comes before the first write (offload contract 44).
@Suite struct PreflightTests {
  /// Runs a stage and expects a refusal that changed nothing.
  private func expectRefusal(
    _ stage: Stage, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try Tree(root: stage.scratch.path).entries()
    let outcome = try stage.run()
    #expect(outcome.verdict == .refused, sourceLocation: sourceLocation)
    #expect(outcome.exitCode == 3, sourceLocation: sourceLocation)
    #expect(outcome.rows.isEmpty, sourceLocation: sourceLocation)
    #expect(
      outcome.problems.contains { $0.contains(words) }, "\(outcome.problems)",
      sourceLocation: sourceLocation)
    let after = try Tree(root: stage.scratch.path).entries()
    #expect(Set(after.keys) == Set(before.keys), sourceLocation: sourceLocation)
    for (path, entry) in before {
      #expect(after[path]?.isSame(entry) == true, "\(path)", sourceLocation: sourceLocation)
    }
  }

  @Test("offload 12: a source without a file is refused; one empty file is a card")
  func empty() throws {
    let stage = try Stage()
    try stage.card.folder("only/folders")
    try expectRefusal(stage, "holds no file")
    try stage.card.file("zero", [])
    #expect(try stage.run().verdict == .verified)
  }

  @Test("offload 10: a name that is not UTF-8 is refused, escaped")
  func notUTF8() throws {
    let stage = try Stage()
    let name = try #require(BytePath(Array("bad".utf8) + [0xff]))
    try stage.card.file(name, [1])
    try expectRefusal(stage, "bad\\xff")
  }

  @Test(
    "offload 19, 28, C29: source and destination never overlap, whatever the path says",
    arguments: ["same", "dots", "symlink", "below", "above", "source link"])
  func overlap(kind: String) throws {
    let stage = try Stage()
    try stage.fillSmall()
    let place = stage.scratch.path
    let words: String
    switch kind {
    case "same":
      stage.job.destinations = [stage.card.root]
      words = "is the source"
    case "dots":
      stage.job.destinations = [place.appending("dst1/../card/./")]
      words = "is the source"
    case "symlink":
      try PinnedDirectory.open(place).symlink("card", as: "l")
      stage.job.destinations = [place.appending("l")]
      words = "symbolic link"
    case "below":
      stage.job.destinations = [stage.card.root.appending("DCIM")]
      words = "lies in the source"
    case "above":
      stage.job.destinations = [place]
      words = "source lies in the destination"
    default:
      try PinnedDirectory.open(place).symlink("card", as: "l")
      stage.job.source = place.appending("l")
      stage.job.destinations = [stage.card.root]
      words = "is the source"
    }
    try expectRefusal(stage, words)
  }

  @Test("offload 28: a name that another begins with is no overlap")
  func wholeComponents() throws {
    let stage = try Stage()
    try stage.fillSmall()
    let beside = Tree(root: stage.scratch.path.appending("card0"))
    try beside.folder("")
    stage.job.destinations = [beside.root]
    #expect(try stage.run().verdict == .verified)
  }

  @Test("offload 36, 41: destinations differ, do not nest, exist, and hold no link in their path")
  func destinations() throws {
    let stage = try Stage(destinations: 2)
    try stage.fillSmall()
    let both = stage.job.destinations
    stage.job.destinations = [both[0], both[0]]
    try expectRefusal(stage, "given twice")
    try stage.destinations[0].folder("in")
    stage.job.destinations = [both[0], both[0].appending("in")]
    try expectRefusal(stage, "lies in another")
    stage.job.destinations = [both[0], stage.scratch.path.appending("missing")]
    try expectRefusal(stage, "does not exist")
    try stage.destinations[0].file("file", [1])
    stage.job.destinations = [both[0].appending("file")]
    try expectRefusal(stage, "not a directory")
    try PinnedDirectory.open(stage.scratch.path).symlink("dst2", as: "l")
    try stage.destinations[1].folder("deep")
    stage.job.destinations = [stage.scratch.path.appending("l/deep")]
    try expectRefusal(stage, "symbolic link")
  }

  @Test(
    "offload 27: folders of the system take no backup; those of volumes and users do",
    arguments: [
      ("/", false), ("/usr", false), ("/usr/share/x", false), ("/etc/x", false), ("/run/x", false),
      ("/dev/sda", false), ("/lib64", false), ("/run/media/me/SSD", true), ("/dev/shm/x", true),
      ("/usrlocal", true), ("/tmp/x", true), ("/media/me", true), ("/mnt/SSD", true),
    ])
  func protected(path: String, isAllowed: Bool) {
    #expect((ProtectedPaths.reason(against: BytePath(path)) == nil) == isAllowed)
  }

  @Test("offload 30, 42: free space is strictly more than the bytes and the headroom")
  func space() throws {
    let stage = try Stage()
    try stage.fillSmall()
    stage.job.headroomByteCount = 1 << 60
    try expectRefusal(stage, "not enough free space")
    stage.job.headroomByteCount = .max
    try expectRefusal(stage, "beyond all numbers")
  }

  @Test("offload 72, 146: files that are there already need no space")
  func spaceOfReused() throws {
    let stage = try Stage()
    try stage.fillSmall()
    #expect(try stage.run().verdict == .verified)
    stage.job.headroomByteCount = 1 << 60
    #expect(try stage.run().verdict == .verified)
  }

  @Test(
    "offload 43: a network volume is worth a warning, and no refusal",
    arguments: [("nfs4", true), ("cifs", true), ("fuse.sshfs", true), ("ext4", false)])
  func network(type: String, isNetwork: Bool) throws {
    let stage = try Stage()
    try stage.fillSmall()
    let facts = VolumeFacts(
      type: type, bestLevel: .cached, inodesLast: false, changeTimeIsReal: false)
    stage.job.facts = VolumeFactsProvider(given: [(stage.destination.root, facts)])
    let outcome = try stage.run()
    #expect(outcome.exitCode == 5)
    #expect(outcome.warnings.contains { $0.contains("network volume (\(type))") } == isNetwork)
    try expectWhole(stage, stage.destination)
  }

  #if DEBUG
    @Test(
      "offload 35: the source is opened first, then each destination; a denial ends it there",
      arguments: ["card", "dst1", "dst2"] as [BytePath])
    func denial(denied: BytePath) throws {
      let stage = try Stage(destinations: 2)
      try stage.fillSmall()
      let roots = [stage.job.source] + stage.job.destinations
      try Interposer.with(
        [Interposer.Rule("openat", path: denied, count: .max, .fail(.permissionDenied))],
        within: stage.scratch.path
      ) { session in
        let outcome = try stage.run()
        #expect(outcome.verdict == .refused)
        #expect(outcome.problems.count == 1)
        // The source twice: its links are followed first.
        let opened = session.trace.filter { $0.call == "openat" }.compactMap(\.path)
          .filter(roots.contains)
        let firsts = roots.compactMap { opened.firstIndex(of: $0) }
        #expect(firsts == firsts.sorted())
        #expect(firsts.count == (denied == "card" ? 1 : 3), "\(opened)")
        #expect(!session.trace.contains { $0.call == "getdents64" }, "nothing was listed")
      }
    }

    @Test("offload 48: an error below one destination costs its files, a link costs the run")
    func errorsOfOne() throws {
      for rule in [
        Interposer.Rule("mkdirat", path: "dst2/DCIM", count: .max, .fail(.inputOutput)),
        Interposer.Rule("openat", path: "dst2/DCIM", count: .max, .fail(.permissionDenied)),
      ] {
        let stage = try Stage(destinations: 2)
        try stage.fillSmall()
        let outcome = try Interposer.with([rule], within: stage.scratch.path) { _ in
          try stage.run()
        }
        #expect(outcome.verdict == .failed)
        #expect(outcome.rows.count == 6)
        for row in outcome.rows {
          let isHit = row.destination == 1 && row.path.components.first == "DCIM"
          #expect(row.outcome == (isHit ? .failed : .verified), "\(row)")
        }
        try expectWhole(stage, stage.destinations[0])
      }
      let stage = try Stage()
      try stage.fillSmall()
      try PinnedDirectory.open(stage.scratch.path).symlink("dst1", as: "l")
      stage.job.destinations.append(stage.scratch.path.appending("l"))
      try expectRefusal(stage, "symbolic link")
    }

    @Test("offload 9: a listing that stops early fails the whole walk")
    func listingFails() throws {
      let stage = try Stage()
      try stage.fillSmall()
      try Interposer.with(
        [Interposer.Rule("getdents64", path: "card/DCIM/100", nth: 2, .fail(.inputOutput))]
      ) { _ in
        let outcome = try stage.run()
        #expect(outcome.verdict == .refused)
        #expect(outcome.problems.contains { $0.contains("cannot be read whole") })
      }
      #expect(try stage.destination.entries().isEmpty)
    }

    @Test("offload 40, decision 12: names that a destination takes for one are refused")
    func twins() throws {
      let stage = try Stage()
      try stage.card.file("a/Clip.mov", [1])
      try stage.card.file("a/clip.mov", [2])
      #expect(try stage.run().verdict == .verified, "ext4 keeps them apart")
      Scratch.remove("a", from: try PinnedDirectory.open(stage.destination.root))
      Scratch.remove("Reports", from: try PinnedDirectory.open(stage.destination.root))
      try Interposer.with(
        [Interposer.Rule("mkdirat", path: ".custody.tmp.", .fail(.permissionDenied))]
      ) { _ in try expectRefusal(stage, "cannot be asked") }
    }
  #endif

  @Test(
    "offload 40: twins are found by case and by Unicode spelling",
    arguments: [
      ("a", "A", true), ("clip.MOV", "CLIP.mov", true), ("\u{e9}", "e\u{301}", true),
      ("\u{c4}", "\u{e4}", true), ("a", "b", false), ("a.", "a", false), ("ab", "a", false),
      ("k", "\u{212a}", true), ("\u{6f22}", "\u{5b57}", false),
    ])
  func twinSearch(first: String, second: String, areTwins: Bool) throws {
    let stage = try Stage()
    try stage.card.file(BytePath(first), [1])
    try stage.card.file(BytePath(second), [2])
    let root = DirectoryHandle(try PinnedDirectory.open(stage.card.root))
    let manifest = try CardSource.scan(root) { false }
    #expect(manifest.files.count == 2)
    #expect(!TwinSearch.twins(in: manifest).isEmpty == areTwins)
  }
}
