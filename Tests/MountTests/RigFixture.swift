import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

/// A rig in its own process, with its watchdog, for the time of a test.
final class RigFixture {
  let client: RigClient
  let folder: BytePath

  init() throws {
    _ = Mounts.sweep()
    folder = BytePath("/tmp/custody-rig-tests-\(getpid())-\(RandomID().text)")
    client = try RigClient.start(
      harness: try Self.harness(), workFolder: folder, cards: [try Self.cards()])
  }

  /// The executable beside the test bundle.
  static func harness() throws -> BytePath {
    let own = try #require(realpath("/proc/self/exe", nil))
    defer { free(own) }
    let path = BytePath(String(cString: own))
    return try #require(path.parent).appending("harness")
  }

  /// `Fixtures/cards` of the package that this file lies in.
  static func cards(_ file: StaticString = #filePath) throws -> BytePath {
    let here = BytePath("\(file)")
    let root = try #require(here.parent?.parent?.parent)
    return root.appending("Fixtures/cards")
  }

  /// Loads the first case of a script.
  @discardableResult
  func load(_ text: String, caseIndex: Int = 0) throws -> [String: BytePath] {
    let cards = CardLibrary(folders: [try Self.cards()])
    let script = try ScriptLoader(cards: cards).load(Array(text.utf8), name: "test")
    let mounted = try client.load(script, caseIndex: caseIndex)
    return Dictionary(uniqueKeysWithValues: mounted.map { ($0.name, $0.mountPoint) })
  }

  /// Mounts of the rig that the kernel lists.
  var mounts: [BytePath] {
    Mounts.tagged().filter { $0.tag.pid == client.pid && $0.entry.isConnection }
      .map(\.entry.mountPoint)
  }

  func end() throws {
    try client.shutdown()
    #expect(Mounts.tagged().allSatisfy { $0.tag.pid != client.pid })
    removeFolder()
  }

  /// The folders that a rig makes; what else lies there stays and fails the test.
  func removeFolder() {
    _ = folder.appending("rig.log").withCString { unlink($0) }
    let mnt = folder.appending("mnt")
    if let opened = try? PinnedDirectory.open(mnt) {
      for entry in (try? opened.list()) ?? [] { try? opened.removeDirectory(entry.name) }
    }
    _ = mnt.withCString { rmdir($0) }
    let backing = folder.appending("backing")
    if (try? FileSystem.metadataIfPresent(backing, followingLinks: false)) != nil {
      try? BackingFolder(backing).empty("")
      _ = backing.withCString { rmdir($0) }
    }
    #expect(folder.withCString { rmdir($0) } == 0)
  }
}

/// Waits until something holds; false when it has not within the time.
func eventually(within limit: Duration = .seconds(5), _ condition: () -> Bool) -> Bool {
  let deadline = ContinuousClock.now + limit
  while !condition() {
    if ContinuousClock.now >= deadline { return false }
    usleep(10_000)
  }
  return true
}
