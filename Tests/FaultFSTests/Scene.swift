import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

/// A rig without mounts: a case's volumes and rules, and a host that does at once what it is asked.
final class Scene {
  let injector: Injector
  let host: Host
  let scriptCase: ScriptCase
  private(set) var benches: [String: Bench] = [:]

  /// `src/a` (5,000 bytes), `src/b` (3 MiB), `src/D/c` (200,000 bytes) and `src/D/empty`, copied
  /// to `dst` and, when it is used, `dst2`. `body` is what stands below the case line.
  static let files: [(path: BytePath, byteCount: Int)] = [
    ("a", 5000), ("b", 3 << 20), ("D/c", 200_000), ("D/empty", 0),
  ]

  init(_ body: String, persona: String = "posix-strict", preamble: String = "") throws {
    let givens = Self.files.map { "  given src \"\($0.path)\" bytes \($0.byteCount)" }
    let second = body.contains("dst2") ? "volume dst2 persona \(persona) capacity 64MiB\n" : ""
    let text = """
      custody-fault 1
      card empty
      volume src persona posix-strict capacity 64MiB
      volume dst persona \(persona) capacity 64MiB
      \(second)\(preamble)
      case "scene"
      \(givens.joined(separator: "\n"))
      \(body.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
        expect sound
      """
    let script = try ScriptParser.parse(text, name: "scene")
    host = Host()
    injector = Injector(host: host, trees: TreeBuilder(cards: CardLibrary(folders: [])))
    host.injector = injector
    scriptCase = try #require(script.cases.first)
    try injector.load(scriptCase)
    for volume in injector.volumes {
      let bench = Bench(volume)
      bench.afterwards = { [host] in host.performActs() }
      benches[volume.name] = bench
    }
    try injector.arm(Set(scriptCase.rules.map(\.id)))
    injector.beginRun()
    host.performActs()
  }

  subscript(name: String) -> Bench {
    benches[name] ?? Bench(LayerView(of: MemoryVolume(persona: .plain()), layer: .volatile))
  }

  var source: Bench { self["src"] }
  var destination: Bench { self["dst"] }
  /// How often the case's first rule struck.
  var fired: Int { fired(0) }

  func fired(_ id: Int) -> Int { injector.rules.first { $0.id == id }?.fired ?? -1 }

  /// The bytes of a source file as the plan has them.
  func planned(_ path: BytePath) -> [UInt8] {
    guard let index = injector.sources.index(of: path) else { return [] }
    let content = injector.sources.files[index].content
    return content.bytes(at: 0, count: Int(content.byteCount))
  }

  func durable(_ volume: String = "dst") -> TreeSnapshot {
    (try? injector.volume(volume)?.snapshot(.durable)) ?? TreeSnapshot()
  }

  func volatile(_ volume: String = "dst") -> TreeSnapshot {
    (try? injector.volume(volume)?.snapshot(.volatile)) ?? TreeSnapshot()
  }

  func digest(_ bytes: [UInt8]) -> String {
    var file = FileState(mode: 0, access: 0, modification: 0, change: 0)
    bytes.withUnsafeBytes { file.bytes.write($0, at: 0) }
    return DigestCache().digest(of: file, on: self)
  }

  /// Reads a source file whole through the mount's calls.
  func readSource(_ path: BytePath, chunk: Int = 1 << 20) -> [UInt8]? {
    source.readAll(path, chunk: chunk)
  }

  /// What an honest engine does for one file: temp, write, fsync, read back, link or rename,
  /// fsync of the folder. False when any call fails or the bytes differ.
  @discardableResult
  func copy(
    _ path: BytePath, to volume: String = "dst", chunk: Int = 1 << 20, verifies: Bool = true
  ) -> Bool {
    let bench = self[volume]
    if let folder = path.parent, bench.node(folder) == nil, bench.mkdir(folder) != nil {
      return false
    }
    guard let data = readSource(path, chunk: chunk) else { return false }
    let temp = (path.parent ?? "").appending(BytePath(".custody.tmp.\(path.lastComponent)"))
    guard let file = bench.create(temp) else { return false }
    guard bench.writeAll(file, data, chunk: chunk), bench.fsync(file) == nil,
      bench.close(file) == nil
    else { return false }
    if verifies, bench.readAll(temp, chunk: chunk) != data { return false }
    guard bench.rename(temp, path, flags: 1) == nil else { return false }
    return bench.fsyncFolder(path.parent ?? "") == nil
  }

  /// What the host of a rig does, without processes and mounts.
  final class Host: RigHost {
    weak var injector: Injector?
    var log: [String] = []
    private var pending: [() -> Void] = []

    func performActs() {
      let acts = pending
      pending = []
      for act in acts { act() }
    }

    func killSubject() { log.append("kill") }
    func terminateSubject() { log.append("terminate") }
    func stopSubject(milliseconds: UInt64) { log.append("stop \(milliseconds)") }
    func limitSubject(_ limit: Limit, _ value: UInt64) -> Bool {
      log.append("limit \(limit.rawValue) \(value)")
      return true
    }

    func eject(volume: String) {
      log.append("eject \(volume)")
      pending.append { [weak self] in self?.injector?.volume(volume)?.wasEjected() }
    }

    func insert(volume: String, other: String?) {
      log.append("insert \(volume)")
      pending.append { [weak self] in self?.injector?.volume(other ?? volume)?.wasInserted() }
    }

    func remount(volume: String) {
      log.append("remount \(volume)")
      pending.append { [weak self] in self?.injector?.volume(volume)?.wasRemounted() }
    }

    func powerWasCut(volume: String) { log.append("cut \(volume)") }

    var ownsBackingFolders: Bool { true }

    func backingFolder(of volume: String) -> BytePath { "/nonexistent" }
  }
}

extension Bench {
  func readAll(_ path: BytePath, chunk: Int = 1 << 20) -> [UInt8]? {
    guard let file = open(path) else { return nil }
    defer { _ = close(file) }
    var bytes: [UInt8] = []
    while true {
      guard let part = read(file, at: UInt64(bytes.count), chunk) else { return nil }
      if part.isEmpty { return bytes }
      bytes += part
    }
  }

  func writeAll(_ file: Opened, _ data: [UInt8], chunk: Int = 1 << 20) -> Bool {
    var offset = 0
    while offset < data.count {
      let part = Array(data[offset..<min(offset + chunk, data.count)])
      guard case .count(let count) = write(file, part, at: UInt64(offset)), count > 0 else {
        return false
      }
      offset += count
    }
    return true
  }
}
