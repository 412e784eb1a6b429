import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite("Recording for an exploration")
struct RecordingTests {
  private func copyAll(_ scene: Scene) {
    for file in Scene.files { scene.copy(file.path, chunk: 100_000) }
  }

  /// Recorded twice, as the runner does: the second time every target is known from the start.
  private func recording() throws -> [RecordedOperation] {
    let scene = try Scene("")
    scene.injector.observe(isAgain: false)
    copyAll(scene)
    try scene.injector.load(scene.scriptCase)
    scene.injector.observe(isAgain: true)
    scene.injector.beginRun()
    copyAll(scene)
    return scene.injector.operations
  }

  @Test("every request that rules can address is written down, once")
  func complete() throws {
    let scene = try Scene("")
    scene.injector.observe(isAgain: false)
    copyAll(scene)
    #expect(scene.injector.operations.count == scene.injector.trace.count)
    #expect(!scene.injector.operations.isEmpty)
  }

  @Test("a rule with the recorded words strikes that request and no other")
  func exact() throws {
    let operations = try recording()
    let alone = operations.enumerated().filter { !$0.element.isShadowed }
    #expect(alone.count > operations.count / 2)
    for (ordinal, operation) in alone {
      let words = "\(operation.operation.rawValue) \(operation.target.text)"
      let scene = try Scene("fail \(words) with EIO \(operation.clauses)")
      copyAll(scene)
      let struck = scene.injector.trace.filter { !$0.rules.isEmpty }
      #expect(scene.fired == 1, "\(words) \(operation.clauses)")
      #expect(struck.first?.ordinal == ordinal, "\(words) \(operation.clauses)")
    }
  }

  @Test("content, temporary and final names are told apart; nothing is recorded unless asked")
  func targets() throws {
    let operations = try recording()
    let texts = Set(operations.map(\.target.text))
    #expect(texts.contains("dst:~\"D/c\""))
    #expect(texts.contains { $0.hasPrefix("dst:<tmp#") })
    #expect(texts.contains("src:\"b\""))
    let silent = try Scene("")
    copyAll(silent)
    #expect(silent.injector.operations.isEmpty)
  }

  @Test("a barrier with something to make durable says so, and a second one does not")
  func traits() throws {
    let fsyncs = try recording().filter { $0.operation == .fsync && $0.byteCount > 0 }
    #expect(!fsyncs.isEmpty)
    #expect(fsyncs.allSatisfy { $0.traits.contains(.hasUnsynced) })
  }

  @Test("a recorded operation is the same behind the control channel")
  func channel() throws {
    for operation in try recording() {
      #expect(try RecordedOperation(operation.json) == operation)
    }
  }

  @Test("a file that is unlinked between its lookup and its open takes its room and gives it back")
  func roomOfTheUnlinked() throws {
    let scene = try Scene("")
    let node = try #require(scene.source.node("b"))
    let volume = try #require(scene.injector.volume("src"))
    try volume.store.act(.change(.remove, restoreTimes: false), at: "b")
    guard case .opened(let handle) = volume.store.perform(.open(node, flags: 0)) else {
      Issue.record("the inode is gone although the kernel knows it")
      return
    }
    _ = volume.store.perform(.release(node, handle))
    #expect(scene.source.node("b") == nil)
  }
}
