import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// Case B after case A on one rig: the same names, other bytes.
  @Suite struct Mixing {
    private static func script(_ persona: String, _ cache: String, _ store: String) -> String {
      """
      custody-fault 1
      card empty
      volume src persona ext4 capacity 16MiB
      volume dst persona \(persona) capacity 64MiB cache \(cache) store \(store)
      case "A"
        given dst "SAME.MOV" bytes 20KiB
        given dst "DIR/CLIP.MOV" bytes 20KiB
        given dst "DIR/A.MOV" bytes 4KiB
        expect sound
      case "B"
        seed 7
        given dst "SAME.MOV" bytes 20KiB
        given dst "dir/clip.mov" bytes 24KiB
        given dst "dir/B.MOV" bytes 4KiB
        expect sound
      """
    }

    @Test(
      "A and B never mix, by the name, the folded name, a mapping and a listing",
      arguments: ["none", "kernel", "lying"], ["memory", "backed"])
    func cases(cache: String, store: String) throws {
      let rig = try RigFixture()
      let library = CardLibrary(folders: [try RigFixture.cards()])
      for persona in Persona.names {
        let text = Self.script(persona, cache, store)
        let cases = try ScriptLoader(cards: library).load(Array(text.utf8), name: "test").cases
        let folds = Persona.named(persona)?.names.isCaseSensitive == false
        for index in [0, 1, 0, 1] {
          let place = try #require(try rig.load(text, caseIndex: index)["dst"])
          let tree = try #require(try TreeBuilder(cards: library).trees(for: cases[index])["dst"])
          let files = tree.entries.filter { $0.value.kind == .file }
          #expect(files.count == 3)
          for (path, entry) in files {
            let wanted = try #require(entry.content?.bytes(at: 0, count: 32 << 10))
            let name = place.appending(path)
            #expect(try FileSystem.contents(of: name) == wanted, "\(persona): \(path)")
            #expect(try Self.mapped(name) == wanted, "\(persona): \(path), mapped")
            // The other case's spelling: the same file where names fold, none where they do not.
            let other = BytePath(Self.swapped(path.escaped))
            let found = try? FileSystem.contents(of: place.appending(other))
            #expect(found == (folds ? wanted : nil), "\(persona): \(other)")
          }
          let folder = place.appending(index == 0 ? "DIR" : "dir")
          let listed = Set(try PinnedDirectory.open(folder).list().map(\.name.escaped))
          let wanted: Set = index == 0 ? ["CLIP.MOV", "A.MOV"] : ["clip.mov", "B.MOV"]
          #expect(listed == wanted, "\(persona)")
        }
      }
      try rig.end()
    }

    private static func swapped(_ text: String) -> String {
      String(text.map { $0.isLowercase ? Character($0.uppercased()) : Character($0.lowercased()) })
    }

    private static func mapped(_ path: BytePath) throws -> [UInt8] {
      let file = try FileDescriptor.open(path, .readOnly)
      let count = Int(try file.metadata().byteCount)
      guard let map = mmap(nil, count, PROT_READ, MAP_PRIVATE, file.rawValue, 0), map != MAP_FAILED
      else { return [] }
      defer { munmap(map, count) }
      return Array(UnsafeRawBufferPointer(start: map, count: count))
    }
  }
}
