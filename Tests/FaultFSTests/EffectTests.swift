import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

@Suite("Effects")
struct EffectTests {
  @Test("Without a rule a copy is complete on both layers and nothing fires")
  func quiet() throws {
    let scene = try Scene("fail write dst:~a with EIO maybe\ndisarm")
    scene.injector.disarm()
    for file in Scene.files where file.byteCount > 0 { #expect(scene.copy(file.path)) }
    #expect(scene.durable()["D/c"]?.digest == scene.digest(scene.planned("D/c")))
    #expect(scene.volatile()["b"]?.digest == scene.digest(scene.planned("b")))
    #expect(scene.fired == 0)
  }

  @Test("A write that fails from an offset on is cut there and then fails")
  func failFrom() throws {
    let scene = try Scene("fail write dst:~b from 1500000 with EIO")
    let data = scene.planned("b")
    let file = try #require(scene.destination.create("x"))
    #expect(scene.destination.write(file, Array(data[..<(1 << 20)]), at: 0) == .count(1 << 20))
    #expect(
      scene.destination.write(file, Array(data[(1 << 20)...]), at: 1 << 20)
        == .count(1_500_000 - (1 << 20)))
    #expect(scene.fired == 0)
    #expect(
      scene.destination.write(file, Array(data[1_500_000...]), at: 1_500_000)
        == .failed(.inputOutput))
    #expect(scene.fired == 1)
    #expect(
      scene.destination.write(file, Array(data[1_500_000...]), at: 1_500_000)
        == .count(data.count - 1_500_000))
  }
}
