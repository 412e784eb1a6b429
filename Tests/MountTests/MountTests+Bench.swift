import Glibc
import SystemIO
import Testing
import Wire

@testable import Bench

private let hasMemoryFolder =
  (try? MountTable.current())?.entry(containing: "/dev/shm")?.type == "tmpfs"

extension MountTests {
  /// The comparison of mounts, and the plain file system that it compares with.
  @Suite(.enabled(if: hasMemoryFolder, "/dev/shm is no tmpfs"))
  struct MountComparison {
    @Test("Every step is measured on every volume under both policies, and nothing is left")
    func bench() throws {
      let folder = BytePath("/dev/shm/custody-bench-tests-\(getpid())")
      try FileSystem.makeDirectories(folder)
      defer { _ = rmdir(folder.escaped) }
      let settings = Bench.Settings(
        custody: "/x", folder: folder, rounds: 1, harness: try RigFixture.harness(),
        memoryFolder: folder, mountMebibytes: 3, mountFiles: 12)
      var lines: [String] = []
      let result = try Bench.run("faultfs", settings) { lines.append($0) }
      for policy in ["none", "kernel"] {
        for step in MountStep.allCases.map(\.rawValue) + ["sequential", "small"] {
          let one = result["faultfs"]?[policy]?[step]
          for volume in ["backed", "memory"] {
            #expect((one?[volume]?["wallRatio"]?["median"]?.double ?? 0) > 0)
            #expect((one?[volume]?["cpuRatio"]?["median"]?.double ?? 0) > 0)
          }
        }
      }
      #expect((result["faultfs"]?["cycles"]?["resetMilliseconds"]?["median"]?.double ?? 0) > 0)
      #expect(lines.contains { $0.hasPrefix("  small: a backed volume takes") })
      #expect(try PinnedDirectory.open(folder).list().isEmpty)
      let mounts = try MountTable.current().entries.map(\.mountPoint)
      #expect(!mounts.contains { $0.components.starts(with: folder.components) })
    }

    @Test("A rig has its memory in huge pages, so that fresh bytes cost no fault for each 4 KiB")
    func hugePages() throws {
      let rig = try RigFixture()
      let environment = try FileSystem.contents(of: BytePath("/proc/\(rig.client.pid)/environ"))
      let entries = environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      #expect(entries.contains("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"))
      try rig.end()
    }

    @Test(
      "The plain file system shows a folder as it is, under both policies",
      arguments: ["none", "kernel"])
    func twin(policy: String) throws {
      let folder = BytePath("/tmp/custody-twin-tests-\(getpid())-\(RandomID().text)")
      let (below, above) = (folder.appending("below"), folder.appending("above"))
      for made in [below, above] { try FileSystem.makeDirectories(made) }
      var child = try ChildProcess.spawn(
        ChildProcess.Command(
          try RigFixture.harness(),
          [Array("twin".utf8), below.bytes, above.bytes, Array(policy.utf8)]))
      #expect(eventually { (try? MountTable.current().entry(at: above)) != nil })

      let shown = try PinnedDirectory.open(above)
      let inner = try shown.makeDirectory("inner", tolerant: false)
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
      let file = try inner.openFile("a", .readWrite, options: .exclusiveCreate, mode: 0o640)
      try file.writeAll(bytes)
      try file.setMode(0o600)
      try file.fsync()
      try file.close()
      #expect(try FileSystem.contents(of: below.appending("inner/a")) == bytes)
      #expect(try FileSystem.contents(of: above.appending("inner/a")) == bytes)
      #expect(try inner.metadata(of: "a").mode == 0o600)
      for number in 0..<300 {
        let one = try inner.openFile(
          BytePath("n\(number)"), .writeOnly, options: .exclusiveCreate, mode: 0o644)
        try one.close()
      }
      #expect(try inner.list().count == 301)
      try inner.rename("n0", to: inner, "n1")
      try inner.unlink("n2")
      #expect(try PinnedDirectory.open(below.appending("inner")).list().count == 299)
      #expect(throws: SystemError.self) { try inner.metadata(of: "n0") }
      let again = try inner.openFile("a", .readWrite)
      try again.truncate(to: 10)
      try again.close()
      #expect(
        try FileSystem.metadata(below.appending("inner/a"), followingLinks: false).byteCount == 10)

      try child.kill(.terminate)
      #expect(try child.wait(timeout: .seconds(10)) == .exited(0))
      #expect(try MountTable.current().entry(at: above) == nil)
      try BenchTree.remove(
        folder.lastComponent, from: try PinnedDirectory.open(try #require(folder.parent)))
    }
  }
}
