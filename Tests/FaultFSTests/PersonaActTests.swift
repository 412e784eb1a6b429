import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("What personas do by themselves")
struct PersonaActTests {
  private func volume(
    _ name: String, capacity: UInt64 = 64 << 20
  ) throws -> (store: MemoryVolume, bench: Bench) {
    let store = MemoryVolume(persona: try #require(Persona.named(name)), capacity: capacity)
    return (store, Bench(store))
  }

  // MARK: Open files

  @Test(
    "An open file that is removed keeps a name until it is closed",
    arguments: [("nfs", ".nfs"), ("ntfs-posix", ".fuse_hidden"), ("exfat-fuse", ".fuse_hidden")])
  func kept(persona: String, prefix: String) throws {
    let (store, bench) = try volume(persona)
    _ = try #require(bench.put("f", [1, 2, 3]))
    let opened = try #require(bench.open("f", flags: O_RDWR))
    #expect(bench.unlink("f") == nil)
    let names = bench.list()
    #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(prefix) })
    #expect(try store.snapshot(.volatile).paths == [""], "no subject made that name")
    #expect(bench.attributes(opened.node)?.linkCount == 0)
    #expect(store.paths(of: opened.node) == [])
    #expect(bench.read(opened, at: 0, 3) == [1, 2, 3])
    #expect(bench.close(opened) == nil)
    #expect(bench.list() == [])
    #expect(store.usedBlocks == 0)
  }

  @Test("An open file that is replaced keeps a name too, and the folder is not empty before")
  func replaced() throws {
    let (store, bench) = try volume("nfs")
    bench.mkdir("d")
    _ = try #require(bench.put("d/f", [1]))
    _ = try #require(bench.put("g", [2]))
    let opened = try #require(bench.open("d/f"))
    #expect(bench.rename("g", "d/f") == nil)
    #expect(bench.readAll("d/f") == [2])
    #expect(bench.list("d").count == 2)
    #expect(bench.unlink("d/f") == nil)
    #expect(bench.error(.rmdir(parent: 1, name: "d")) == .notEmpty)
    #expect(bench.close(opened) == nil)
    #expect(bench.error(.rmdir(parent: 1, name: "d")) == nil)
    #expect(store.usedBlocks == 0)
  }

  @Test("A share refuses to remove or replace what is open; a local volume does it at once")
  func refused() throws {
    for (name, errno) in [("smb", .busy), ("ext4", nil)] as [(String, Errno?)] {
      let (_, bench) = try volume(name)
      _ = try #require(bench.put("f", [1]))
      _ = try #require(bench.put("g", [2]))
      let opened = try #require(bench.open("f"))
      #expect(bench.rename("g", "f") == errno, "\(name)")
      #expect(bench.unlink("f") == errno, "\(name)")
      #expect(bench.close(opened) == nil)
      if errno != nil { #expect(bench.unlink("f") == nil) }
    }
  }

  // MARK: Inode numbers

  @Test("All empty files share inode 1; the first bytes give a number, which lasts")
  func firstCluster() throws {
    let (store, bench) = try volume("exfat-macos")
    let one = try #require(bench.put("a", []))
    let two = try #require(bench.put("b", []))
    #expect(bench.attributes(one.node)?.inode == 1 && bench.attributes(two.node)?.inode == 1)
    let opened = try #require(bench.open("a", flags: O_WRONLY))
    #expect(bench.write(opened, [1], at: 0) == .count(1))
    #expect(bench.fsync(opened) == nil && bench.close(opened) == nil)
    let number = try #require(bench.attributes(one.node)?.inode)
    #expect(number != 1 && number != bench.attributes(MemoryVolume.rootID)?.inode)
    store.syncAll()
    store.dropVolatile()
    store.mountAnew()
    #expect(bench.node("a").flatMap { bench.attributes($0)?.inode } == number)
    #expect(bench.node("b").flatMap { bench.attributes($0)?.inode } == 1)
  }

  // MARK: Late errors

  @Test("A share acknowledges what finds no room, and says so once, at fsync or close")
  func late() throws {
    for name in ["nfs", "smb"] {
      let (_, bench) = try volume(name, capacity: 16 << 10)
      let first = try #require(bench.create("f"))
      #expect(bench.write(first, [UInt8](repeating: 7, count: 32 << 10), at: 0) == .count(32 << 10))
      #expect(bench.attributes(first.node)?.byteCount == 32 << 10)
      #expect(bench.fsync(first) == .noSpace, "\(name)")
      #expect(bench.fsync(first) == nil, "told once")
      #expect(bench.write(first, [1], at: 48 << 10) == .count(1))
      #expect(bench.close(first) == .noSpace, "\(name)")
      let bytes = try #require(bench.readAll("f"))
      #expect(bytes.count == (48 << 10) + 1 && bytes.last == 0, "the bytes are gone")
    }
    let (_, local) = try volume("ext4", capacity: 16 << 10)
    let file = try #require(local.create("f"))
    #expect(local.write(file, [UInt8](repeating: 7, count: 32 << 10), at: 0) == .count(16 << 10))
    #expect(local.write(file, [1], at: 16 << 10) == .failed(.noSpace))
  }

  // MARK: Owners, links, holes, room

  @Test("Another owner is kept, refused or ignored")
  func owners() throws {
    for (name, errno, isKept) in [
      ("ext4", nil, true), ("nfs", .notPermitted, false), ("fat32", .notPermitted, false),
      ("ntfs-posix", nil, false), ("exfat-macos", nil, false),
    ] as [(String, Errno?, Bool)] {
      let (store, bench) = try volume(name)
      let file = try #require(bench.put("f", [1]))
      var change = AttributeChange()
      change.uid = getuid() + 1
      #expect(bench.error(.setattr(file.node, handle: nil, change)) == errno, "\(name)")
      store.syncAll()
      store.dropVolatile()
      #expect((store.attributes(of: file.node)?.uid == getuid() + 1) == isKept, "\(name)")
    }
  }

  @Test("Modes: kept; ignored; ignored, but nothing beyond permissions")
  func modes() throws {
    for (name, errno) in [("ext4", nil), ("ntfs-posix", nil), ("exfat-fuse", .notPermitted)]
      as [(String, Errno?)]
    {
      let (_, bench) = try volume(name)
      let file = try #require(bench.put("f", [1]))
      var change = AttributeChange()
      change.mode = 0o4755
      #expect(bench.error(.setattr(file.node, handle: nil, change)) == errno, "\(name)")
      #expect((bench.attributes(file.node)?.mode == 0o4755) == (name == "ext4"))
    }
  }

  @Test("The links of a folder count its folders, all its entries, or nothing")
  func folderLinks() throws {
    for (name, counts) in [
      ("ext4", [2, 4, 3]), ("apfs", [2, 5, 4]), ("btrfs", [1, 1, 1]),
    ] as [(String, [UInt32])] {
      let (store, bench) = try volume(name)
      bench.mkdir("d")
      let folder = try #require(bench.node("d"))
      var seen = [bench.attributes(folder)?.linkCount]
      bench.mkdir("d/a")
      bench.mkdir("d/b")
      _ = bench.put("d/f", [1])
      seen.append(bench.attributes(folder)?.linkCount)
      #expect(bench.rename("d/a", "a") == nil)
      seen.append(bench.attributes(folder)?.linkCount)
      #expect(seen == counts, "\(name)")
      store.syncAll()
      store.dropVolatile()
      #expect(store.attributes(of: folder)?.linkCount == counts[2], "\(name)")
    }
  }

  @Test("Holes that lseek does not show are holes all the same")
  func holes() throws {
    for (name, hole) in [("ntfs-posix", 1_048_581), ("ext4", 0)] as [(String, Int64)] {
      let (_, bench) = try volume(name)
      let file = try #require(bench.create("f"))
      #expect(bench.write(file, [1, 2, 3, 4, 5], at: 1 << 20) == .count(5))
      #expect(bench.attributes(file.node)?.blocks == 8)
      guard
        case .offset(let found) = bench.ask(.lseek(file.node, file.handle, offset: 0, whence: 4))
      else {
        Issue.record("no answer to lseek")
        return
      }
      #expect(found == hole, "\(name)")
    }
  }

  @Test("A full volume still takes files, files and folders, or neither; overwriting, or not")
  func full() throws {
    for (name, file, folder, overwrites) in [
      ("ext4", true, false, true), ("posix-strict", true, true, true), ("xfs", false, false, true),
      ("btrfs", true, true, false), ("ntfs-posix", true, true, true),
    ] {
      let (_, bench) = try volume(name, capacity: 8 << 10)
      let filling = try #require(bench.create("f"))
      bench.write(filling, [UInt8](repeating: 7, count: 16 << 10), at: 0)
      #expect((bench.create("g") != nil) == file, "\(name)")
      #expect((bench.mkdir("d") == nil) == folder, "\(name)")
      #expect((bench.write(filling, [1], at: 0) == .count(1)) == overwrites, "\(name)")
    }
  }

  @Test("Exchanging two names, and a rename over a full folder, answer as the driver does")
  func renames() throws {
    for name in Persona.names {
      let persona = try #require(Persona.named(name))
      let (_, bench) = try volume(name)
      _ = try #require(bench.put("a", [1]))
      _ = try #require(bench.put("b", [2]))
      #expect(bench.rename("a", "b", flags: 2) == persona.exchangeError, "\(name)")
      for folder in ["d", "e", "e/x"] as [BytePath] { bench.mkdir(folder) }
      #expect(bench.rename("d", "e") == (name == "xfs" ? .fileExists : .notEmpty), "\(name)")
    }
  }

  @Test("A read moves an access time that is no later than the last change, as relatime does")
  func accessTimes() throws {
    for (name, byRead, byListing) in [
      ("ext4", true, true), ("exfat-fuse", true, false), ("nfs", false, false),
    ] {
      let (_, bench) = try volume(name)
      bench.mkdir("d")
      let folder = try #require(bench.node("d"))
      let file = try #require(bench.put("f", [1]))
      func read() -> Int64? {
        _ = bench.readAll("f")
        _ = bench.mkdir(BytePath("tick\(bench.list().count)"))
        return bench.attributes(file.node)?.access
      }
      let old = Int64(1_000_000_000_000_000_000)
      var change = AttributeChange()
      change.access = .at(old)
      change.modification = .at(old)
      for node in [file.node, folder] {
        #expect(bench.error(.setattr(node, handle: nil, change)) == nil)
      }
      let first = read()
      #expect((first != old) == byRead, "\(name)")
      _ = bench.list("d")
      #expect((bench.attributes(folder)?.access != old) == byListing, "\(name)")
    }
  }

  // MARK: Spellings

  @Test("Under another spelling stands another inode; a rename to it arrives and is carried out")
  func spellings() throws {
    for (name, isSameNumber) in [("apfs", true), ("exfat-fuse", false)] {
      let scene = try Scene("", persona: name)
      let bench = scene.destination
      _ = try #require(bench.put("CaSe", [1]))
      let listed = try #require(bench.node("CaSe"))
      let other = try #require(bench.node("case"))
      #expect(other != listed && bench.node("case") == other, "\(name)")
      let numbers = [listed, other].map { bench.attributes($0)?.inode }
      #expect((numbers[0] == numbers[1]) == isSameNumber, "\(name)")
      let opened = try #require(bench.open("case", flags: O_RDWR))
      #expect(bench.write(opened, [2], at: 0) == .count(1))
      #expect(bench.close(opened) == nil)
      #expect(bench.readAll("CaSe") == [2])
      #expect(bench.rename("CaSe", "case") == nil)
      #expect(bench.list() == ["case"])
      #expect(bench.node("case") == listed, "the name that is listed now")
      _ = bench.ask(.forget(other, lookups: 100))
      #expect(bench.error(.getattr(other, handle: nil)) == .stale)
    }
    let linux = try Scene("", persona: "exfat-linux")
    _ = try #require(linux.destination.put("CaSe", [1]))
    #expect(linux.destination.node("CaSe") == linux.destination.node("case"))
  }

  @Test("A rule strikes a file under whatever spelling")
  func rules() throws {
    let scene = try Scene("fail open dst:Clip with EACCES", persona: "apfs")
    _ = try #require(scene.destination.put("Clip", [1]))
    let node = try #require(scene.destination.node("cLIP"))
    #expect(scene.destination.error(.open(node, flags: O_RDONLY)) == .permissionDenied)
  }
}
