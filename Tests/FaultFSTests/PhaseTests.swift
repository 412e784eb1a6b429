import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Phases and points")
struct PhaseTests {
  /// An act for each phase; what fired says which phases were gone through, and `log` in which
  /// order.
  private func watch(_ file: String, persona: String = "posix-strict") throws -> Scene {
    let phases = [
      "first-data", "synced", "readback", "named", "complete", "published", "marker-gone",
      "dir-synced",
    ]
    let rules = phases.map { "terminate subject after \($0) of dst:~\(file)" }
    return try Scene(rules.joined(separator: "\n"), persona: persona)
  }

  private func reached(_ scene: Scene) -> [Int] { (0..<8).map { scene.fired($0) } }

  @Test("A copy that links the finished file goes through every phase but the marker's")
  func linking() throws {
    let scene = try watch("b")
    #expect(scene.copy("b"))
    #expect(reached(scene) == [1, 1, 1, 1, 1, 1, 0, 1])
  }

  @Test("Without read-back and folder sync those phases are absent")
  func lazy() throws {
    let scene = try watch("b")
    let file = try #require(scene.destination.create("b"))
    #expect(scene.destination.writeAll(file, scene.planned("b")))
    #expect(reached(scene) == [1, 0, 0, 1, 1, 0, 0, 0])
    #expect(scene.destination.fsync(file) == nil)
    #expect(reached(scene) == [1, 1, 0, 1, 1, 1, 0, 0])
  }

  @Test("In place under a marker: the marker's own bytes say which file it stands for")
  func marker() throws {
    let scene = try watch("a", persona: "exfat-linux")
    let json = Array(
      "{\"custodyStatus\":1,\"name\":\"a\",\"nameHex\":\"61\",\"state\":\"writing\"}".utf8)
    _ = try #require(scene.destination.put(".custody-status-7", json))
    let file = try #require(scene.destination.create("a"))
    #expect(scene.destination.writeAll(file, scene.planned("a")))
    #expect(scene.destination.fsync(file) == nil)
    #expect(scene.destination.readAll("a") == scene.planned("a"))
    #expect(scene.destination.unlink(".custody-status-7") == nil)
    #expect(scene.destination.fsyncFolder("") == nil)
    #expect(reached(scene) == [1, 1, 1, 1, 1, 1, 1, 1])
  }

  @Test("An fsync before the last byte is not `synced`, a failed one neither")
  func early() throws {
    let scene = try Scene(
      "terminate subject after synced of dst:~b\nfail fsync dst:~b nth 2 with EIO")
    let file = try #require(scene.destination.create("t"))
    let data = scene.planned("b")
    #expect(scene.destination.write(file, Array(data[..<1000]), at: 0) == .count(1000))
    #expect(scene.destination.fsync(file) == nil)
    #expect(scene.destination.writeAll(file, data))
    #expect(scene.destination.fsync(file) == .inputOutput)
    #expect(scene.fired(0) == 0)
    #expect(scene.destination.fsync(file) == nil)
    #expect(scene.fired(0) == 1)
  }

  @Test("Before a phase: the act comes first, and the request meets it")
  func before() throws {
    let scene = try Scene("readonly dst before first-data of dst:~a")
    let file = try #require(scene.destination.create("t"))
    #expect(scene.destination.write(file, scene.planned("a"), at: 0) == .failed(.readOnly))
    let killed = try Scene("kill subject before named of dst:~a")
    #expect(!killed.copy("a"))
    #expect(killed.host.log == ["kill"])
    #expect(killed.destination.node("a") == nil)
  }

  @Test(
    "Without `of`: the first file of the card, never a marker, or of the rule's own files"
  )
  func withoutOf() throws {
    let scene = try Scene(
      "full dst before first-data\nswap inode dst:~b after published bytes same")
    let marker = try #require(scene.destination.create(".custody-status-7"))
    #expect(scene.destination.write(marker, [1], at: 0) == .count(1))
    #expect(!scene.copy("a"))
    #expect(scene.fired(0) == 1)
    scene.injector.disarm()
    try scene.injector.arm([1])
    #expect(scene.destination.unlink(".custody.tmp.a") == nil)
    #expect(scene.copy("a"))
    #expect(scene.fired(1) == 0)
    #expect(scene.copy("b"))
    #expect(scene.fired(1) == 1)
  }

  @Test("Between two points the act lands just before the second one")
  func between() throws {
    let scene = try Scene("change src:a replace between stat and open restore-times")
    let before = scene.planned("a")
    let node = try #require(scene.source.node("a"))
    let shown = try #require(scene.source.attributes(node))
    #expect(scene.fired == 0)
    let opened = try #require(scene.source.open("a"))
    #expect(scene.fired == 1)
    _ = opened
    #expect(scene.readSource("a") != before)
    let now = try #require(scene.source.node("a").flatMap { scene.source.attributes($0) })
    #expect(now.modification == shown.modification && now.byteCount == shown.byteCount)
    #expect(now.node != shown.node)
  }

  @Test("scan is the first look at the source; a point with nth counts for each inode")
  func scanAndCount() throws {
    let scene = try Scene("terminate subject after scan\nreadonly dst after write nth 3")
    #expect(scene.source.list().count == 3)
    #expect(scene.fired(0) == 1)
    let one = try #require(scene.destination.create("x"))
    let two = try #require(scene.destination.create("y"))
    for offset in 0..<2 {
      #expect(scene.destination.write(one, [1], at: UInt64(offset)) == .count(1))
      #expect(scene.destination.write(two, [1], at: UInt64(offset)) == .count(1))
    }
    #expect(scene.fired(1) == 0)
    #expect(scene.destination.write(one, [1], at: 9) == .count(1))
    #expect(scene.fired(1) == 1)
    #expect(scene.destination.write(two, [1], at: 9) == .failed(.readOnly))
  }

  @Test("done is the runner's word, and a second run goes through the phases again")
  func runs() throws {
    let scene = try Scene(
      "eject dst after done\nterminate subject after readback of dst:~a times 2")
    #expect(scene.copy("a"))
    #expect(scene.fired(1) == 1)
    scene.injector.endRun(claimed: true)
    #expect(scene.fired(0) == 1)
    scene.host.performActs()
    scene.host.insert(volume: "dst", other: nil)
    scene.host.performActs()
    scene.injector.beginRun()
    #expect(scene.destination.readAll("a") == scene.planned("a"))
    #expect(scene.fired(1) == 2)
  }

  @Test("Shares: of a file, of the planned bytes, of what was read of the source, of another file")
  func shares() throws {
    let rows: [(rule: String, copies: [BytePath], fired: [Int])] = [
      ("change src:b append 1 at 50%", ["a", "b"], [0, 1]),
      ("full dst at 50%", ["a", "D/c", "b"], [0, 0, 1]),
      ("terminate subject at 50%", ["a", "D/c", "b"], [0, 0, 1]),
      ("terminate subject at 90% of dst:~a", ["b", "a"], [0, 1]),
      ("change src:D/new add at 50%", ["a", "b"], [0, 1]),
      ("change src:D symlink \"a\" at 10%", ["a", "D/c"], [0, 1]),
      ("full dst after 1000000", ["a", "D/c", "b"], [0, 0, 1]),
    ]
    for row in rows {
      let scene = try Scene(row.rule)
      for (path, fired) in zip(row.copies, row.fired) {
        scene.copy(path)
        #expect(scene.fired == fired, "\(row.rule) at \(path)")
      }
    }
  }
}
