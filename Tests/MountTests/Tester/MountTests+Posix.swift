import FaultModel
import Glibc
import SystemIO
import Testing

@testable import FaultFS

extension MountTests {
  /// What a copy engine relies on, as POSIX and Linux have it.
  @Suite struct Posix {
    private static let checks = PosixCheck.names + PosixCheck.bytes

    /// Each check in a folder of its own; what it leaves there must go.
    ///
    /// - Parameter untilFirst: the first problem is enough.
    private static func problems(
      at place: BytePath, untilFirst: Bool = false
    ) throws -> [String] {
      let root = try PinnedDirectory.open(place)
      var problems: [String] = []
      for (index, check) in checks.enumerated() {
        let name = BytePath("check-\(index)")
        let folder = try root.makeDirectory(name)
        let posix = PosixPlace(folder.descriptor.rawValue)
        check.body(posix)
        problems += posix.problems.map { "\(check.name): \($0)" }
        if untilFirst, !problems.isEmpty { return problems }
      }
      for entry in try root.list() {
        try BackingFolder(place.appending(entry.name)).empty("")
        try root.removeDirectory(entry.name)
      }
      if try !root.list().isEmpty { problems.append("something stays") }
      return problems
    }

    @Test(
      "FaultFS without faults answers as Linux does",
      arguments: TesterScratch.Store.allCases, [CachePolicy.none, .kernel])
    func answers(store: TesterScratch.Store, cache: CachePolicy) throws {
      let scratch = try TesterScratch(store, cache: cache, persona: "posix-strict")
      let problems = try Self.problems(at: scratch.place)
      #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
      try scratch.end()
    }

    @Test("The checks are right: tmpfs passes them, but that it has O_TMPFILE")
    func control() throws {
      let folder = BytePath("/dev/shm/custody-tester-\(getpid())-\(RandomID().text)")
      try FileSystem.makeDirectories(folder)
      let problems = try Self.problems(at: folder)
      #expect(problems.allSatisfy { $0.hasPrefix("O_TMPFILE") }, "\(problems)")
      #expect(folder.withCString { rmdir($0) } == 0)
    }

    @Test(
      "The checks see a volume that is broken",
      arguments: [
        "drop write dst:** every 20 always", "fail link dst:** with EIO always",
        "fail rename dst:** with EIO always", "corrupt read dst:** as flip always",
        "drop setattr.size dst:** always", "drop unlink dst:** always",
      ])
    func broken(rule: String) throws {
      let scratch = try TesterScratch(.memory, persona: "posix-strict", rules: [rule])
      #expect(try !Self.problems(at: scratch.place, untilFirst: true).isEmpty)
      try scratch.end()
    }
  }
}
