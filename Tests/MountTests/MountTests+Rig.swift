import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// The rig as a process, with everything but rules.
  @Suite struct RigProcess {
    static let plain = script("volume dst persona exfat-linux capacity 64MiB")

    /// A script of one case with a small card in `src`.
    static func script(_ destination: String, source: String = "") -> String {
      """
      custody-fault 1
      card tiny
      volume src persona ext4 capacity 64MiB \(source)
      \(destination)
      case "one"
        expect verified
      """
    }

    @Test("ioctl reaches the rig, which knows none, and a rule answers it")
    func ioctl() throws {
      let rig = try RigFixture()
      let script = Self.plain.replacing(
        "  expect verified", with: "  fail ioctl dst:f with EIO\n  expect verified")
      let place = try #require(try rig.load(script)["dst"])
      let file = try FileDescriptor.open(place.appending("f"), .readWrite, options: .create)
      #expect(errno(of: { try file.flushBlockDevice() })?.rawValue == ENOTTY)
      try rig.client.arm(ruleIDs: [0])
      #expect(errno(of: { try file.flushBlockDevice() }) == .inputOutput)
      #expect(try rig.client.status().fired == [0: 1])
      try file.close()
      try rig.end()
    }

    @Test("A load mounts every volume and fills it; the snapshot says what stands there")
    func load() throws {
      let rig = try RigFixture()
      let places = try rig.load(Self.plain)
      #expect(Set(places.keys) == ["src", "dst"])
      let source = try #require(places["src"])
      let snapshot = try rig.client.snapshot("src", .durable)
      #expect(!snapshot.files.isEmpty)
      for (path, entry) in snapshot.files {
        let seen = try FileSystem.metadata(source.appending(path), followingLinks: false)
        #expect(UInt64(seen.byteCount) == entry.byteCount)
      }
      let destination = try PinnedDirectory.open(try #require(places["dst"]))
      try destination.openFile("a", .writeOnly, options: .create).writeAll(Array("x".utf8))
      #expect(try rig.client.snapshot("dst", .volatile)["a"]?.byteCount == 1)
      #expect(try rig.client.snapshot("dst", .durable)["a"] == nil)
      try rig.end()
    }

    @Test(
      "Two loads with the same names and other bytes never mix, and mounts are kept under none only",
      arguments: ["none", "kernel", "lying"], ["memory", "backed"])
    func loads(cache: String, store: String) throws {
      let rig = try RigFixture()
      let text = """
        custody-fault 1
        volume src persona ext4 capacity 64MiB cache \(cache) store \(store)
        volume dst persona ext4 capacity 64MiB cache \(cache) store \(store)
        case "A"
          card random files=5 bytes=100KiB..100KiB seed=1
          expect verified
        case "B"
          seed 7
          card random files=5 bytes=100KiB..100KiB seed=1
          expect verified
        """
      let library = CardLibrary(folders: [try RigFixture.cards()])
      let parsed = try ScriptLoader(cards: library).load(Array(text.utf8), name: "test")
      let held = try PinnedDirectory.open(try #require(try rig.load(text)["src"]))
      for round in 0..<6 {
        let source = try #require(try rig.load(text, caseIndex: round % 2)["src"])
        let planned = try TreeBuilder(cards: library).trees(for: parsed.cases[round % 2])
        let files = try #require(planned["src"]).entries.filter { $0.value.kind == .file }
        #expect(files.count == 5)
        for (path, entry) in files {
          let bytes = try FileSystem.contents(of: source.appending(path))
          #expect(bytes == entry.content?.bytes(at: 0, count: 102_400))
        }
        #expect(rig.mounts.count == 2)
      }
      // A folder of the first mount still answers when it is the same mount.
      #expect(errno(of: { try held.list() }) == (cache == "none" ? nil : .notConnected))
      try rig.end()
    }

    @Test("A kept mount shows the next case's volume: other personas, other rules of names")
    func otherPersona() throws {
      let rig = try RigFixture()
      for persona in ["ext4", "exfat-linux", "ext4", "fat32"] {
        let places = try rig.load(Self.script("volume dst persona \(persona) capacity 64MiB"))
        let root = try PinnedDirectory.open(try #require(places["dst"]))
        try root.openFile("a", .writeOnly, options: .exclusiveCreate).writeAll([1])
        let isLinked = errno(of: { try root.link("a", to: root, "b") }) == nil
        #expect(isLinked == (persona == "ext4"))
        #expect(rig.mounts.count == 2)
      }
      try rig.end()
    }

    @Test(
      "An ejection shows the empty folder below, open handles answer ENODEV, an insertion brings the medium back"
    )
    func ejection() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(Self.plain)["dst"])
      let root = try PinnedDirectory.open(place)
      let kept = try root.openFile("kept", .readWrite, options: .create)
      try kept.writeAll(pattern(10_000, 1))
      try kept.fsync()
      try root.fsync()
      let lost = try root.openFile("lost", .readWrite, options: .create)
      try lost.writeAll(pattern(10_000, 2))

      try rig.client.eject("dst")
      #expect(try PinnedDirectory.open(place).list().isEmpty)
      #expect(!rig.mounts.contains(place))
      #expect(errno(of: { try kept.readAll(at: 0, count: 10) }) == .noDevice)
      #expect(errno(of: { try lost.writeAll([1]) }) == .noDevice)
      #expect(errno(of: { try root.list() }) == .noDevice)
      #expect(errno(of: { try rig.client.eject("dst") }) == nil)
      #expect(try rig.client.status().exposed.isEmpty)
      _ = try FileDescriptor.open(place.appending("stray"), .writeOnly, options: .create)
      #expect(try rig.client.status().exposed == ["dst": ["stray"]])
      _ = place.appending("stray").withCString { unlink($0) }

      try rig.client.insert("dst")
      let again = try PinnedDirectory.open(place)
      #expect(try again.list().map(\.name) == ["kept"])
      #expect(try FileSystem.contents(of: place.appending("kept")) == pattern(10_000, 1))
      #expect(errno(of: { try kept.readAll(at: 0, count: 10) }) == .noDevice)
      try kept.close()
      try lost.close()
      try again.openFile("new", .readWrite, options: .create).writeAll([1])
      try rig.end()
    }

    @Test("A remount is a disconnect for open handles and keeps everything")
    func remount() throws {
      let rig = try RigFixture()
      let place = try #require(
        try rig.load(Self.script("volume dst persona ext4 capacity 64MiB"))["dst"])
      let root = try PinnedDirectory.open(place)
      let file = try root.openFile("a", .readWrite, options: .create)
      try file.writeAll(pattern(8192, 1))
      try rig.client.remount("dst")
      #expect(errno(of: { try file.readAll(at: 0, count: 10) }) == .noDevice)
      #expect(try FileSystem.contents(of: place.appending("a")) == pattern(8192, 1))
      #expect(try rig.client.snapshot("dst", .durable)["a"]?.byteCount == 8192)
      try rig.end()
    }

    @Test("Another medium in the slot shows its files there, until the next case")
    func otherMedium() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(Self.plain)["dst"])
      try rig.client.eject("dst")
      try rig.client.insert("dst", as: "src")
      #expect(try !PinnedDirectory.open(place).list().isEmpty)
      #expect(throws: RigError.self) { try rig.client.insert("dst") }
      try rig.load(Self.plain)
      #expect(try PinnedDirectory.open(place).list().isEmpty)
      try rig.end()
    }

    @Test(
      "A volume inside another is a folder of the same mount; copy_file_range crosses, rename does not"
    )
    func siblings() throws {
      let rig = try RigFixture()
      let places = try rig.load(Self.script("volume dst persona ext4 inside src capacity 64MiB"))
      let source = try #require(places["src"])
      let destination = try #require(places["dst"])
      #expect(rig.mounts.count == 1)
      #expect(
        try FileSystem.metadata(source, followingLinks: false).device
          == FileSystem.metadata(destination, followingLinks: false).device)
      let from = try PinnedDirectory.open(source)
      let to = try PinnedDirectory.open(destination)
      #expect(
        Set(try PinnedDirectory.open(try #require(source.parent)).list().map(\.name)) == [
          "src", "dst",
        ])
      let file = try from.openFile("new", .readWrite, options: .create)
      try file.writeAll(pattern(300_000, 1))
      #expect(errno(of: { try from.rename("new", to: to, "new") }) == .crossDevice)
      #expect(errno(of: { try from.link("new", to: to, "new") }) == .crossDevice)
      var copy = try ChildProcess.spawn(
        ChildProcess.Command(
          "/bin/cp", [source.appending("new").bytes, destination.appending("copy").bytes]))
      #expect(try copy.wait()?.isSuccess == true)
      #expect(try FileSystem.contents(of: destination.appending("copy")) == pattern(300_000, 1))
      #expect(try rig.client.snapshot("dst", .volatile).files.map(\.path) == ["copy"])
      try rig.end()
    }

    @Test("Aliases lead to the volume they name: by path, by symbolic link, by bind mount")
    func aliases() throws {
      let rig = try RigFixture()
      let places = try rig.load(
        """
        custody-fault 1
        card tiny
        volume src persona ext4 capacity 64MiB
        volume dst persona ext4 capacity 64MiB
        volume dst2 = dst by symlink
        volume dst3 = dst by bind
        volume dst4 = dst at "sub"
        volume dst5 = dst by bind at "sub"
        case "one"
          given dst "sub/"
          expect verified
        """)
      let root = try PinnedDirectory.open(try #require(places["dst"]))
      let sub = try root.descend("sub")
      try root.openFile("a", .writeOnly, options: .create).writeAll([1, 2, 3])
      try sub.openFile("a", .writeOnly, options: .create).writeAll([4])
      #expect(Set(places.values).count == 6)
      for (name, bytes) in [
        ("dst2", [1, 2, 3]), ("dst3", [1, 2, 3]), ("dst4", [4]), ("dst5", [4]),
      ] {
        let place = try #require(places[name])
        #expect(try FileSystem.contents(of: place.appending("a")) == bytes.map { UInt8($0) })
      }
      // Loaded again, they are made anew.
      try rig.load(Self.plain)
      #expect(rig.mounts.count == 2)
      try rig.end()
    }

    @Test("A view shows one layer read-only beside a working client, 200 times without a stall")
    func views() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(Self.plain)["dst"])
      let view = rig.folder.appending("view")
      let root = try PinnedDirectory.open(place)
      try root.openFile("a", .readWrite, options: .create).writeAll(pattern(10_000, 1))
      try rig.client.view("dst", .volatile, at: view)
      try rig.client.view("dst", .durable, at: rig.folder.appending("durable"))
      #expect(try PinnedDirectory.open(rig.folder.appending("durable")).list().isEmpty)
      #expect(
        errno(of: {
          try FileDescriptor.open(view.appending("b"), .writeOnly, options: .create)
        }) == .readOnly)
      let place2 = place
      let writer = try Thread(name: "writer") {
        for round in 0..<200 {
          let name = BytePath("w\(round % 10)")
          guard let folder = try? PinnedDirectory.open(place2),
            let file = try? folder.openFile(name, .readWrite, options: .create)
          else { return }
          _ = try? file.writeAll([UInt8](repeating: UInt8(round % 256), count: 5000))
        }
      }
      for _ in 0..<200 {
        #expect(try FileSystem.contents(of: view.appending("a")) == pattern(10_000, 1))
      }
      writer.join()
      try rig.client.unview(at: view)
      #expect(errno(of: { try PinnedDirectory.open(view) }) == .noSuchFile)
      // The other one goes with the rig.
      try rig.end()
    }

    @Test("A view on one of our own mounts is refused before any path call")
    func viewInside() throws {
      let rig = try RigFixture()
      let place = try #require(try rig.load(Self.plain)["dst"])
      for path in [place, place.appending("x"), place.appending("../dst/x"), "relative"] {
        #expect(throws: RigError.self) { try rig.client.view("dst", .volatile, at: path) }
      }
      #expect(try rig.client.status().troubles.isEmpty)
      try rig.end()
    }

    @Test("Bad commands are answered with what is wrong, and the rig goes on")
    func badCommands() throws {
      let rig = try RigFixture()
      let broken = Script(
        name: "broken", text: "custody-fault 1\nnonsense", preamble: Preamble(), cases: [],
        explorations: [])
      #expect(throws: RigError.self) { try rig.client.load(broken, caseIndex: 0) }
      #expect(throws: RigError.self) { try rig.client.snapshot("nowhere", .durable) }
      #expect(throws: RigError.self) { try rig.client.beginRun(processID: 999_999_999) }
      #expect(throws: RigError.self) { try rig.client.unview(at: "/nowhere") }
      try rig.load(Self.plain)
      try rig.end()
    }
  }
}
