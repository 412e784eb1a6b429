import FaultModel
import SystemIO
import Testing

@testable import FaultFS

@Suite("A reset is a load of the same case")
struct ResetTests {
  /// What a case's end must not leave in the next one.
  private struct State: Equatable {
    var source: TreeSnapshot
    var destination: TreeSnapshot
    var durable: TreeSnapshot
    var fired: [Int]
    var trace: [TraceRecord]
    var written: [String: Set<BytePath>]

    init(_ scene: Scene) {
      source = scene.volatile("src")
      destination = scene.volatile()
      durable = scene.durable()
      fired = scene.injector.rules.map(\.fired)
      trace = scene.injector.trace
      written = scene.injector.written
    }
  }

  private static let rules = """
    fail write dst:~b nth 2 with EIO
    fail lookup dst:D/c nth 1 with EIO
    corrupt read src:a range 100+1 as flip
    full dst after complete of dst:~a
    stale stat dst:a
    """

  /// A run that fires most of it.
  private func run(_ scene: Scene) -> [Bool] {
    Scene.files.map { scene.copy($0.path) }
  }

  private func begin(_ scene: Scene) throws {
    try scene.injector.arm(Set(scene.scriptCase.rules.map(\.id)))
    scene.injector.beginRun()
    scene.host.performActs()
  }

  @Test("Files, counters, labels and trace are those of a fresh rig, however often")
  func sameAsLoad() throws {
    let scene = try Scene(Self.rules)
    let fresh = try Scene(Self.rules)
    let begun = State(fresh)
    let copied = run(fresh)
    #expect(copied.contains(false))
    let ended = State(fresh)
    #expect(ended.fired.contains { $0 > 0 } && ended != begun)
    _ = run(scene)
    for _ in 0..<3 {
      try scene.injector.reset()
      try begin(scene)
      #expect(State(scene) == begun)
      #expect(run(scene) == copied)
      #expect(State(scene) == ended)
    }
  }

  @Test("A rule that was in force is silent after a reset until it is armed again")
  func silent() throws {
    let scene = try Scene("fail write dst:** with EIO always")
    #expect(!scene.copy("a"))
    try scene.injector.reset()
    #expect(scene.injector.fired.isEmpty)
    #expect(scene.copy("a"))
    #expect(scene.fired == 0)
  }

  @Test("What stood on the volume between two runs is gone, and what a rule did to the source")
  func givens() throws {
    let scene = try Scene(
      "change src:a append 10 before named of dst:~a\nrun\ngiven dst \"late\" bytes 5\nrun")
    let before = scene.volatile("src")
    scene.copy("a")
    #expect(scene.volatile("src") != before)
    try scene.injector.apply(givenOrdinal: Scene.files.count)
    #expect(scene.volatile()["late"] != nil)
    try scene.injector.reset()
    #expect(scene.volatile("src") == before)
    #expect(scene.volatile()["late"] == nil)
    #expect(scene.planned("a") == scene.readSource("a"))
    try scene.injector.apply(givenOrdinal: Scene.files.count)
    #expect(scene.volatile()["late"] != nil)
  }

  @Test("Nothing was loaded: a reset is refused")
  func unloaded() throws {
    let host = Scene.Host()
    let injector = Injector(host: host, trees: TreeBuilder(cards: CardLibrary(folders: [])))
    #expect(throws: RigError.self) { try injector.reset() }
  }
}
