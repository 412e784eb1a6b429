import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Answers from before the last change, and reads of the medium")
struct StaleTests {
  private static let old = sampleBytes(1, 10_000)
  private static let new = sampleBytes(2, 10_000)

  /// `x` with old bytes, then with new ones from 4096 on.
  private func overwritten(_ rule: String) throws -> (scene: Scene, file: Bench.Opened) {
    let scene = try Scene(rule)
    let file = try #require(scene.destination.create("x", flags: O_RDWR | O_CREAT | O_EXCL))
    #expect(scene.destination.write(file, Self.old, at: 0) == .count(10_000))
    #expect(scene.destination.write(file, Array(Self.new[4096...]), at: 4096) == .count(5904))
    return (scene, file)
  }

  @Test("stale read: the bytes that were written over, within its range, once for each inode")
  func read() throws {
    let (scene, file) = try overwritten("stale read dst:x range 5000+1000")
    let now = Array(Self.old[..<4096]) + Array(Self.new[4096...])
    var expected = now
    expected.replaceSubrange(5000..<6000, with: Self.old[5000..<6000])
    #expect(scene.destination.read(file, at: 0, 20_000) == expected)
    #expect(scene.destination.read(file, at: 0, 20_000) == now)
    #expect(scene.fired == 1)
  }

  @Test("stale read: a file that is new held zeros before")
  func readNew() throws {
    let scene = try Scene("stale read dst:~a range 0+4096 always")
    #expect(!scene.copy("a"))
    let bytes = try #require(scene.destination.readAll(".custody.tmp.a"))
    #expect(bytes.prefix(4096).allSatisfy { $0 == 0 })
  }

  @Test("stale read: nothing was written over, nothing is struck")
  func readUnchanged() throws {
    let (scene, file) = try overwritten("stale read dst:x range 0+4096 maybe")
    _ = scene.destination.fsync(file)
    let bytes = scene.destination.read(file, at: 0, 4096)
    #expect(bytes == [UInt8](repeating: 0, count: 4096) || scene.fired == 0)
    let source = try Scene("stale read src:a maybe")
    #expect(source.readSource("a") == source.planned("a") && source.fired == 0)
  }

  @Test("stale for: the old bytes for a while from the first old answer on, then the right ones")
  func window() throws {
    let (scene, file) = try overwritten("stale read dst:x range 4096+4096 for 300ms")
    let now = Array(Self.new[4096..<8192])
    usleep(400_000)
    #expect(scene.destination.read(file, at: 4096, 4096) == Array(Self.old[4096..<8192]))
    #expect(scene.destination.read(file, at: 4096, 4096) == Array(Self.old[4096..<8192]))
    usleep(400_000)
    #expect(scene.destination.read(file, at: 4096, 4096) == now)
    #expect(scene.fired == 2)
  }

  @Test("stale stat: size and time of before the last change; a truncation is one")
  func stat() throws {
    let (scene, file) = try overwritten("stale stat dst:x")
    var change = AttributeChange()
    change.byteCount = 3
    _ = scene.destination.ask(.setattr(file.node, handle: nil, change))
    #expect(scene.destination.attributes(file.node)?.byteCount == 10_000)
    #expect(scene.destination.attributes(file.node)?.byteCount == 3)
    #expect(scene.fired == 1)
  }

  @Test("stale lookup: a new name is not there yet, and one that went still is")
  func lookup() throws {
    let scene = try Scene("stale lookup dst:x\nstale lookup dst:y")
    let bench = scene.destination
    _ = try #require(bench.create("x"))
    #expect(bench.error(.lookup(parent: 1, name: "x")) == .noSuchFile)
    #expect(bench.error(.lookup(parent: 1, name: "x")) == nil)
    let other = try #require(bench.create("y"))
    #expect(bench.fsyncFolder("") == nil)
    #expect(bench.unlink("y") == nil)
    #expect(bench.node("y") == other.node)
    #expect(bench.node("y") == nil)
    #expect(scene.fired == 1 && scene.fired(1) == 1)
  }

  @Test("stale readdir: the listing of before the last change of the folder")
  func listing() throws {
    let scene = try Scene("stale readdir dst:D times 2")
    let bench = scene.destination
    bench.mkdir("D")
    _ = try #require(bench.create("D/one"))
    _ = try #require(bench.create("D/two"))
    #expect(bench.list("D") == ["one"])
    #expect(bench.unlink("D/one") == nil)
    #expect(bench.list("D") == ["two", "one"])
    #expect(bench.list("D") == ["two"])
  }

  @Test("stale xattr and statfs: the value and the free space of before the last change")
  func others() throws {
    let scene = try Scene("stale xattr dst:x\nstale statfs dst:**")
    let bench = scene.destination
    let file = try #require(bench.create("x"))
    _ = bench.ask(.setxattr(file.node, name: "user.a", value: [1], flags: 0))
    _ = bench.ask(.setxattr(file.node, name: "user.a", value: [2, 2], flags: 0))
    guard case .text(let first) = bench.ask(.getxattr(file.node, name: "user.a", count: 100)),
      case .text(let second) = bench.ask(.getxattr(file.node, name: "user.a", count: 100))
    else {
      Issue.record("no attribute")
      return
    }
    #expect(first == [1] && second == [2, 2])
    guard case .statistics(let before) = scene.source.ask(.statfs(1)) else { return }
    #expect(bench.write(file, Self.old, at: 0) == .count(10_000))
    guard case .statistics(let stale) = bench.ask(.statfs(1)),
      case .statistics(let now) = bench.ask(.statfs(1))
    else {
      Issue.record("no statistics")
      return
    }
    #expect(stale.freeBlocks == now.freeBlocks + 3 && before.blocks == now.blocks)
    #expect(scene.fired == 1 && scene.fired(1) == 1)
  }

  @Test("cache lying: reads give what the medium holds, zeros where it holds nothing")
  func lying() throws {
    let scene = try Scene("volume dst persona ext4 capacity 64MiB cache lying")
    let bench = scene.destination
    let file = try #require(bench.create("x", flags: O_RDWR | O_CREAT | O_EXCL))
    #expect(bench.write(file, Self.old, at: 0) == .count(10_000))
    #expect(bench.read(file, at: 0, 20_000) == [UInt8](repeating: 0, count: 10_000))
    #expect(bench.fsync(file) == nil)
    #expect(bench.write(file, Self.new, at: 5000) == .count(10_000))
    #expect(
      bench.read(file, at: 0, 20_000) == Self.old + [UInt8](repeating: 0, count: 5000))
    #expect(bench.attributes(file.node)?.byteCount == 15_000)
  }
}
