import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite struct SnapshotTests {
  @Test("a snapshot carries the bytes of small status markers, of nothing else, over the channel")
  func markers() throws {
    let scene = try Scene("drop fsync dst:nothing maybe")
    let marker: BytePath = ".custody-status-0123456789abcdef0123456789abcdef"
    let large: BytePath = ".custody-status-ffffffffffffffffffffffffffffffff"
    let small = Array("{\"custodyStatus\":1}".utf8)
    let long = [UInt8](repeating: 1, count: 5000)
    for (name, bytes) in [(marker, small), ("plain", small), (large, long)] {
      let file = try #require(scene.destination.create(name))
      #expect(scene.destination.writeAll(file, bytes, chunk: 1 << 20))
    }
    let snapshot = try TreeSnapshot(scene.volatile().json)
    #expect(snapshot == scene.volatile())
    #expect(snapshot[marker]?.inlineBytes == small)
    #expect(snapshot["plain"]?.inlineBytes == [])
    #expect(snapshot[large]?.inlineBytes == [])
    #expect(snapshot[large]?.byteCount == 5000)
  }
}
