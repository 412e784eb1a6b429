import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Personas on the volume in memory")
struct PersonaTests {
  private func bench(_ name: String) throws -> (store: MemoryVolume, bench: Bench) {
    let persona = try #require(Persona.named(name))
    let store = MemoryVolume(persona: persona, capacity: 64 << 20)
    return (store, Bench(store))
  }

  static let answers: [(persona: String, name: String, errno: Errno?)] = [
    ("posix-strict", "a:b", nil), ("posix-strict", "a\\b", nil),
    ("exfat-linux", "a:b", .invalid), ("exfat-linux", "a?", .invalid),
    ("exfat-linux", "tab\u{9}", .invalid), ("exfat-linux", "CON", nil),
    ("exfat-fuse", "a:b", .noSuchFile), ("fat32", "a*b", .invalid),
  ]

  @Test("Forbidden names answer as the driver does", arguments: answers)
  func forbidden(_ row: (persona: String, name: String, errno: Errno?)) throws {
    let (_, bench) = try bench(row.persona)
    let call = Request.Call.create(
      parent: 1, name: BytePath(row.name), mode: 0o644, flags: O_WRONLY)
    #expect(bench.error(call) == row.errno)
    #expect(
      bench.error(.mkdir(parent: 1, name: BytePath(row.name + "x"), mode: 0o755)) == row.errno)
  }

  @Test("255 UTF-16 units fit, 256 do not; on POSIX 255 bytes")
  func lengths() throws {
    let (_, wide) = try bench("exfat-linux")
    let (_, narrow) = try bench("posix-strict")
    let han = String(repeating: "\u{6f22}", count: 255)
    #expect(wide.create(BytePath(han)) != nil)
    #expect(wide.mkdir(BytePath(han + "a")) == .nameTooLong)
    #expect(narrow.mkdir(BytePath(han)) == .nameTooLong)
    #expect(narrow.mkdir(BytePath(String(repeating: "a", count: 255))) == nil)
    #expect(wide.mkdir(BytePath(String(repeating: "\u{1f600}", count: 128))) == .nameTooLong)
    #expect(wide.mkdir(BytePath(String(repeating: "\u{1f600}", count: 127))) == nil)
  }

  @Test("Case folds and is kept: other case opens the same file, rename changes the listing")
  func folding() throws {
    let (_, bench) = try bench("exfat-linux")
    _ = try #require(bench.put("Clip.MP4", [1]))
    #expect(bench.readAll("CLIP.mp4") == [1])
    #expect(bench.create("clip.mp4") == nil)
    #expect(bench.mkdir("CLIP.MP4") == .fileExists)
    #expect(bench.list() == ["Clip.MP4"])
    #expect(bench.rename("clip.mp4", "CLIP.mp4") == nil)
    #expect(bench.list() == ["CLIP.mp4"])
    _ = try #require(bench.put("\u{e4}", [2]))
    #expect(bench.readAll("\u{c4}") == [2])
    #expect(bench.node("SS") == nil)
    _ = try #require(bench.put("\u{df}", [3]))
    #expect(bench.node("ss") == nil)
    // NFC and NFD stay two files.
    #expect(bench.create("a\u{308}") != nil)
  }

  @Test("A trailing dot is stripped, so that another name is listed")
  func trailing() throws {
    let (_, bench) = try bench("exfat-linux")
    _ = try #require(bench.put("take.", [1]))
    #expect(bench.list() == ["take"])
    #expect(bench.readAll("take") == [1])
  }

  @Test("Normalisation: insensitive finds either spelling, decomposing lists the other")
  func normalisation() throws {
    let keeping = MemoryVolume(persona: .plain { $0.names.normalisation = .insensitive })
    let first = Bench(keeping)
    _ = try #require(first.put("\u{e9}", [1]))
    #expect(first.readAll("e\u{301}") == [1])
    #expect(first.list() == ["\u{e9}"])
    let changing = MemoryVolume(persona: .plain { $0.names.normalisation = .storesDecomposed })
    let second = Bench(changing)
    _ = try #require(second.put("\u{e9}", [1]))
    #expect(second.readAll("\u{e9}") == [1])
    guard case .opened(let handle) = second.ask(.opendir(1)),
      case .listing(let entries) = second.ask(.readdir(1, handle, offset: 2, count: 4096))
    else {
      Issue.record("no listing")
      return
    }
    #expect(entries.map(\.name) == ["e\u{301}"])
  }

  @Test("Links, symlinks, fifos, attributes and reservations answer as the driver does")
  func refusals() throws {
    for name in Persona.names {
      let (_, bench) = try bench(name)
      let persona = try #require(Persona.named(name))
      let file = try #require(bench.put("f", [1]))
      #expect(bench.link(file.node, "l") == persona.linkError, "\(name)")
      #expect(bench.error(.symlink(parent: 1, name: "s", text: "f")) == persona.symlinkError)
      #expect(bench.error(.mknod(parent: 1, name: "p", mode: 0o010_644)) == persona.nodeError)
      #expect(
        bench.error(.setxattr(file.node, name: "user.a", value: [1], flags: 0))
          == persona.xattrError)
      let opened = try #require(bench.open("f", flags: O_WRONLY))
      #expect(
        bench.error(.fallocate(opened.node, opened.handle, mode: 0, offset: 0, count: 10))
          == persona.fallocateError)
      #expect(bench.rename("f", "g", flags: 1) == persona.noReplaceError)
    }
  }

  @Test("A chmod that is ignored says success and changes nothing")
  func modes() throws {
    let (_, bench) = try bench("exfat-fuse")
    let file = try #require(bench.put("f", [1]))
    let before = bench.attributes(file.node)?.mode
    var change = AttributeChange()
    change.mode = 0o600
    #expect(bench.error(.setattr(file.node, handle: nil, change)) == nil)
    #expect(bench.attributes(file.node)?.mode == before)
  }

  @Test("A volume without modes has one owner and one mode, which the persona names")
  func owner() throws {
    for (name, mode) in [("exfat-fuse", 0o777), ("exfat-linux", 0o755)] as [(String, UInt16)] {
      let (_, bench) = try bench(name)
      let file = try #require(bench.put("f", [1]))
      #expect(bench.attributes(file.node)?.mode == mode)
      var other = AttributeChange()
      other.uid = getuid() + 1
      #expect(bench.error(.setattr(file.node, handle: nil, other)) == .notPermitted)
      other.uid = getuid()
      #expect(bench.error(.setattr(file.node, handle: nil, other)) == nil)
    }
  }

  @Test("A call that sets one of the two times is dropped where libfuse drops it")
  func singleTime() throws {
    for (name, isDropped) in [("exfat-fuse", true), ("exfat-linux", false)] {
      let (_, bench) = try bench(name)
      let file = try #require(bench.put("f", [1]))
      let before = bench.attributes(file.node)?.modification
      var change = AttributeChange()
      change.modification = .at(1_000_000_000_000_000_000)
      #expect(bench.error(.setattr(file.node, handle: nil, change)) == nil)
      #expect((bench.attributes(file.node)?.modification == before) == isDropped)
    }
  }

  @Test("A write that fits in part is short, or refused whole")
  func lastWrite() throws {
    for (name, outcome) in [
      ("exfat-fuse", Bench.Written.failed(.noSpace)), ("exfat-linux", .count(4096)),
    ] {
      let persona = try #require(Persona.named(name))
      let bench = Bench(MemoryVolume(persona: persona, capacity: 4096))
      let file = try #require(bench.create("f"))
      #expect(bench.write(file, [UInt8](repeating: 7, count: 5000), at: 0) == outcome)
    }
  }

  private func setTime(_ bench: Bench, _ node: NodeID, _ time: Int64) -> Int64? {
    // Both, since some drop a call that sets one.
    var change = AttributeChange()
    change.modification = .at(time)
    change.access = .at(time)
    guard case .attributes(let after) = bench.ask(.setattr(node, handle: nil, change)) else {
      return nil
    }
    return after.modification
  }

  @Test(
    "Times step as coarsely as the format",
    arguments: [
      ("posix-strict", 1_783_771_201_987_654_321), ("exfat-linux", 1_783_771_201_980_000_000),
      ("exfat-fuse", 1_783_771_201_000_000_000), ("fat32", 1_783_771_200_000_000_000),
    ] as [(String, Int64)])
  func grain(persona: String, kept: Int64) throws {
    let (_, bench) = try bench(persona)
    let file = try #require(bench.put("f", [1]))
    #expect(setTime(bench, file.node, 1_783_771_201_987_654_321) == kept)
  }

  @Test("Dates before 1980 are clamped, at once or by the next mount")
  func clamp() throws {
    let early: Int64 = 300_000_000_000_000_000
    let floor: Int64 = 315_532_800_000_000_000
    let (_, linux) = try bench("exfat-linux")
    let file = try #require(linux.put("f", [1]))
    #expect(setTime(linux, file.node, early) == floor)
    let (store, fuse) = try bench("exfat-fuse")
    let other = try #require(fuse.put("f", [1]))
    #expect(setTime(fuse, other.node, early) == early)
    store.syncAll()
    store.dropVolatile()
    store.mountAnew()
    #expect(try store.snapshot(.volatile)["f"]?.modification == floor)
  }

  @Test("The change time is real, follows the modification time, or is lost by a mount")
  func changeTime() throws {
    let (_, strict) = try bench("posix-strict")
    let file = try #require(strict.put("f", [1]))
    let before = try #require(strict.attributes(file.node)?.change)
    _ = setTime(strict, file.node, 1_000_000_000_000_000_000)
    #expect(try #require(strict.attributes(file.node)?.change) > before)
    let (_, fuse) = try bench("exfat-fuse")
    let other = try #require(fuse.put("f", [1]))
    _ = setTime(fuse, other.node, 1_000_000_000_000_000_000)
    #expect(fuse.attributes(other.node)?.change == 1_000_000_000_000_000_000)
  }

  @Test("Inode numbers last, or change by mount or by eviction, never while open")
  func inodes() throws {
    for (policy, byMount, byEviction) in [
      (Persona.InodePolicy.stable, false, false), (.perMount, true, false),
      (.perEviction, true, true),
    ] {
      let store = MemoryVolume(persona: .plain { $0.inodes = policy })
      let bench = Bench(store)
      _ = try #require(bench.put("other", [1]))
      let file = try #require(bench.put("f", [1]))
      let number = try #require(bench.attributes(file.node)?.inode)
      let opened = try #require(bench.open("f"))
      _ = bench.ask(.forget(file.node, lookups: 100))
      #expect(bench.attributes(file.node)?.inode == number, "open: \(policy)")
      #expect(bench.close(opened) == nil)
      _ = bench.node("f")
      _ = bench.ask(.forget(file.node, lookups: 100))
      let evicted = try #require(bench.node("f").flatMap { bench.attributes($0)?.inode })
      #expect((evicted != number) == byEviction, "\(policy)")
      store.syncAll()
      store.dropVolatile()
      store.mountAnew()
      let mounted = try #require(bench.node("f").flatMap { bench.attributes($0)?.inode })
      #expect((mounted != evicted) == byMount, "\(policy)")
    }
  }

  @Test("The largest file of FAT32 is 4 GiB less one byte")
  func largest() throws {
    let persona = try #require(Persona.named("fat32"))
    let store = MemoryVolume(persona: persona, capacity: 8 << 30)
    let bench = Bench(store)
    let file = try #require(bench.create("f"))
    let limit = UInt64(UInt32.max)
    #expect(bench.write(file, [1, 2, 3], at: limit - 2) == .count(2))
    #expect(bench.write(file, [1], at: limit) == .failed(.fileTooLarge))
    var change = AttributeChange()
    change.byteCount = limit + 1
    #expect(bench.error(.setattr(file.node, handle: nil, change)) == .fileTooLarge)
  }
}
