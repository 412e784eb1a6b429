import FaultFS
import FaultModel
import Glibc
import SystemIO
import Testing

/// A persona and the real driver that it plays.
struct Conformance: Sendable, CustomTestStringConvertible {
  let persona: String
  let driver: LoopVolume.Kind
  /// How the driver is mounted.
  var options: [BytePath] = []

  /// Pairs that the machine of these tests can mount; another one is a line here and a section in
  /// docs/conformance.md.
  static let pairs = [
    Conformance(persona: "exfat-fuse", driver: .exfat),
    Conformance(persona: "ntfs-posix", driver: .ntfs),
    Conformance(persona: "ntfs-windows-names", driver: .ntfs, options: ["-o", "windows_names"]),
    Conformance(persona: "ext4", driver: .ext4), Conformance(persona: "xfs", driver: .xfs),
    Conformance(persona: "btrfs", driver: .btrfs),
    Conformance(persona: "posix-strict", driver: .tmpfs),
  ]

  var testDescription: String { "\(persona) against \(driver.rawValue)" }

  /// Small, so that it is full soon; as in the script below, but for drivers that want more.
  private var byteCount: Int { max(64 << 20, driver.smallest) }

  /// What one side answered, by the probe's name: an answer, or why there is none.
  typealias Answers = [String: Result<String, ProbeFailure>]

  /// Both sides of each pair, asked once for all tests.
  static let observed: [String: Result<(persona: Answers, driver: Answers), ProbeFailure>] =
    Dictionary(uniqueKeysWithValues: pairs.map { ($0.persona, $0.observe()) })

  private func observe() -> Result<(persona: Answers, driver: Answers), ProbeFailure> {
    do {
      return .success((persona: try askPersona(), driver: try askDriver()))
    } catch {
      return .failure(ProbeFailure(text: "\(self): \(error)"))
    }
  }

  /// The persona as the cases of a script get it, but for the kernel's cache, which a real driver
  /// has too.
  private func askPersona() throws -> Answers {
    let scratch = try Scratch()
    let cards = Checkout.root.appending("Fixtures/cards")
    let rig = try RigClient.start(
      harness: Product.path("harness"), workFolder: try scratch.folder("rig"), cards: [cards])
    let text = """
      custody-fault 1
      card tiny
      volume src persona ext4 capacity 64MiB
      volume dst persona \(persona) capacity 64MiB cache kernel
      case "probes"
        expect verified
      """
    let script = try ScriptLoader(cards: CardLibrary(folders: [cards])).load(
      Array(text.utf8), name: "probes")
    let mounted = try rig.load(script, caseIndex: 0)
    guard let volume = mounted.first(where: { $0.name == "dst" }) else {
      throw ProbeFailure(text: "the rig mounted no dst")
    }
    let answers = Self.ask(below: volume.mountPoint) { try rig.remount("dst") }
    try rig.shutdown()
    return answers
  }

  private func askDriver() throws -> Answers {
    let scratch = try Scratch()
    let volume = try LoopVolume(driver, in: scratch, byteCount: byteCount, options: options)
    let answers = Self.ask(below: volume.path) { try volume.remount() }
    try volume.unmount()
    return answers
  }

  private static func ask(below root: BytePath, _ remount: @escaping () throws -> Void) -> Answers {
    var answers: Answers = [:]
    let room = freeByteCount(root)
    for (number, probe) in Probe.all.enumerated() {
      let site = ProbeSite(folder: root.appending(BytePath("probe\(number)")), remount: remount)
      do {
        try FileSystem.makeDirectories(site.folder)
        answers[probe.name] = .success(try probe.observe(site))
      } catch {
        answers[probe.name] = .failure(ProbeFailure(text: "\(error)"))
      }
      // The room is the next one's too; what was open is given back a little later.
      Scratch.remove(site.folder)
      for _ in 0..<500 where freeByteCount(root) < room - room / 16 { usleep(10_000) }
    }
    return answers
  }

  private static func freeByteCount(_ root: BytePath) -> UInt64 {
    var statistics = statvfs()
    guard root.withCString({ statvfs($0, &statistics) }) == 0 else { return 0 }
    return UInt64(statistics.f_bfree) * UInt64(statistics.f_frsize)
  }
}

/// Where these tests were built from.
enum Checkout {
  static let root: BytePath = {
    var path = BytePath(#filePath)
    for _ in 0..<4 { path = path.parent ?? path }
    return path
  }()
}
