import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Which source file an inode receives")
struct RecognitionTests {
  @Test("By content under any name: chunked, out of order, sparse, whatever came first")
  func anyOrder() throws {
    let orders: [[Int]] = [[0, 1, 2], [2, 1, 0], [1], [2]]
    for order in orders {
      let scene = try Scene("fail fsync dst:~b with EIO")
      let data = scene.planned("b")
      let file = try #require(scene.destination.create("whatever"))
      for index in order {
        let start = index << 20
        #expect(
          scene.destination.write(file, Array(data[start..<start + (1 << 20)]), at: UInt64(start))
            == .count(1 << 20))
      }
      #expect(scene.destination.fsync(file) == .inputOutput, "\(order)")
      #expect(scene.fired == 1)
    }
  }

  @Test("Odd chunks and small first writes are enough; other bytes are nobody's")
  func chunks() throws {
    for chunk in [1, 64, 100, 4095, 65_537] {
      let scene = try Scene("fail fsync dst:~D/c with EIO")
      let data = scene.planned("D/c")
      let file = try #require(scene.destination.create("t"))
      let limit = min(chunk * 3, data.count)
      #expect(scene.destination.writeAll(file, Array(data[..<limit]), chunk: chunk))
      let isKnown = scene.destination.fsync(file) == .inputOutput
      #expect(isKnown == (chunk >= 64), "chunk \(chunk)")
    }
    let scene = try Scene("fail fsync dst:~D/c with EIO maybe")
    let other = try #require(scene.destination.create("t"))
    #expect(scene.destination.writeAll(other, sampleBytes(99, 200_000)))
    #expect(scene.destination.fsync(other) == nil)
  }

  @Test("By final name: at create, before any byte, and for empty files")
  func finalName() throws {
    let scene = try Scene(
      "fail fsync dst:~D/empty with EIO always\nfail fsync dst:~a with EIO always")
    #expect(scene.destination.mkdir("D") == nil)
    let empty = try #require(scene.destination.create("D/empty"))
    #expect(scene.destination.fsync(empty) == .inputOutput)
    let file = try #require(scene.destination.create("a"))
    #expect(scene.destination.fsync(file) == .inputOutput)
    #expect(scene.destination.rename("a", "other") == nil)
    #expect(scene.destination.fsync(file) == nil)
  }

  @Test("A final name is found as the persona folds it")
  func foldedName() throws {
    let scene = try Scene("fail fsync dst:~a with EIO always", persona: "exfat-linux")
    let file = try #require(scene.destination.create("A"))
    #expect(scene.destination.fsync(file) == .inputOutput)
  }

  @Test("As last served: a copy of spoilt bytes is still a copy of that file")
  func asServed() throws {
    let scene = try Scene(
      "corrupt read src:a range 0+200 as junk always\nfail fsync dst:~a with EIO")
    #expect(!scene.copy("a"))
    #expect(scene.fired(0) == 1)
    #expect(scene.fired(1) == 1)
  }

  @Test("As it stands now: a source that was changed is recognised by its new bytes")
  func asChanged() throws {
    let scene = try Scene("change src:a write 0+4KiB at 0%\nfail fsync dst:~a with EIO")
    _ = scene.readSource("D/c")
    let now = try #require(scene.readSource("a"))
    #expect(scene.fired(0) == 1)
    let file = try #require(scene.destination.create("t"))
    #expect(scene.destination.writeAll(file, scene.readSource("a") ?? now))
    #expect(scene.destination.fsync(file) == .inputOutput)
  }

  @Test("copy_file_range hands the identity on")
  func copyRange() throws {
    let scene = try Scene("fail fsync dst:~b with EIO")
    let first = try #require(scene.destination.create("one"))
    #expect(scene.destination.writeAll(first, scene.planned("b")))
    let second = try #require(scene.destination.create("two"))
    let call = Request.Call.copyFileRange(
      first.node, first.handle, offset: 0, to: second.node, second.handle, toOffset: 0,
      count: 1 << 20)
    #expect(scene.destination.error(call) == nil)
    #expect(scene.destination.fsync(second) == .inputOutput)
  }

  @Test("Twins: the final name says which one was meant")
  func twins() throws {
    let scene = try Scene(
      "given src \"E/twin\" bytes like \"D/c\"\nfail fsyncdir dst:E with EIO maybe")
    let names: [BytePath] = ["D/c", "E/twin"]
    for name in names { #expect(scene.copy(name) == (name == "D/c")) }
    let volume = try #require(scene.injector.volume("dst"))
    let found = names.map { path -> Int? in
      volume.store.node(at: path).flatMap { volume.track($0).identity }
    }
    #expect(found == names.map { scene.injector.sources.index(of: $0) })
  }

  @Test("Labels count temporary names and markers apart; reports keep their names")
  func labels() throws {
    let scene = try Scene(
      "fail write dst:<tmp#2> with EIO always\nfail unlink dst:<marker#1> with EIO")
    let one = try #require(scene.destination.create(".custody.tmp.77"))
    let two = try #require(scene.destination.create("b.part"))
    let marker = try #require(scene.destination.create(".custody-status-1"))
    _ = try #require(scene.destination.create("a"))
    #expect(scene.destination.mkdir("Reports") == nil)
    let report = try #require(scene.destination.create("Reports/x.json"))
    let bytes: [UInt8] = [1]
    #expect(scene.destination.write(one, bytes, at: 0) == .count(1))
    #expect(scene.destination.write(two, bytes, at: 0) == .failed(.inputOutput))
    #expect(scene.destination.write(marker, bytes, at: 0) == .count(1))
    #expect(scene.destination.write(report, bytes, at: 0) == .count(1))
    #expect(scene.destination.unlink(".custody-status-1") == .inputOutput)
    let texts = scene.injector.trace.map(\.text)
    #expect(texts.contains("write <tmp#1> 0+1"))
    #expect(texts.contains("unlink <marker#1>"))
    #expect(texts.contains("write Reports/x.json 0+1"))
  }

  @Test("Among thousands of sources a file is found in microseconds, at any offset")
  func thousands() throws {
    var tree = PlannedTree()
    for index in 0..<2000 {
      tree.entries[BytePath("f\(index)")] = PlannedEntry(
        kind: .file, content: sampleContent(UInt64(index), 20_000), mode: 0, modification: 0)
    }
    let sources = SourceIndex(tree)
    for index in stride(from: 0, to: 2000, by: 100) {
      for offset in [0, 4096, 12_345] {
        let data = sampleContent(UInt64(index), 20_000).bytes(at: UInt64(offset), count: 4096)
        let found = data.withUnsafeBytes { sources.find($0, at: UInt64(offset), named: nil) }
        #expect(found.map { sources.files[$0].path } == [BytePath("f\(index)")])
      }
    }
  }
}
