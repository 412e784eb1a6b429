import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Answers that lie")
struct ListingTests {
  @Test("hide, duplicate and unknown types, by listing; small buffers lose nothing else")
  func entries() throws {
    let rows: [(rule: String, first: [String], second: [String])] = [
      ("hide src:b pass 1", ["D", "a"], ["D", "a", "b"]),
      ("hide src:b pass 2", ["D", "a", "b"], ["D", "a"]),
      ("hide src:b", ["D", "a"], ["D", "a", "b"]),
      ("hide src:b always", ["D", "a"], ["D", "a"]),
      ("duplicate src:b pass 1", ["D", "a", "b", "b"], ["D", "a", "b"]),
    ]
    for row in rows {
      for size in [64, 4096] {
        let scene = try Scene(row.rule)
        #expect(scene.source.list(bufferByteCount: size) == row.first, "\(row.rule) \(size)")
        #expect(scene.source.list(bufferByteCount: size) == row.second, "\(row.rule) \(size)")
        #expect(scene.fired >= 1)
      }
    }
  }

  @Test("A listing stops with an error at its n-th entry")
  func stops() throws {
    let scene = try Scene(
      "fail readdir src:D entry 2 with EIO\nfail readdir src:D entry 9 with EIO maybe")
    guard let folder = scene.source.node("D"),
      case .opened(let handle) = scene.source.ask(.opendir(folder)),
      case .listing(let entries) = scene.source.ask(
        .readdir(folder, handle, offset: 0, count: 4096)),
      let last = entries.last
    else {
      Issue.record("no listing")
      return
    }
    #expect(entries.map { $0.name.escaped } == [".", "..", "c"])
    #expect(scene.fired(0) == 0)
    let next = Request.Call.readdir(folder, handle, offset: last.nextOffset, count: 4096)
    #expect(scene.source.error(next) == .inputOutput)
    #expect(scene.fired(0) == 1)
    #expect(scene.source.list("D") == ["c", "empty"])
    #expect(scene.fired(1) == 0)
  }

  @Test("stat and statfs say what the rule says")
  func fields() throws {
    let scene = try Scene(
      """
      report stat src:a size 24MiB always
      report statfs dst free 0 always
      report readdir src:** type unknown always
      """)
    let node = try #require(scene.source.node("a"))
    #expect(scene.source.attributes(node)?.byteCount == 24 << 20)
    guard case .statistics(let statistics) = scene.destination.ask(.statfs(1)) else {
      Issue.record("no statistics")
      return
    }
    #expect(statistics.freeBlocks == 0)
    guard case .opened(let handle) = scene.source.ask(.opendir(1)),
      case .listing(let entries) = scene.source.ask(.readdir(1, handle, offset: 2, count: 4096))
    else {
      Issue.record("no listing")
      return
    }
    #expect(entries.allSatisfy { $0.kind == nil })
    #expect((0..<3).allSatisfy { scene.fired($0) >= 1 })
    let same = try Scene("report stat src:a size 5000 always")
    _ = same.source.node("a").flatMap { same.source.attributes($0) }
    #expect(same.fired == 0, "a lie that is the truth does not count")
  }

  @Test("lseek calls data a hole, and a hole data")
  func holes() throws {
    func seek(_ scene: Scene, _ offset: UInt64, _ whence: Int32) throws -> UInt64? {
      let file = try #require(scene.source.open("b"))
      let call = Request.Call.lseek(file.node, file.handle, offset: offset, whence: whence)
      if case .offset(let found) = scene.source.ask(call) { return found }
      return nil
    }
    let scene = try Scene("report lseek src:b hole 1MiB+1MiB always")
    #expect(try seek(scene, 0, 4) == 1 << 20)
    #expect(try seek(scene, 1 << 20, 3) == 2 << 20)
    #expect(try seek(scene, 0, 3) == 0)
    #expect(try seek(scene, 2 << 20, 4) == 3 << 20)
    #expect(scene.fired == 2)
    let tail = try Scene("report lseek src:b hole 1MiB+9MiB always")
    #expect(try seek(tail, 1 << 20, 3) == nil)
  }

  @Test("A change of the source is seen by the next read, and is the rig's act")
  func changes() throws {
    let rows: [(action: String, path: BytePath, check: (Scene) -> Bool)] = [
      (
        "write 10+20", "a",
        { $0.readSource("a")?[9..<31].elementsEqual($0.planned("a")[9..<31]) == false }
      ),
      ("append 7", "a", { $0.readSource("a")?.count == 5007 }),
      ("truncate 3", "a", { $0.readSource("a")?.count == 3 }),
      (
        "replace", "a",
        { $0.readSource("a")?.count == 5000 && $0.readSource("a") != $0.planned("a") }
      ),
      ("symlink \"b\"", "a", { $0.volatile("src")["a"]?.linkText == "b" }),
      ("remove", "a", { $0.source.node("a") == nil }),
      ("add", "new", { $0.readSource("new")?.isEmpty == false }),
    ]
    for row in rows {
      let scene = try Scene("change src:\(row.path) \(row.action)")
      #expect(row.check(scene), "\(row.action)")
      #expect(scene.fired == 1)
      #expect(scene.injector.acts == [RigAct(kind: .changed, volume: "src", path: row.path)])
      #expect(scene.volatile("src") == scene.durable("src"), "\(row.action)")
    }
  }
}
